#include "kernels/kernel_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "kernels/kernel_access.h"
#include "kernels/running_kernel.h"

extern "C" [[noreturn]] void __stack_chk_fail();

namespace kernels {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr address poll_address = 0x1234;

TEST(KernelRun, RunsEveryThreadOfEveryBlockInOrder) {
  std::vector<unsigned> results;
  running_kernel it(dim3(2, 2), dim3(2), [&](kernel_run& kernel) {
    const dim3 block = kernel.running_block_index();
    results.push_back(100 * block.y + 10 * block.x + thread_number(kernel));
  });
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  EXPECT_THAT(results, ElementsAre(0, 1, 10, 11, 100, 101, 110, 111));
}

TEST(KernelRun, ABarrierHoldsUntilAllThreadsAreThere) {
  std::vector<int> results;
  running_kernel it(1, 3, [&](kernel_run& kernel) {
    results.push_back(1);
    wait_at_barrier(kernel);
    results.push_back(2);
  });
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  EXPECT_THAT(results, ElementsAre(1, 1, 1, 2, 2, 2));
}

TEST(KernelRun, ABarrierObjectHoldsUntilItsArrivalsAreThere) {
  static const char key = 0;
  std::vector<int> results;
  running_kernel it(2, 3, [&](kernel_run& kernel) {
    const address barrier = address_of(kernel.shared_object(&key, 8, 8));
    if (thread_number(kernel) == 0) kernel.make_barrier(barrier, 3, 1);
    results.push_back(1);
    const std::uint64_t phase = kernel.arrive(barrier, 1, arrival_use::goes_on, 1);
    if (thread_number(kernel) == 0) return;
    kernel.wait_for_phase(barrier, phase, 1);
    results.push_back(2);
  });
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  EXPECT_THAT(results, ElementsAre(1, 1, 1, 2, 2, 1, 1, 1, 2, 2));
}

TEST(KernelRun, ArrivalsThatNobodyCanMakeAreADeadlock) {
  static const char key = 0;
  running_kernel it(1, 3, [&](kernel_run& kernel) {
    const address barrier = address_of(kernel.shared_object(&key, 8, 8));
    if (thread_number(kernel) == 0) kernel.make_barrier(barrier, 3, 1);
    if (thread_number(kernel) == 2) wait_at_barrier(kernel);
    kernel.wait_for_phase(barrier, kernel.arrive(barrier, 1, arrival_use::waits, 1), 7);
  });
  EXPECT_EQ(it.run.run(), kernel_state::faulted);
  EXPECT_EQ(it.run.fault().kind, trace::diagnostic_kind::deadlock);
  EXPECT_EQ(it.run.fault().code, 7U);
  EXPECT_THAT(it.run.fault().message, HasSubstr("for 1 more arrivals"));
}

TEST(KernelRun, ABarrierObjectThatNobodyMadeIsAFault) {
  static const char key = 0;
  running_kernel it(1, 1, [&](kernel_run& kernel) {
    kernel.arrive(address_of(kernel.shared_object(&key, 8, 8)), 1, arrival_use::waits, 1);
  });
  EXPECT_EQ(it.run.run(), kernel_state::faulted);
  EXPECT_THAT(it.run.fault().message, HasSubstr("that nobody has made"));
}

TEST(KernelRun, SharedMemoryEndsWithEachVariable) {
  static const char one = 0, other = 0;
  running_kernel it(1, 1, [&](kernel_run& kernel) {
    const address first = address_of(kernel.shared_object(&one, 64, 4));
    const address second = address_of(kernel.shared_object(&other, 64, 4));
    EXPECT_TRUE(kernel.owns_address(first + 63));
    EXPECT_FALSE(kernel.owns_address(first + 64));
    EXPECT_TRUE(kernel.owns_address(second));
    EXPECT_FALSE(kernel.owns_address(second + 64));
    EXPECT_TRUE(kernel.is_near_shared(second + 64));
    EXPECT_FALSE(kernel.owns_address(address_of(kernel.dynamic_shared())));  // the launch asked for none
  });
  EXPECT_EQ(it.run.run(), kernel_state::finished);
}

TEST(KernelRun, GapsBetweenSharedVariablesTakeNothingFromTheLimit) {
  static const char keys[1024] = {};
  int found = 0;
  running_kernel it(1, 1, [&](kernel_run& kernel) {
    for (const char& key : keys) {
      kernel.shared_object(&key, 48, 4);
      ++found;
    }
  });
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  EXPECT_EQ(found, 1024);
}

TEST(KernelRun, AThreadThatIsStoppedLetsTheOthersEnd) {
  std::vector<unsigned> ended;
  running_kernel it(1, 4, [&](kernel_run& kernel) {
    const unsigned thread = thread_number(kernel);
    if (thread == 1 || thread == 2)
      kernel.stop_thread({1, trace::diagnostic_kind::assertion, "thread " + std::to_string(thread), 0});
    wait_at_barrier(kernel);
    ended.push_back(thread);
  });
  EXPECT_EQ(it.run.run(), kernel_state::faulted);
  EXPECT_EQ(it.run.fault().message, "thread 1");
  EXPECT_THAT(ended, ElementsAre(0, 3));
}

TEST(KernelRun, AnIndexBeforeTheFirstAllocationIsToldAsThat) {
  running_kernel it(1, 1, {});
  const memory_block& first = *it.all.allocate(trace::memory_kind::device, 1024, 0);
  it.body = [&](kernel_run& kernel) {
    note_access(kernel, 0, first.begin - 4, 4, trace::access_mode::read, 4);
  };
  EXPECT_EQ(it.run.run(), kernel_state::faulted);
  EXPECT_EQ(it.run.fault().kind, trace::diagnostic_kind::out_of_bounds);
  EXPECT_THAT(it.run.fault().message, HasSubstr("before the beginning of an allocation of 1024 bytes"));
}

#if !defined(__SANITIZE_ADDRESS__)  // which handles crashes itself
TEST(KernelRun, AnAddressThatIsNoMemoryIsAFaultOfTheKernel) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    running_kernel it(1, 4, [&](kernel_run& kernel) {
      if (thread_number(kernel) == 2) *reinterpret_cast<volatile int*>(poll_address) = 1;
    });
    EXPECT_EQ(it.run.run(), kernel_state::faulted);
    EXPECT_THAT(it.run.fault().message,
                HasSubstr("thread (2,0,0) of block (0,0,0) used an address that is no memory"));
    EXPECT_NE(it.run.fault().code, 0u);
  }
}

