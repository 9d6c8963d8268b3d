#include "cuda_runtime/prepared_operation.h"

#include <utility>

namespace cuda_runtime {

payload payload::for_launch_of(std::shared_ptr<const prepared_operation> owner) const {
  payload result;
  result.destination = destination;
  result.source = source;
  result.value = value;
  result.element_bytes = element_bytes;
  result.function = function;
  result.node = std::move(owner);
  if (launch) result.launch = std::make_unique<kernel_launch>(*launch);
  return result;
}

void payload::read_source() {
  snapshot.resize(source.bytes());
  source.gather(snapshot.data());
  has_snapshot = true;
}

}  // namespace cuda_runtime
