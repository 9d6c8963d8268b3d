#include "virtual_gpu/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

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

namespace virtual_gpu {
namespace {

fiber* running = nullptr;

std::size_t guard_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

fiber::fiber() {
  void* const got = mmap(nullptr, stack_bytes + guard_bytes(), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (got == MAP_FAILED)
    throw std::system_error(errno, std::generic_category(), "cannot make a stack for a kernel");
  mprotect(got, guard_bytes(), PROT_NONE);
  stack_ = reinterpret_cast<std::uintptr_t>(got) + guard_bytes();
}

fiber::~fiber() { munmap(reinterpret_cast<void*>(stack_ - guard_bytes()), stack_bytes + guard_bytes()); }

fiber* fiber::current() { return running; }

void fiber::begin() {
  running->function_(running->argument_);
  running->has_ended_ = true;
  leave();
  std::abort();  // an ended fiber is never entered
}

void fiber::start(entry function, void* argument) {
  function_ = function;
  argument_ = argument;
  has_ended_ = false;
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
  virtual_gpu_switch(&caller_, saved_);
}

void fiber::leave() {
  fiber* const self = running;
  running = self->entered_from_;
  virtual_gpu_switch(&self->saved_, self->caller_);
}

std::unique_ptr<fiber> fiber_pool::take() {
  if (free_.empty()) return std::make_unique<fiber>();
  std::unique_ptr<fiber> taken = std::move(free_.back());
  free_.pop_back();
  return taken;
}

}  // namespace virtual_gpu
