// fiber.h: a stack that can be left and resumed, so that a thread of a kernel waits without a system thread.
//
//     fiber* worker = pool.take();
//     worker->start(run_threads, &block);   // returns when run_threads returns or calls fiber::leave()
//     if (!worker->has_ended()) worker->enter();
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace kernels {

/// One stack and the state of its function. One fiber runs at a time; fibers can start fibers.
class fiber {
 public:
  static constexpr std::size_t stack_bytes =
      128 << 10;  ///< chosen: room for a kernel's frames; beyond it the guard is hit

  /// Chosen: addresses that are no memory, below the stack and above it, so that an index beyond a local array by up to
  /// 250 000 numbers is found. They take no memory, and those of neighbours are one mapping.
  static constexpr std::size_t guard_bytes = 1 << 20;

  /// Reserves a stack between two guards; throws std::system_error when the system refuses.
  fiber();
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  /// What runs on a fiber.
  using entry = void (*)(void*);
  /// Starts `function(argument)` on this fiber's stack. Returns when it ends or leaves. An abandoned fiber can be
  /// started again; objects on its stack are not destroyed.
  void start(entry function, void* argument);
  /// Resumes the fiber where it left.
  void enter();
  /// Called on a fiber: returns to its starter or resumer.
  static void leave();
  /// The fiber that is running, or nullptr on the ordinary stack.
  static fiber* current();
  /// True before start(), and after its function returned.
  bool has_ended() const { return has_ended_; }
  /// The lowest address of its stack.
  std::uintptr_t stack() const { return stack_; }
  /// Whether the address lies on this fiber's stack.
  bool owns_address(std::uintptr_t where) const { return where - stack_ < stack_bytes; }
  /// Whether the address lies below the stack, where it would grow to.
  bool is_just_below(std::uintptr_t where) const { return stack_ - 1 - where < guard_bytes; }

 private:
  static void begin();
  void announce_entry();
  void confirm_return() const;
  void announce_leave();
  void confirm_entry();

  std::uintptr_t stack_ = 0;       // lowest usable address
  void* saved_ = nullptr;          // its stack pointer while it is left
  void* caller_ = nullptr;         // the stack pointer of whoever entered it
  fiber* entered_from_ = nullptr;  // the fiber that entered this one
  entry function_ = nullptr;
  void* argument_ = nullptr;
  bool has_ended_ = true;
  // For the address sanitizer; unused without it.
  void* fake_stack_ = nullptr;  // of the fiber while it is left
  void* callers_fake_stack_ = nullptr;
  const void* callers_stack_ = nullptr;
  std::size_t callers_stack_bytes_ = 0;
};

/// Unused fibers, kept for the next kernel.
class fiber_pool {
 public:
  /// Maximum in use. Chosen: each takes two memory mappings, and Linux allows 65530 a process by default
  /// (vm.max_map_count).
  static constexpr std::size_t max_fibers = 30'000;

  /// An unused or new fiber; nullptr at the maximum. Throws std::system_error when the system refuses a stack.
  std::unique_ptr<fiber> take();
  /// Returns a fiber that has ended or was abandoned. Each taken fiber must come back.
  void give_back(std::unique_ptr<fiber> used) { free_.push_back(std::move(used)); }

 private:
  std::vector<std::unique_ptr<fiber>> free_;
  std::size_t made_ = 0;
};

}  // namespace kernels