TEST(KernelRun, AnIndexFarBeyondALocalArrayIsAFaultOfTheKernel) {
  for (const int far : {20'000, 200'000, -200'000}) {
    running_kernel it(1, 1, [far](kernel_run&) {
      [[maybe_unused]] volatile int local[8] = {};
      const volatile int index = far;
      local[index] = 1;
    });
    EXPECT_EQ(it.run.run(), kernel_state::faulted);
    EXPECT_THAT(it.run.fault().message, HasSubstr("local array"));
  }
}
#endif

TEST(KernelRun, AChangedStackGuardIsAFaultOfTheKernel) {
  running_kernel it(1, 2, [](kernel_run&) { __stack_chk_fail(); });
  EXPECT_EQ(it.run.run(), kernel_state::faulted);
  EXPECT_THAT(it.run.fault().message,
              HasSubstr("thread (0,0,0) of block (0,0,0) wrote beyond the end of a local array"));
}

TEST(KernelRun, ABarrierCountsPredicates) {
  std::vector<unsigned> results;
  running_kernel it(1, 3, [&](kernel_run& kernel) {
    barrier_arrival arrival{"__syncthreads_count", thread_number(kernel) != 1};
    kernel.wait_at_barrier(arrival);
    results.push_back(10 * arrival.count + arrival.true_count);
  });
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  EXPECT_THAT(results, ElementsAre(32, 32, 32));
}

TEST(KernelRun, DifferentBarriersAtOnceAreAFault) {
  running_kernel it(1, 2, [](kernel_run& kernel) {
    barrier_arrival arrival{thread_number(kernel) == 0 ? "__syncthreads" : "__syncthreads_or", false, 77};
    kernel.wait_at_barrier(arrival);
  });
  EXPECT_EQ(it.run.run(), kernel_state::faulted);
  EXPECT_EQ(it.run.fault().kind, trace::diagnostic_kind::barrier_mismatch);
  EXPECT_EQ(it.run.fault().code, 77u);
}

TEST(KernelRun, BarriersOfDifferentLinesAreMisuseThatIsNotedOnceForEachPairOfPlaces) {
  running_kernel it(2, 3, [](kernel_run& kernel) {
    const unsigned thread = thread_number(kernel);
    // Of the second line there are two copies.
    barrier_arrival arrival{"__syncthreads", false, 77 + thread, thread == 0 ? 1 : 2};
    kernel.wait_at_barrier(arrival);
    barrier_arrival of_one_line{"__syncthreads", false, 80 + thread, 3};
    kernel.wait_at_barrier(of_one_line);
  });
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  ASSERT_EQ(it.run.misuses().size(), 2u);
  EXPECT_EQ(it.run.misuses()[0].kind, trace::diagnostic_kind::barrier_mismatch);
  EXPECT_EQ(it.run.misuses()[0].code, 78u);
  EXPECT_EQ(it.run.misuses()[0].earlier_code, 77u);
}

TEST(KernelRun, OfARaceWithAnAsynchronousCopyTheWaitForItIsTheCure) {
  static const char key = 0;
  running_kernel it(1, 2, [](kernel_run& kernel) {
    auto* const shared = static_cast<char*>(kernel.shared_object(&key, 64, 4));
    if (thread_number(kernel) == 0) {
      kernel.make({{shared, shared + 32, 4, 0, 4, 5}});
    } else {
      kernel.note_shared(address_of(shared), 4, trace::access_mode::read, 6);
    }
  });
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  ASSERT_EQ(it.run.misuses().size(), 1u);
  EXPECT_THAT(it.run.misuses()[0].message,
              HasSubstr("an asynchronous copy is made at any time until the wait for it"));
}

TEST(KernelRun, ThreadsThatWaitForEachOtherAtDifferentThingsAreAFault) {
  running_kernel it(1, 2, [](kernel_run& kernel) {
    if (thread_number(kernel) == 0) return wait_at_barrier(kernel);
    warp_arrival arrival{"__syncwarp", 0b11, 0, 99, {}};
    kernel.meet(arrival);
  });
  EXPECT_EQ(it.run.run(), kernel_state::faulted);
  EXPECT_EQ(it.run.fault().kind, trace::diagnostic_kind::deadlock);
  EXPECT_EQ(it.run.fault().code, 99u);
  EXPECT_THAT(it.run.fault().message,
              HasSubstr("thread (1,0,0) of block (0,0,0) waits at __syncwarp() for lane 0"));
}

TEST(KernelRun, TheValueOfALaneThatHasEndedIsMisuse) {
  running_kernel it(1, 4, [](kernel_run& kernel) {
    if (thread_number(kernel) >= 2) return;
    for (int round = 0; round < 2; ++round) {
      warp_arrival arrival{"__shfl_sync", 0xffffffff, 0, 99, {}};
      kernel.meet(arrival);
      kernel.read_from_lane(arrival, 3);
    }
    warp_arrival of_pair{"__shfl_sync", 0b11, 0, 98, {}};
    kernel.meet(of_pair);
    for (const unsigned lane : {0, 1, 3, 8}) kernel.read_from_lane(of_pair, lane);
  });
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  ASSERT_EQ(it.run.misuses().size(), 1u);
  EXPECT_EQ(it.run.misuses()[0].code, 99u);
  EXPECT_THAT(
      it.run.misuses()[0].message,
      HasSubstr(
          "of block (0,0,0) reads the value of lane 3 at __shfl_sync(), but lanes 2 to 3 of its warp, which "
          "its mask names, have ended without coming to it"));
}

TEST(KernelRun, AThreadThatEndsLetsItsWarpGoOn) {
  lane_mask results = 0;
  running_kernel it(1, 2, [&](kernel_run& kernel) {
    if (thread_number(kernel) == 1) return;
    warp_arrival arrival{"__ballot_sync", 0xffffffff, 1, 0, {}};
    kernel.meet(arrival);
    results = arrival.all.lanes;
  });
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  EXPECT_EQ(results, 0b01u);
}

TEST(KernelRun, ThreadsAtOnePlaceAreActiveTogether) {
  std::vector<lane_mask> results;
  running_kernel it(1, 4, [&](kernel_run& kernel) {
    results.push_back(kernel.active_lanes(thread_number(kernel) == 2 ? 20 : 10));
  });
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  EXPECT_THAT(results, ElementsAre(0b1011, 0b1011, 0b1011, 0b0100));
}

TEST(KernelRun, AThreadThatPollsLetsAnotherOneMakeItGoOn) {
  bool is_set = false;
  running_kernel it(2, 1, [&](kernel_run& kernel) {
    if (kernel.running_block_index().x == 1) {
      is_set = true;
      return kernel.progress();
    }
    while (!is_set) kernel.poll(poll_address, 0);
  });
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  EXPECT_FALSE(it.run.has_waited());
}

TEST(KernelRun, AKernelThatPollsForSomethingOutsideWaits) {
  bool is_set = false;
  running_kernel it(1, 1, [&](kernel_run& kernel) {
    while (!is_set) kernel.poll(poll_address, 0);
  });
  EXPECT_EQ(it.run.run(), kernel_state::waiting);
  EXPECT_EQ(it.run.run(), kernel_state::waiting);
  is_set = true;
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  EXPECT_TRUE(it.run.has_waited());
}

TEST(KernelRun, AThreadThatPollsIsNamedWithWhatItReads) {
  running_kernel it(2, 2, [&](kernel_run& kernel) {
    if (kernel.running_block_index().x == 0 || thread_number(kernel) == 0) return;
    for (;;) {
      kernel.poll(poll_address, 77);
      kernel.poll(0, 78);  // a pause
    }
  });
  EXPECT_EQ(it.run.run(), kernel_state::waiting);
  const std::optional<polling_thread> found = it.run.first_polling();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->in_words, "thread (1,0,0) of block (1,0,0)");
  EXPECT_EQ(found->where, poll_address);
  EXPECT_EQ(found->code, 77u);
  EXPECT_FALSE(found->is_shared);
}

