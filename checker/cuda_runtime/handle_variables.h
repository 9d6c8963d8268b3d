// handle_variables.h: into which variables of the program calls have put handles, so that one that is overwritten shows.
//
//     cudaEvent_t const before = variables.put(made, out);   // `*out` is `made`
#pragma once

#include <unordered_map>

namespace cuda_runtime {

/// The variables of one kind of handle.
template <typename Handle>
class handle_variables {
 public:
  /// Sets the variable. Returns the handle that an earlier call had put there and that it still held; nullptr when there is none.
  Handle put(Handle made, Handle* variable) {
    Handle& known = put_[variable];
    Handle const before = known != nullptr && *variable == known ? known : nullptr;
    known = made;
    *variable = made;
    return before;
  }

 private:
  std::unordered_map<Handle*, Handle> put_;
};

}  // namespace cuda_runtime
