#include "matchers/gpu_of_the_run.h"

#include <optional>
#include <utility>

namespace matchers {

namespace {

std::optional<device::profile> used;

}  // namespace

void use_gpu(device::profile gpu) { used = std::move(gpu); }

const device::profile* gpu_of_the_run() { return used ? &*used : nullptr; }

}  // namespace matchers