TEST(KernelRun, OfABlockThatIsUnderwayTheRacesAreKnown) {
  static const char key = 0;
  running_kernel it(1, 2, [](kernel_run& kernel) {
    auto* const shared = static_cast<char*>(kernel.shared_object(&key, 64, 4));
    const bool is_first = thread_number(kernel) == 0;
    kernel.note_shared(address_of(shared), 4, is_first ? trace::access_mode::write : trace::access_mode::read,
                       is_first ? 5 : 6);
    while (!is_first) kernel.poll(poll_address, 0);
  });
  EXPECT_EQ(it.run.run(), kernel_state::waiting);
  EXPECT_THAT(it.run.misuses(), testing::IsEmpty());
  ASSERT_EQ(it.run.misuses_so_far().size(), 1u);
  EXPECT_EQ(it.run.misuses().front().kind, trace::diagnostic_kind::shared_memory_race);
  EXPECT_EQ(it.run.misuses_so_far().size(), 1u);
}

TEST(KernelRun, ALoopThatKeepsWhatItPollsWaitsAsSoonAsOneThatDoesNot) {
  for (const bool changes : {false, true}) {
    std::array<int, 3> kept{};
    int polls = 0;
    bool is_set = false;
    running_kernel it(1, 1, [&](kernel_run& kernel) {
      while (!is_set) {
        kernel.poll(poll_address, 0);
        ++polls;
        for (int& part : kept) {
          kernel.note_write(address_of(&part), sizeof part);
          if (changes) ++part;
        }
      }
    });
    EXPECT_EQ(it.run.run(), kernel_state::waiting);
    EXPECT_EQ(polls < 1000, !changes) << polls;
    is_set = true;
    EXPECT_EQ(it.run.run(), kernel_state::finished);
  }
}

