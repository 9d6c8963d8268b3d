#include "virtual_gpu/kernel_run.h"

#include <link.h>

#include <algorithm>
#include <cstdlib>

#include "virtual_gpu/exported.h"
#include "virtual_gpu/include/device_language.h"

// The builtin variables of a kernel. Programs see them as constants (device_language.h); here they are set.
// The assembler names keep the two declarations apart.
namespace virtual_gpu {
EXPORTED extern uint3 thread_index asm("threadIdx");
EXPORTED extern uint3 block_index asm("blockIdx");
EXPORTED extern dim3 block_dimensions asm("blockDim");
EXPORTED extern dim3 grid_dimensions asm("gridDim");
EXPORTED extern int warp_width asm("warpSize");

uint3 thread_index;
uint3 block_index;
dim3 block_dimensions;
dim3 grid_dimensions;
int warp_width = 32;

work_counters counters;
kernel_run* kernel_run::current_ = nullptr;

namespace {

struct image_range {
  address begin = ~address{0};
  address end = 0;
};

/// The addresses of the program itself: its constants and its variables.
image_range find_program() {
  image_range result;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& range = *static_cast<image_range*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
          const address begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
          range.begin = std::min(range.begin, begin);
          range.end = std::max<address>(range.end, begin + info->dlpi_phdr[i].p_memsz);
        }
        return 1;  // the first entry is the program
      },
      &result);
  return result;
}

}  // namespace

kernel_run::kernel_run(const kernel_image& image, dim3 grid, dim3 block, std::size_t dynamic_shared_bytes,
                       const device::profile& gpu, const memory& where, fiber_pool& fibers)
    : image_(image),
      grid_(grid),
      block_(block),
      threads_(block.x * block.y * block.z),
      dynamic_shared_bytes_(dynamic_shared_bytes),
      gpu_(gpu),
      log_(where),
      fibers_(fibers),
      blocks_(std::uint64_t{grid.x} * grid.y * grid.z) {
  done_.resize(blocks_);
}

kernel_run::~kernel_run() { image_.destroy(image_.closure); }

void kernel_run::set_block(const block_run& block) const {
  block_dimensions = block_;
  grid_dimensions = grid_;
  block_index.x = static_cast<unsigned>(block.index % grid_.x);
  block_index.y = static_cast<unsigned>(block.index / grid_.x % grid_.y);
  block_index.z = static_cast<unsigned>(block.index / grid_.x / grid_.y);
}

void kernel_run::set_thread(unsigned thread) {
  thread_ = thread;
  thread_index.x = thread % block_.x;
  thread_index.y = thread / block_.x % block_.y;
  thread_index.z = thread / block_.x / block_.y;
  mark_ = counters;
  polls_ = 0;
  clock_reads_ = 0;
}

/// Adds what the running thread did since it was entered to its block.
void kernel_run::account() {
  const double blocks = static_cast<double>(counters.basic_blocks - mark_.basic_blocks);
  const double accesses = static_cast<double>(counters.accesses - mark_.accesses);
  const double latency = blocks * gpu_.basic_block_latency + accesses * gpu_.access_latency +
                         (counters.math_latency - mark_.math_latency) + (counters.spin - mark_.spin);
  const double throughput = blocks * gpu_.basic_block_throughput + accesses * gpu_.access_throughput +
                            (counters.math_throughput - mark_.math_throughput);
  running_->slowest_thread = std::max(running_->slowest_thread, latency);
  running_->work.warp_cycles += throughput / gpu_.warp_size;
  mark_ = counters;
}

/// Runs threads of the block, one after another, until none is left that has not begun.
void kernel_run::thread_loop(void* self) {
  auto& run = *static_cast<kernel_run*>(self);
  while (run.running_->next_thread < run.threads_) {
    run.set_thread(run.running_->next_thread++);
    run.image_.run_thread(run.image_.closure);
    run.account();
  }
}

/// Enters a fiber; afterwards it has ended, or is parked in the list that park() was given.
void kernel_run::run_fiber(thread_position position, fiber_is what) {
  fiber_ = std::move(position.on);
  park_in_ = nullptr;
  if (what == fiber_is::fresh) {
    fiber_->start(&thread_loop, this);
  } else {
    set_thread(position.thread);
    fiber_->enter();
  }
  if (has_faulted_ || fiber_->has_ended()) {
    fibers_.give_back(std::move(fiber_));
  } else {
    park_in_->push_back({std::move(fiber_), thread_});
  }
}

void kernel_run::park(std::vector<thread_position>& where) {
  account();
  park_in_ = &where;
  fiber::leave();
}

