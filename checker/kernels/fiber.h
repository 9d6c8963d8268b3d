// fiber.h: a stack that can be left and entered again: how a thread of a kernel waits without a thread of the
// system.
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

/// One stack and where its function is. The virtual GPU runs one fiber at a time, and fibers start fibers.
class fiber {
 public:
  static constexpr std::size_t stack_bytes =
      128 << 10;  ///< chosen: room for a kernel's frames; beyond it the guard page is hit

  /// Reserves a stack with a guard page below it; throws std::system_error when the system refuses.
  fiber();
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  /// What runs on a fiber.
  using entry = void (*)(void*);
  /// Begins `function(argument)` on this fiber's stack. Returns when it ends or leaves. A fiber that was left
  /// for good may be started anew: what was on its stack is forgotten, without destructors.
  void start(entry function, void* argument);
  /// Goes on where the fiber left.
  void enter();
  /// Called on a fiber: goes back to whoever started or entered it.
  static void leave();
  /// The fiber that is running, or nullptr on the ordinary stack.
  static fiber* current();
  /// True before start(), and after its function returned.
  bool has_ended() const { return has_ended_; }
  /// Whether the address lies on this fiber's stack.
  bool owns_address(std::uintptr_t where) const { return where - stack_ < stack_bytes; }

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
  // What the address sanitizer wants to be told at each switch; unused without it.
  void* fake_stack_ = nullptr;  // of the fiber while it is left
  void* callers_fake_stack_ = nullptr;
  const void* callers_stack_ = nullptr;
  std::size_t callers_stack_bytes_ = 0;
};

/// Fibers that are not in use, kept for the next kernel.
class fiber_pool {
 public:
  /// So many are out at once. Chosen: each takes two mappings of memory, of which Linux lets a process have
  /// 65530 by default (vm.max_map_count).
  static constexpr std::size_t max_fibers = 30'000;

  /// One of them, or a new one; nullptr when all that there may be are out. Throws std::system_error when the
  /// system refuses a stack.
  std::unique_ptr<fiber> take();
  /// Keeps a fiber that ended or was left for good: every one that was taken comes back.
  void give_back(std::unique_ptr<fiber> used) { free_.push_back(std::move(used)); }

 private:
  std::vector<std::unique_ptr<fiber>> free_;
  std::size_t made_ = 0;
};

}  // namespace kernels