TEST(KernelRun, ABlockThatMeetsBetweenPollsLetsTheHostGoOn) {
  bool is_set = false;
  int rounds = 0;
  running_kernel it(1, 2, [&](kernel_run& kernel) {
    for (bool may_end = false; !may_end;) {
      may_end = is_set;
      if (thread_number(kernel) == 1) {
        kernel.poll(poll_address, 77);
        ++rounds;
      }
      kernel.poll(0, 5);  // __nanosleep()
      barrier_arrival arrival{"__syncthreads", false, 5, 5};
      kernel.wait_at_barrier(arrival);
    }
  });
  EXPECT_EQ(it.run.run(), kernel_state::waiting);
  EXPECT_LT(rounds, 100);
  ASSERT_TRUE(it.run.first_polling().has_value());
  EXPECT_EQ(it.run.first_polling()->code, 77u);
  is_set = true;
  EXPECT_EQ(it.run.run(), kernel_state::finished);
}

TEST(KernelRun, AWarpThatMeetsBetweenPollsLetsOthersGoOn) {
  bool is_set_by_host = false;
  bool is_set_by_other = false;
  int rounds = 0;
  running_kernel it(1, 33, [&](kernel_run& kernel) {
    if (thread_number(kernel) == 32) {
      is_set_by_other = true;
      kernel.progress();
      return;
    }
    for (const bool* flag : {&is_set_by_other, &is_set_by_host}) {
      for (bool may_end = false; !may_end;) {
        may_end = *flag;
        if (thread_number(kernel) == 5) {
          kernel.poll(poll_address, 77);
          ++rounds;
        }
        kernel.poll(0, 5);  // __nanosleep()
        warp_arrival arrival{"__shfl_sync", ~lane_mask{0}, 0, 5, {}};
        kernel.meet(arrival);
      }
    }
  });
  EXPECT_EQ(it.run.run(), kernel_state::waiting);
  EXPECT_TRUE(is_set_by_other);
  EXPECT_LT(rounds, 100);
  ASSERT_TRUE(it.run.first_polling().has_value());
  EXPECT_EQ(it.run.first_polling()->code, 77u);
  is_set_by_host = true;
  EXPECT_EQ(it.run.run(), kernel_state::finished);
}