/// Runs the block as far as it goes. True when it has ended.
bool kernel_run::continue_block(block_run& block) {
  running_ = &block;
  set_block(block);
  for (thread_position& each : std::exchange(block.polling, {})) {
    run_fiber(std::move(each), fiber_is::parked);
    if (has_faulted_) return false;
  }
  while (!has_faulted_) {
    if (block.next_thread < threads_) {
      run_fiber({fibers_.take(), 0}, fiber_is::fresh);
    } else if (!block.polling.empty()) {
      return false;
    } else if (!block.at_barrier.empty()) {
      block.latency_cycles += std::exchange(block.slowest_thread, 0);
      for (thread_position& each : std::exchange(block.at_barrier, {})) {
        run_fiber(std::move(each), fiber_is::parked);
        if (has_faulted_) return false;
      }
    } else {
      block.work.latency_cycles = block.latency_cycles + block.slowest_thread;
      return true;
    }
  }
  return false;
}

kernel_state kernel_run::run() {
  kernel_run* const outer = std::exchange(current_, this);
  const auto finish_block = [this](block_run& block) {
    done_[block.index] = block.work;
    spare_shared_ = std::move(block.shared_memory);
  };
  for (auto block = open_.begin(); block != open_.end() && !has_faulted_;) {
    if (continue_block(*block)) {
      finish_block(*block);
      block = open_.erase(block);
    } else {
      ++block;
    }
  }
  while (next_block_ < blocks_ && !has_faulted_) {
    block_run& block = open_.emplace_back();
    block.index = next_block_++;
    block.shared_memory = std::move(spare_shared_);
    if (continue_block(block)) {
      finish_block(block);
      open_.pop_back();
    }
  }
  running_ = nullptr;
  current_ = outer;
  if (has_faulted_) return kernel_state::faulted;
  if (open_.empty()) return kernel_state::finished;
  has_waited_ = true;
  return kernel_state::waiting;
}

device::kernel_work kernel_run::work() const { return {done_, log_.touched_bytes()}; }

void kernel_run::barrier() { park(running_->at_barrier); }

void kernel_run::poll() {
  if (++polls_ < polls_most) return;
  park(running_->polling);
}

void kernel_run::stop(kernel_fault why) {
  has_faulted_ = true;
  fault_ = std::move(why);
  fiber::leave();
  std::abort();  // a stopped kernel is never entered again
}

long long kernel_run::clock() {
  // A loop that waits for the clock would take many rounds of a few cycles: each further read in a row takes
  // longer, by a sixty-fourth of what the thread has waited, so that the error stays below 1.6 %.
  const double waited = counters.spin - mark_.spin;
  counters.spin += std::max(gpu_.basic_block_latency, ++clock_reads_ > 64 ? waited / 64 : 0);
  const double blocks =
      static_cast<double>(counters.basic_blocks - mark_.basic_blocks) * gpu_.basic_block_latency;
  return static_cast<long long>(running_->latency_cycles + blocks + (counters.spin - mark_.spin));
}

void* kernel_run::shared_object(const void* key, std::size_t bytes, std::size_t alignment) {
  block_run& block = *running_;
  if (!block.shared_memory) block.shared_memory = std::make_unique<unsigned char[]>(shared_memory_most);
  for (const auto& [known, offset] : block.shared_objects) {
    if (known == key) return block.shared_memory.get() + offset;
  }
  if (block.shared_bytes == 0) block.shared_bytes = (dynamic_shared_bytes_ + 15) / 16 * 16;
  const std::size_t offset = (block.shared_bytes + alignment - 1) / alignment * alignment;
  if (offset + bytes > static_cast<std::size_t>(gpu_.shared_memory_per_block) ||
      offset + bytes > shared_memory_most) {
    stop({cudaErrorLaunchOutOfResources, "too_much_shared_memory",
          "the kernel's shared memory does not fit the device's limit for one block", 0});
  }
  block.shared_objects.emplace_back(key, offset);
  block.shared_bytes = offset + bytes;
  return block.shared_memory.get() + offset;
}

void* kernel_run::dynamic_shared() {
  block_run& block = *running_;
  if (!block.shared_memory) block.shared_memory = std::make_unique<unsigned char[]>(shared_memory_most);
  return block.shared_memory.get();
}

bool kernel_run::owns_address(address where) const {
  static const image_range program = find_program();
  if (fiber_->owns_address(where)) return true;
  const auto in = [where](const void* begin, std::size_t bytes) {
    return where - reinterpret_cast<address>(begin) < bytes;
  };
  if (in(image_.closure, image_.closure_bytes)) return true;
  if (running_->shared_memory && in(running_->shared_memory.get(), shared_memory_most)) return true;
  return where >= program.begin && where < program.end;
}

}  // namespace virtual_gpu
