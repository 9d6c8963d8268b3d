// cuda/thread_scope.h: the threads that an object of cuda/atomic, cuda/barrier or cuda/pipeline is for.
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

}  // namespace cuda