TEST(KernelRun, ALoopThatPollsAndWritesStillLetsTheHostGoOn) {
  bool is_set = false;
  running_kernel it(1, 1, [&](kernel_run& kernel) {
    for (address where = 0; !is_set; where = (where + 8) % 80) {
      kernel.poll(poll_address + where, 0);
      kernel.progress();
    }
  });
  EXPECT_EQ(it.run.run(), kernel_state::waiting);
  is_set = true;
  EXPECT_EQ(it.run.run(), kernel_state::finished);
}

TEST(KernelRun, TheGridWaitsForAllItsBlocks) {
  std::vector<unsigned> results;
  running_kernel it(
      2, 2,
      [&](kernel_run& kernel) {
        results.push_back(1);
        kernel.wait_for_grid(0);
        results.push_back(2);
      },
      block_residency::all_at_once);
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  EXPECT_THAT(results, ElementsAre(1, 1, 1, 1, 2, 2, 2, 2));
}

TEST(KernelRun, ABlockThatEndsWithoutComingToTheGridsBarrierIsAFault) {
  running_kernel it(
      2, 1,
      [](kernel_run& kernel) {
        if (kernel.running_block_index().x == 0) kernel.wait_for_grid(55);
      },
      block_residency::all_at_once);
  EXPECT_EQ(it.run.run(), kernel_state::faulted);
  EXPECT_EQ(it.run.fault().code, 55u);
}

TEST(KernelRun, MoreThreadsThatWaitThanThereAreStacksForAreAFault) {
  constexpr unsigned threads = 1024, blocks = fiber_pool::max_fibers / threads + 1;
  const auto wait_for_grid = [](kernel_run& kernel) { kernel.wait_for_grid(0); };
  running_kernel it(dim3(blocks), dim3(threads), wait_for_grid, block_residency::all_at_once);
  EXPECT_EQ(it.run.run(), kernel_state::faulted);
  EXPECT_EQ(it.run.fault().error, cudaErrorLaunchOutOfResources);
  EXPECT_THAT(it.run.fault().message, HasSubstr("more than 30000 threads"));
}

