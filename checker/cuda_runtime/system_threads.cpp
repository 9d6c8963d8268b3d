#include "cuda_runtime/system_threads.h"

#include <dlfcn.h>
#include <pthread.h>

namespace cuda_runtime {

bool start_system_thread(void* (*function)(void*), void* argument) {
  // The C library's own: the name alone means ours (interposition/interposed.cpp).
  static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  pthread_t thread;
  if (create(&thread, nullptr, function, argument) != 0) return false;
  pthread_detach(thread);
  return true;
}

}  // namespace cuda_runtime
