#include "cuda_runtime/prepared_operation.h"

#include <type_traits>
#include <utility>

namespace cuda_runtime {

void copy_payload::read_source() {
  snapshot.emplace(source.bytes());
  source.gather(snapshot->data());
}

prepared_operation prepared_operation::copy() const {
  prepared_operation result{request, recorded, {}};
  std::visit(
      [&result](const auto& part) {
        using part_type = std::decay_t<decltype(part)>;
        if constexpr (std::is_same_v<part_type, kernel_payload>) {
          result.work.emplace<kernel_payload>(part.launch);
        } else {
          result.work = part;
        }
      },
      work);
  return result;
}

}  // namespace cuda_runtime