TEST(KernelRun, AStoppedKernelGivesItsStacksBack) {
  constexpr unsigned threads = 1024;
  running_kernel stopped(dim3(1), dim3(threads), [](kernel_run& kernel) {
    if (thread_number(kernel) + 1 == threads) kernel.stop({1, trace::diagnostic_kind::trap, "", 0});
    wait_at_barrier(kernel);
  });
  for (unsigned round = 0; round <= fiber_pool::max_fibers / threads; ++round) {
    kernel_run again({kernel_copy(stopped.image()), dim3(1), dim3(threads)}, 0, stopped.gpu, stopped.all,
                     stopped.fibers);
    ASSERT_EQ(again.run(), kernel_state::faulted);
    ASSERT_EQ(again.fault().error, 1);
  }
}

TEST(KernelRun, ABlockTakesAsLongAsTheSlowestThreadOfEachPhase) {
  running_kernel it(1, 2, [](kernel_run& kernel) {
    const bool is_first = thread_number(kernel) == 0;
    counters.spin += is_first ? 100 : 10;
    wait_at_barrier(kernel);
    counters.spin += is_first ? 1 : 50;
  });
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  EXPECT_EQ(it.run.work().blocks.front().latency_cycles, 150);
}

TEST(KernelRun, LanesThatMeetGoOnAtTheTimeOfTheSlowest) {
  running_kernel it(1, 2, [](kernel_run& kernel) {
    const bool is_first = thread_number(kernel) == 0;
    counters.spin += is_first ? 100 : 10;
    warp_arrival arrival{"__syncwarp", 0b11, 0, 0, {}};
    kernel.meet(arrival);  // one cycle: a basic block
    counters.spin += is_first ? 1 : 50;
  });
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  EXPECT_EQ(it.run.work().blocks.front().latency_cycles, 151);
}

/// The work of one block that reads the clock so often, with so many basic blocks and accesses before each read.
device::block_work work_of_clock_reads(int reads, std::uint64_t basic_blocks, std::uint64_t accesses) {
  running_kernel it(1, 1, [=](kernel_run& kernel) {
    for (int i = 0; i < reads; ++i) {
      counters.basic_blocks += basic_blocks;
      counters.accesses += accesses;
      kernel.clock();
    }
  });
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  return it.run.work().blocks.front();
}

TEST(KernelRun, ALoopThatOnlyWaitsForTheClockIsNoWork) {
  EXPECT_EQ(work_of_clock_reads(50, 1, 0).warp_cycles, work_of_clock_reads(1, 1, 0).warp_cycles);
  EXPECT_GT(work_of_clock_reads(50, 1, 0).latency_cycles, work_of_clock_reads(1, 1, 0).latency_cycles);
}

TEST(KernelRun, WorkBetweenTwoReadsOfTheClockCounts) {
  const double one_round = work_of_clock_reads(1, 100, 0).warp_cycles;
  EXPECT_DOUBLE_EQ(work_of_clock_reads(50, 100, 0).warp_cycles, 50 * one_round);
  EXPECT_GT(work_of_clock_reads(50, 1, 1).warp_cycles, work_of_clock_reads(1, 1, 1).warp_cycles);
}

TEST(KernelRun, TheClockNeverGoesBackWhenAThreadWaits) {
  std::vector<long long> results;
  running_kernel it(1, 2, [&](kernel_run& kernel) {
    counters.spin += 100;
    const long long before = kernel.clock();
    wait_at_barrier(kernel);
    results.push_back(kernel.clock() - before);
  });
  EXPECT_EQ(it.run.run(), kernel_state::finished);
  EXPECT_THAT(results, ElementsAre(1, 1));
}

TEST(KernelRun, AStoppedKernelRunsNoFurtherThread) {
  int count = 0;
  running_kernel it(2, 2, [&](kernel_run& kernel) {
    if (++count == 2) kernel.stop({719, trace::diagnostic_kind::trap, "enough", 5});
  });
  EXPECT_EQ(it.run.run(), kernel_state::faulted);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(it.run.fault().error, 719);
}

TEST(KernelRun, KeepsWhatIsPrintedInOrder) {
  running_kernel it(1, 2, [](kernel_run& kernel) { kernel.print(std::to_string(thread_number(kernel))); });
  it.run.run();
  EXPECT_THAT(it.run.take_printed(), ElementsAre("0", "1"));
}

}  // namespace
}  // namespace kernels
