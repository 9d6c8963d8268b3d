// What a kernel_run does in copies of the process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <random>
#include <set>

#include "kernels/kernel_access.h"
#include "kernels/running_kernel.h"

namespace kernels {
namespace {

using ::testing::HasSubstr;

/// Numbers in device memory, which threads use as compiled code would.
struct device_numbers {
  device_numbers(memory& all, std::size_t count)
      : begin(
            reinterpret_cast<std::uint32_t*>(all.allocate(trace::memory_kind::device, 4 * count, 0)->begin)) {
    std::iota(begin, begin + count, 1000);
  }
  std::uint32_t read(kernel_run& kernel, std::size_t index) {
    note_access(kernel, 0, address_of(begin + index), 4, trace::access_mode::read, 4);
    return begin[index];
  }
  void write(kernel_run& kernel, std::size_t index, std::uint32_t value) {
    note_access(kernel, 0, address_of(begin + index), 4, trace::access_mode::write, 4);
    begin[index] = value;
  }
  void add(kernel_run& kernel, std::size_t index, std::uint32_t value) {
    note_access(kernel, 0, address_of(begin + index), 4, trace::access_mode::atomic, 4);
    begin[index] += value;
    kernel.progress();
  }
  std::uint32_t* begin;
};

std::size_t number_of(kernel_run& kernel) {
  return kernel.running_block_index().x * 2 + thread_number(kernel);
}

/// All blocks of a round but the first in copies of the process.
trace::block_sharing always(unsigned processes) { return {processes, trace::nanoseconds(0), {}}; }

/// What a kernel did wrong that shuffles among 20 lanes, as a lane that takes no part gives something to each lane above 3.
std::vector<kernel_fault> misuses_of_partial_warp(address code, bool is_used) {
  running_kernel it(2, 20, {});
  device_numbers out(it.all, 40);
  it.body = [&](kernel_run& kernel) {
    const unsigned lane = thread_number(kernel);
    warp_arrival arrival{"__shfl_down_sync", 0xffffffff, lane, code, {}};
    kernel.meet(arrival);
    const bool takes_part = (arrival.all.lanes >> (lane + 16) & 1) != 0;
    const std::uint64_t got =
        takes_part ? arrival.all.values[lane + 16] : kernel.undefined_value(arrival, lane + 16);
    if (is_used || takes_part) out.write(kernel, lane, static_cast<std::uint32_t>(got));
  };
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  EXPECT_FALSE(process_copy::is_copy());
  return it.run.misuses();
}

TEST(KernelRunCopies, AnUndefinedValueThatGetsIntoMemoryIsMisuse) {
  const std::vector<kernel_fault> misuses = misuses_of_partial_warp(501, true);
  ASSERT_EQ(misuses.size(), 1u);
  EXPECT_EQ(misuses[0].code, 501u);
  EXPECT_THAT(misuses[0].message,
              HasSubstr("reads the value of lane 20 at __shfl_down_sync(), which takes no part in it"));
}

TEST(KernelRunCopies, AnUndefinedValueThatIsNotUsedIsNone) {
  EXPECT_THAT(misuses_of_partial_warp(502, false), testing::IsEmpty());
}

TEST(KernelRunCopies, SharesBlocksAmongProcesses) {
  running_kernel it(16, 2, {});
  device_numbers numbers(it.all, 32);
  it.body = [&](kernel_run& kernel) {
    numbers.write(kernel, number_of(kernel), static_cast<std::uint32_t>(getpid()));
  };
  it.run.share_blocks(always(4));
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  EXPECT_EQ(std::set<std::uint32_t>(numbers.begin, numbers.begin + 32).size(),
            13u);  // 3 copies in each of 4 rounds
  const std::vector<trace::access> accesses = it.run.log().harvest();
  ASSERT_EQ(accesses.size(), 1u);
  EXPECT_EQ(accesses[0].bytes, trace::byte_set::from_runs({{0, 128, 128, 1}}));
}

TEST(KernelRunCopies, BlocksThatReadWhatEarlierOnesWriteRunInOrder) {
  running_kernel it(16, 2, {});
  device_numbers numbers(it.all, 40);
  it.body = [&](kernel_run& kernel) {
    const std::size_t own = number_of(kernel);
    numbers.write(kernel, own + 2, numbers.read(kernel, own) + 1);
  };
  it.run.share_blocks(always(4));
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  EXPECT_EQ(numbers.begin[32], 1000u + 16);
  EXPECT_EQ(numbers.begin[33], 1001u + 16);
}

int counted = 0;

/// Whether this process has run all 8 blocks of a kernel with that body.
bool has_run_in_order(std::function<void(kernel_run&)> body) {
  counted = 0;
  running_kernel it(8, 1, [body](kernel_run& kernel) {
    body(kernel);
    ++counted;  // no access of the kernel, so a block that a copy ran would be missing
  });
  device_heap heap(it.all, 0);
  it.run.use_heap(heap, 1 << 20);
  it.run.share_blocks(always(2));
  it.run.run();
  return counted == 8;
}

TEST(KernelRunCopies, BlocksThatDoMoreThanTheLogHoldsRunInOrder) {
  EXPECT_FALSE(has_run_in_order([](kernel_run&) {}));
  EXPECT_TRUE(has_run_in_order([](kernel_run& kernel) {
    note_access(kernel, 0, address_of(&counted), 4, trace::access_mode::write, 4);
  }));
  EXPECT_TRUE(has_run_in_order([](kernel_run& kernel) { kernel.print("printed"); }));
  EXPECT_TRUE(has_run_in_order([](kernel_run& kernel) { kernel.release(kernel.allocate(16), "free()", 0); }));
  EXPECT_TRUE(has_run_in_order([](kernel_run&) {
    if (process_copy::is_copy()) std::exit(0);
  }));
}

/// What the log says of a kernel of so many blocks with that body.
std::string logged(unsigned blocks, std::function<void(kernel_run&)> body,
                   trace::block_sharing sharing = always(2)) {
  const std::string file = testing::TempDir() + "sharing_log." + std::to_string(getpid());
  running_kernel it(blocks, 1, std::move(body));
  device_heap heap(it.all, 0);
  it.run.use_heap(heap, 1 << 20);
  sharing.log = file;
  it.run.share_blocks(sharing);
  it.run.run();
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  std::filesystem::remove(file);
  return line.substr(line.find('\t') + 1);
}

TEST(KernelRunCopies, LogsWhyBlocksRanInOrder) {
  EXPECT_EQ(logged(8, [](kernel_run&) {}), "parallel\t");
  EXPECT_EQ(logged(1, [](kernel_run&) {}), "in order\tit is one block");
  EXPECT_EQ(logged(
                8, [](kernel_run&) {}, always(1)),
            "in order\tthere is one core for it");
  EXPECT_EQ(logged(8, [](kernel_run&) {}, {2, std::chrono::hours(1), {}}), "in order\tit is short");
  EXPECT_EQ(logged(8, [](kernel_run& kernel) { kernel.print("printed"); }), "in order\ta block prints");
  EXPECT_EQ(logged(8, [](kernel_run& kernel) { kernel.allocate(16); }), "in order\ta block allocates memory");
  EXPECT_EQ(logged(8,
                   [](kernel_run& kernel) {
                     if (kernel.running_block_index().x == 5) kernel.print("later");
                   }),
            "parallel\ta block prints");
}

TEST(KernelRunCopies, AFaultOfALaterBlockIsFoundInOrder) {
  running_kernel it(8, 2, [](kernel_run& kernel) {
    if (kernel.running_block_index().x >= 3)
      kernel.stop({1, trace::diagnostic_kind::out_of_bounds, kernel.running_thread_in_words(), 0});
  });
  it.run.share_blocks(always(4));
  EXPECT_EQ(it.run.run(), kernel_state::faulted);
  EXPECT_EQ(it.run.fault().message, "thread (0,0,0) of block (3,0,0)");
}

/// What a kernel leaves behind.
struct trail {
  kernel_state state;
  bool has_waited, shows_writes;
  std::vector<std::uint32_t> numbers;
  std::vector<trace::access> accesses;
  std::vector<double> work;
  std::vector<std::string> printed;
  bool operator==(const trail&) const = default;
};

/// Threads that do a few random things, which depend on the seed and on who they are.
trail random_kernel(unsigned seed, unsigned processes) {
  std::mt19937 random(seed);
  const unsigned blocks = 1 + random() % 12;
  // How far from its own numbers a thread reads and writes: most kernels stay near, so that there is something to share.
  const unsigned reach = random() % 3 == 0 ? 64 : 1;
  const bool has_others = random() % 4 == 0;  // prints, polls, faults
  running_kernel it(blocks, 2, {});
  device_numbers in(it.all, 96), out(it.all, 96);
  it.body = [&](kernel_run& kernel) {
    const std::size_t own = number_of(kernel);
    std::mt19937 choice(seed * 1000 + static_cast<unsigned>(own));
    for (int i = 0; i < 4; ++i) {
      const std::size_t near = own + choice() % reach;
      counters.basic_blocks += choice() % 3;
      counters.math_throughput += 0.1 * (choice() % 7);
      switch (choice() % (has_others ? 9 : 6)) {
        case 0:
          out.write(kernel, near, in.read(kernel, near) + 1);
          break;
        case 1:
          out.write(kernel, own, out.read(kernel, near) + in.read(kernel, own));
          break;
        case 2:
          out.write(kernel, own, static_cast<std::uint32_t>(kernel.clock()));
          break;
        case 3:
          if (reach > 1) out.add(kernel, near, 3);
          break;
        case 4:
          kernel.show_writes();
          break;
        case 5:
          wait_at_barrier(kernel);
          break;
        case 6:
          kernel.print(std::to_string(out.read(kernel, near)));
          break;
        case 7:
          for (int poll = 0; poll < 300 && out.read(kernel, near) == 1000 + near; ++poll)
            kernel.poll(address_of(out.begin + near), 0);
          break;
        case 8:
          if (choice() % 40 == 0)
            kernel.stop({1, trace::diagnostic_kind::out_of_bounds, std::to_string(own), 0});
          break;
      }
    }
  };
  it.run.share_blocks(always(processes));
  trail left{it.run.run(), it.run.has_waited(),  it.run.shows_writes(), {out.begin, out.begin + 96}, {},
             {},           it.run.take_printed()};
  if (left.state == kernel_state::finished) {
    for (const device::block_work& work : it.run.work().blocks)
      left.work.insert(left.work.end(), {work.warp_cycles, work.latency_cycles});
  }
  left.accesses = it.run.log().harvest();
  return left;
}

TEST(KernelRunCopies, ManyProcessesLeaveTheSameBehindAsOne) {
  const char* const asked = std::getenv("STREAMLINGS_RANDOM_KERNELS");  // checker/tools/same_with_workers.sh
  const unsigned count = asked != nullptr ? static_cast<unsigned>(std::atoi(asked)) : 200;
  for (unsigned seed = 0; seed < count; ++seed) {
    const trail alone = random_kernel(seed, 1);
    EXPECT_EQ(random_kernel(seed, 2), alone) << "seed " << seed;
    EXPECT_EQ(random_kernel(seed, 4), alone) << "seed " << seed;
  }
}

}  // namespace
}  // namespace kernels
