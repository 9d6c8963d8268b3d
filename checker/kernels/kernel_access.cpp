#include "kernels/kernel_access.h"

#include <string>

namespace kernels {
namespace {

/// An address below this is a null pointer, or a member or element of what it points to.
constexpr address null_page_bytes = 4096;

[[noreturn]] __attribute__((noinline)) void stop_kernel(kernel_run& kernel, address code, address where,
                                                        std::size_t bytes, trace::access_mode mode,
                                                        std::size_t alignment) {
  const char* const verb = mode == trace::access_mode::read ? "read" : "wrote";
  const std::string access = std::string("a thread ") + verb + " " + std::to_string(bytes) + " bytes ";
  if (where % alignment != 0) {
    kernel.stop({cudaErrorMisalignedAddress, trace::diagnostic_kind::misaligned_address,
                 access + "at an address that is not a multiple of " + std::to_string(alignment), code});
  }
  if (where < null_page_bytes) {
    kernel.stop({cudaErrorIllegalAddress, trace::diagnostic_kind::null_pointer,
                 access + "through a null pointer", code});
  }
  if (kernel.is_near_shared(where)) {
    kernel.stop(
        {cudaErrorIllegalAddress, trace::diagnostic_kind::out_of_bounds,
         access +
             "of shared memory that is in no shared variable and not in the dynamic shared memory that the "
             "launch asked for",
         code});
  }
  constexpr std::size_t near_bytes = 1 << 20;  // chosen: a negative index
  const memory_block* const behind = kernel.log().first_block_behind(where);
  if (behind != nullptr && behind->begin - where <= near_bytes) {
    kernel.stop(
        {cudaErrorIllegalAddress, trace::diagnostic_kind::out_of_bounds,
         access + "before the beginning of an allocation of " + std::to_string(behind->bytes) + " bytes",
         code, 0, behind->id});
  }
  if (!kernel.log().is_concerned(where)) {
    kernel.stop({cudaErrorIllegalAddress, trace::diagnostic_kind::kernel_used_host_memory,
                 access + "of pageable host memory: a kernel can use device, managed and pinned memory only",
                 code});
  }
  const memory_block* const block = kernel.log().find_block(where);
  if (block != nullptr && block->is_pending) {
    kernel.stop(
        {cudaErrorIllegalAddress, trace::diagnostic_kind::used_before_allocation,
         access +
             "of memory whose allocation in another stream has not had its turn: allocate it in the stream that uses it first, or "
             "let that one wait for an event behind the allocation",
         code, 0, block->id});
  }
  if (block != nullptr && block->is_freed) {
    kernel.stop({cudaErrorIllegalAddress, trace::diagnostic_kind::use_after_free,
                 access + "of memory that was freed", code, 0, block->id});
  }
  if (block != nullptr && block->is_constant && mode != trace::access_mode::read &&
      where + bytes <= block->end()) {
    kernel.stop({cudaErrorIllegalAddress, trace::diagnostic_kind::out_of_bounds,
                 access + "of the __constant__ variable " + block->name + ", which kernels can only read",
                 code});
  }
  if (block != nullptr && !kernel.log().may_touch(*block)) {
    kernel.stop({cudaErrorIllegalAddress, trace::diagnostic_kind::no_peer_access,
                 access + "of memory of device " + std::to_string(block->device) +
                     ", which the kernel's device was given no access to (" +
                     (block->pool != 0 ? "cudaMemPoolSetAccess" : "cudaDeviceEnablePeerAccess") + ")",
                 code});
  }
  const memory_block* const before = kernel.log().block_before(where);
  if (before == nullptr || before->is_freed) {
    kernel.stop({cudaErrorIllegalAddress, trace::diagnostic_kind::out_of_bounds,
                 access + "beyond the end of an allocation", code});
  }
  kernel.stop({cudaErrorIllegalAddress, trace::diagnostic_kind::out_of_bounds,
               access + "beyond the end of an allocation of " + std::to_string(before->bytes) + " bytes",
               code, 0, before->id});
}

}  // namespace

void note_access(kernel_run& kernel, address code, address where, std::size_t bytes, trace::access_mode mode,
                 std::size_t alignment) {
  bool is_allowed = (where & (alignment - 1)) == 0;
  if (kernel.log().is_concerned(where)) {
    ++counters.accesses;
    if (mode == trace::access_mode::write) kernel.progress();
    is_allowed = is_allowed && (bytes <= 16 ? kernel.log().note(where, bytes, mode)
                                            : kernel.log().note_range(where, bytes, mode));
  } else if (!kernel.is_on_stack(where)) {
    is_allowed = is_allowed && (kernel.note_shared(where, bytes, mode, code) || kernel.owns_address(where));
    if (mode == trace::access_mode::write) kernel.progress();
    if (mode != trace::access_mode::read && kernel.is_of_program(where))
      kernel.depend_on_order("a block writes a variable of the program");
  }
  if (!is_allowed) stop_kernel(kernel, code, where, bytes, mode, alignment);
}

}  // namespace kernels
