#include "kernels/fiber.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#if defined(__has_feature)
#define VIRTUAL_GPU_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define VIRTUAL_GPU_ADDRESS_SANITIZER 1
#else
#define VIRTUAL_GPU_ADDRESS_SANITIZER 0
#endif
#if VIRTUAL_GPU_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// void virtual_gpu_switch(void** save, void* to): leaves the current stack, with the registers that a called
// function must preserve pushed on it, and goes on at the stack pointer `to`. System V ABI for x86-64.
asm(R"(
.text
.globl virtual_gpu_switch
.hidden virtual_gpu_switch
.type virtual_gpu_switch, @function
virtual_gpu_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size virtual_gpu_switch, .-virtual_gpu_switch
)");
extern "C" void virtual_gpu_switch(void** save, void* to);

namespace kernels {
namespace {

fiber* running = nullptr;

}  // namespace

fiber::fiber() {
  void* const got = mmap(nullptr, stack_bytes + 2 * guard_bytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (got == MAP_FAILED)
    throw std::system_error(errno, std::generic_category(), "cannot make a stack for a kernel");
  stack_ = reinterpret_cast<std::uintptr_t>(got) + guard_bytes;
  if (mprotect(reinterpret_cast<void*>(stack_), stack_bytes, PROT_READ | PROT_WRITE) != 0) {
    const int error = errno;
    munmap(got, stack_bytes + 2 * guard_bytes);
    throw std::system_error(error, std::generic_category(), "cannot make a stack for a kernel");
  }
}

fiber::~fiber() { munmap(reinterpret_cast<void*>(stack_ - guard_bytes), stack_bytes + 2 * guard_bytes); }

fiber* fiber::current() { return running; }

#if VIRTUAL_GPU_ADDRESS_SANITIZER
void fiber::announce_entry() {
  __sanitizer_start_switch_fiber(&callers_fake_stack_, reinterpret_cast<void*>(stack_), stack_bytes);
}
void fiber::confirm_return() const { __sanitizer_finish_switch_fiber(callers_fake_stack_, nullptr, nullptr); }
void fiber::announce_leave() {
  __sanitizer_start_switch_fiber(has_ended_ ? nullptr : &fake_stack_, callers_stack_, callers_stack_bytes_);
}
void fiber::confirm_entry() {
  __sanitizer_finish_switch_fiber(fake_stack_, &callers_stack_, &callers_stack_bytes_);
}
#else
void fiber::announce_entry() {}
void fiber::confirm_return() const {}
void fiber::announce_leave() {}
void fiber::confirm_entry() {}
#endif

void fiber::begin() {
  running->confirm_entry();
  running->function_(running->argument_);
  running->has_ended_ = true;
  leave();
  std::abort();  // an ended fiber is never entered
}

void fiber::start(entry function, void* argument) {
  function_ = function;
  argument_ = argument;
  has_ended_ = false;
  fake_stack_ = nullptr;
#if VIRTUAL_GPU_ADDRESS_SANITIZER
  // What a fiber that was left for good had on its stack is no concern any more.
  __asan_unpoison_memory_region(reinterpret_cast<void*>(stack_), stack_bytes);
#endif
  // What virtual_gpu_switch pops: six registers and the address to go to. At that address the stack is as
  // after a call.
  auto* top = reinterpret_cast<void**>((stack_ + stack_bytes) & ~std::uintptr_t{15});
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(&fiber::begin);
  for (int i = 0; i < 6; ++i) *--top = nullptr;
  saved_ = top;
  enter();
}

void fiber::enter() {
  entered_from_ = std::exchange(running, this);
  announce_entry();
  virtual_gpu_switch(&caller_, saved_);
  confirm_return();
}

void fiber::leave() {
  fiber* const self = running;
  running = self->entered_from_;
  self->announce_leave();
  virtual_gpu_switch(&self->saved_, self->caller_);
  self->confirm_entry();
}

std::unique_ptr<fiber> fiber_pool::take() {
  if (free_.empty()) {
    if (made_ == max_fibers) return nullptr;
    ++made_;
    return std::make_unique<fiber>();
  }
  std::unique_ptr<fiber> taken = std::move(free_.back());
  free_.pop_back();
  return taken;
}

}  // namespace kernels
