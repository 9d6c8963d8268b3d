// The hooks, called as instrumented code calls them: in kernels, and in host code.
#include "interposition/instrumentation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "interposition/test_kernel.h"

extern "C" {
#define DECLARE_PLAIN(bytes)                         \
  void __tsan_read##bytes(void*);                    \
  void __tsan_write##bytes(void*);                   \
  void __tsan_read_write##bytes(void*);              \
  void __tsan_volatile_read##bytes(void*);           \
  void __tsan_volatile_write##bytes(void*);          \
  void __tsan_unaligned_read##bytes(void*);          \
  void __tsan_unaligned_write##bytes(void*);         \
  void __tsan_unaligned_read_write##bytes(void*);    \
  void __tsan_unaligned_volatile_read##bytes(void*); \
  void __tsan_unaligned_volatile_write##bytes(void*);
DECLARE_PLAIN(1)
DECLARE_PLAIN(2)
DECLARE_PLAIN(4)
DECLARE_PLAIN(8)
DECLARE_PLAIN(16)

#define DECLARE_UPDATE(bits, name) \
  std::uint##bits##_t __tsan_atomic##bits##_##name(volatile std::uint##bits##_t*, std::uint##bits##_t, int);
#define DECLARE_ATOMIC(bits)                                                                             \
  std::uint##bits##_t __tsan_atomic##bits##_load(const volatile std::uint##bits##_t*, int);              \
  void __tsan_atomic##bits##_store(volatile std::uint##bits##_t*, std::uint##bits##_t, int);             \
  DECLARE_UPDATE(bits, exchange)                                                                         \
  DECLARE_UPDATE(bits, fetch_add)                                                                        \
  DECLARE_UPDATE(bits, fetch_sub)                                                                        \
  DECLARE_UPDATE(bits, fetch_and)                                                                        \
  DECLARE_UPDATE(bits, fetch_or)                                                                         \
  DECLARE_UPDATE(bits, fetch_xor)                                                                        \
  DECLARE_UPDATE(bits, fetch_nand)                                                                       \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile std::uint##bits##_t*, std::uint##bits##_t*, \
                                                    std::uint##bits##_t, int, int);                      \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile std::uint##bits##_t*, std::uint##bits##_t*,   \
                                                  std::uint##bits##_t, int, int);                        \
  std::uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                        \
      volatile std::uint##bits##_t*, std::uint##bits##_t, std::uint##bits##_t, int, int);
DECLARE_ATOMIC(8)
DECLARE_ATOMIC(16)
DECLARE_ATOMIC(32)
DECLARE_ATOMIC(64)

void __tsan_read_range(void*, std::size_t);
void __tsan_write_range(void*, std::size_t);
void* __tsan_memcpy(void*, const void*, std::size_t);
void* __tsan_memmove(void*, const void*, std::size_t);
void* __tsan_memset(void*, int, std::size_t);
void __tsan_vptr_read(void**);
void __tsan_vptr_update(void**, void*);
void __tsan_atomic_thread_fence(int);
void __sanitizer_cov_trace_pc();
void __sanitizer_cov_trace_pc_guard(std::uint32_t*);
}

namespace interposition {
namespace {

using cuda_runtime::runtime;
using kernels::kernel_state;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using trace::access_mode;
using trace::diagnostic_kind;

int variable_of_the_program = 0;

/// Device memory and pinned memory of two pages each.
class Instrumentation : public testing::Test {
 protected:
  static constexpr std::size_t size_bytes = 2 * kernels::memory::page_bytes;

  Instrumentation() {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, size_bytes), cudaSuccess);
    device = static_cast<unsigned char*>(memory);
    EXPECT_EQ(cudaMallocHost(&memory, size_bytes), cudaSuccess);
    pinned = static_cast<unsigned char*>(memory);
  }
  ~Instrumentation() override {
    cudaFree(device);
    cudaFreeHost(pinned);
  }

  /// Those bytes of device or pinned memory.
  trace::access access(const void* begin, std::size_t bytes, access_mode mode) {
    const kernels::memory_block& block = *run.memory().find(kernels::address_of(begin));
    return {block.id, mode, trace::byte_set::range(kernels::address_of(begin) - block.begin, bytes)};
  }
  /// What a kernel touches that ends.
  std::vector<trace::access> touched_by_kernel(std::function<void()> thread) {
    test_kernel kernel(std::move(thread));
    EXPECT_EQ(kernel.run.run(), kernel_state::finished);
    return kernel.run.log().harvest();
  }
  /// What the calling thread touches meanwhile.
  std::vector<trace::access> touched_by_host(const std::function<void()>& function) {
    std::vector<trace::access> result;
    for (const trace::host_access& touched : host_accesses_of(function)) result.push_back(touched.access);
    return result;
  }
  std::vector<trace::host_access> host_accesses_of(const std::function<void()>& function) {
    run.log().flush_host_accesses(run.threads().current());
    const std::size_t before = run.log().host_accesses().size();
    function();
    run.settle_volatile_read();
    run.log().flush_host_accesses(run.threads().current());
    const auto& all = run.log().host_accesses();
    return {all.begin() + static_cast<std::ptrdiff_t>(before), all.end()};
  }
  static kernels::kernel_fault fault_of(std::function<void()> thread) {
    test_kernel kernel(std::move(thread));
    EXPECT_EQ(kernel.run.run(), kernel_state::faulted);
    return kernel.run.fault();
  }

  runtime& run = runtime::get();
  unsigned char* device = nullptr;
  unsigned char* pinned = nullptr;
};

using InstrumentationDeathTest = Instrumentation;

struct plain_hook {
  std::string name;
  void (*call)(void*);
  std::size_t bytes;
  std::vector<access_mode> modes;
  bool is_unaligned = false;
};

const std::vector<access_mode> read{access_mode::read}, write{access_mode::write},
    both{access_mode::read, access_mode::write};

#define PLAIN_HOOKS(bytes)                                                                                  \
  plain_hook{"Read" #bytes, __tsan_read##bytes, bytes, read},                                               \
      plain_hook{"Write" #bytes, __tsan_write##bytes, bytes, write},                                        \
      plain_hook{"ReadWrite" #bytes, __tsan_read_write##bytes, bytes, both},                                \
      plain_hook{"VolatileRead" #bytes, __tsan_volatile_read##bytes, bytes, read},                          \
      plain_hook{"VolatileWrite" #bytes, __tsan_volatile_write##bytes, bytes, write},                       \
      plain_hook{"UnalignedRead" #bytes, __tsan_unaligned_read##bytes, bytes, read, true},                  \
      plain_hook{"UnalignedWrite" #bytes, __tsan_unaligned_write##bytes, bytes, write, true},               \
      plain_hook{"UnalignedReadWrite" #bytes, __tsan_unaligned_read_write##bytes, bytes, both, true},       \
      plain_hook{"UnalignedVolatileRead" #bytes, __tsan_unaligned_volatile_read##bytes, bytes, read, true}, \
      plain_hook {                                                                                          \
    "UnalignedVolatileWrite" #bytes, __tsan_unaligned_volatile_write##bytes, bytes, write, true             \
  }

class PlainHook : public Instrumentation, public testing::WithParamInterface<plain_hook> {
 protected:
  std::vector<trace::access> expected(const void* begin) {
    std::vector<trace::access> result;
    for (const access_mode mode : hook.modes) result.push_back(access(begin, hook.bytes, mode));
    return result;
  }
  const plain_hook& hook = GetParam();
};

TEST_P(PlainHook, NotesItsBytesForTheRunningKernel) {
  EXPECT_EQ(touched_by_kernel([&] { hook.call(device + 32); }), expected(device + 32));
}

TEST_P(PlainHook, NotesItsBytesForHostCode) {
  EXPECT_EQ(touched_by_host([&] { hook.call(pinned + 32); }), expected(pinned + 32));
}

TEST_F(Instrumentation, OfALoopThatWaitsTheLastReadIsNoted) {
  const std::vector<trace::access> touched = touched_by_host([&] {
    for (int i = 0; i < 5; ++i) __tsan_volatile_read4(pinned);
  });
  EXPECT_EQ(touched.size(), 1u);
}

TEST_P(PlainHook, CountsEachAccessOfAKernelOnce) {
  const kernels::work_counters work = work_in_kernel([&] {
    hook.call(device + 32);
    hook.call(device + 64);
  });
  EXPECT_EQ(work.accesses, 2 * hook.modes.size());
}

TEST_P(PlainHook, NeedsAMultipleOfItsSizeUnlessItIsForUnalignedAccesses) {
  if (hook.bytes == 1) return;
  const auto touch = [&] { hook.call(device + 33); };
  if (hook.is_unaligned) {
    EXPECT_EQ(touched_by_kernel(touch), expected(device + 33));
  } else {
    EXPECT_EQ(fault_of(touch).kind, diagnostic_kind::misaligned_address);
    const auto touch_known_page = [&] {
      hook.call(device + 32);
      hook.call(device + 33);
    };
    EXPECT_EQ(fault_of(touch_known_page).kind, diagnostic_kind::misaligned_address);
  }
}

INSTANTIATE_TEST_SUITE_P(EachSize, PlainHook,
                         testing::Values(PLAIN_HOOKS(1), PLAIN_HOOKS(2), PLAIN_HOOKS(4), PLAIN_HOOKS(8),
                                         PLAIN_HOOKS(16)),
                         [](const auto& test) { return test.param.name; });

// In kernels.

TEST_F(Instrumentation, AccessesInARowBecomeOneRange) {
  EXPECT_THAT(touched_by_kernel([&] {
                for (int i = 0; i < 100; ++i) __tsan_write4(device + 4 * i);
              }),
              ElementsAre(access(device, 400, access_mode::write)));
}

TEST_F(Instrumentation, AnAccessMayGoFromOnePageToTheNext) {
  unsigned char* const where = device + kernels::memory::page_bytes - 3;
  EXPECT_THAT(touched_by_kernel([&] { __tsan_unaligned_read8(where); }),
              ElementsAre(access(where, 8, access_mode::read)));
}

TEST_F(Instrumentation, AKernelsStackIsItsOwnAndCostsNothing) {
  const kernels::work_counters work = work_in_kernel([] {
    int local = 0;
    __tsan_write4(&local);
    __tsan_unaligned_read4(&local);
  });
  EXPECT_EQ(work.accesses, 0u);
}

TEST_F(Instrumentation, VariablesOfTheProgramAreNobodysAllocation) {
  EXPECT_THAT(touched_by_kernel([] {
                __tsan_write4(&variable_of_the_program);
                __tsan_read4(&variable_of_the_program);
              }),
              IsEmpty());
}

TEST_F(Instrumentation, AKernelMayUsePinnedMemory) {
  EXPECT_THAT(touched_by_kernel([&] { __tsan_write4(pinned); }),
              ElementsAre(access(pinned, 4, access_mode::write)));
}

TEST_F(Instrumentation, AKernelStopsAtWhatItMayNotTouch) {
  const auto pageable = std::make_unique<int>();
  EXPECT_EQ(fault_of([&] { __tsan_read4(pageable.get()); }).kind, diagnostic_kind::kernel_used_host_memory);
  EXPECT_EQ(fault_of([] { __tsan_read4(nullptr); }).kind, diagnostic_kind::null_pointer);
  EXPECT_EQ(fault_of([&] { __tsan_write4(device + size_bytes); }).kind, diagnostic_kind::out_of_bounds);
  EXPECT_EQ(fault_of([&] { __tsan_unaligned_read4(device + size_bytes - 3); }).kind,
            diagnostic_kind::out_of_bounds);
}

TEST_F(Instrumentation, AKernelStopsAtMemoryThatWasFreed) {
  void* freed = nullptr;
  ASSERT_EQ(cudaMalloc(&freed, 4), cudaSuccess);
  ASSERT_EQ(cudaFree(freed), cudaSuccess);
  EXPECT_EQ(fault_of([&] { __tsan_write4(freed); }).kind, diagnostic_kind::use_after_free);
}

TEST_F(Instrumentation, AFaultSaysWhatTheThreadDidAndWhere) {
  const kernels::kernel_fault fault = fault_of([] { __tsan_write8(nullptr); });
  EXPECT_THAT(fault.message, HasSubstr("a thread wrote 8 bytes through a null pointer"));
  EXPECT_NE(fault.code, 0u);
}

TEST_F(Instrumentation, RangesAreNotedWhole) {
  EXPECT_THAT(touched_by_kernel([&] {
                __tsan_read_range(device + 1, 1000);
                __tsan_write_range(device + 2000, 70);
              }),
              ElementsAre(access(device + 1, 1000, access_mode::read),
                          access(device + 2000, 70, access_mode::write)));
}

TEST_F(Instrumentation, MemoryFunctionsOfTheCompilerMoveAndNoteBytes) {
  const std::array<char, 6> text{'a', 'b', 'c', 'd', 'e', 'f'};
  std::memcpy(device, text.data(), 6);
  void* returned = nullptr;
  EXPECT_THAT(touched_by_kernel([&] { returned = __tsan_memcpy(device + 100, device, 6); }),
              ElementsAre(access(device, 6, access_mode::read), access(device + 100, 6, access_mode::write)));
  EXPECT_EQ(returned, device + 100);
  EXPECT_EQ(std::memcmp(device + 100, "abcdef", 6), 0);
  EXPECT_THAT(touched_by_kernel([&] { __tsan_memmove(device + 1, device, 5); }),
              ElementsAre(access(device, 5, access_mode::read), access(device + 1, 5, access_mode::write)));
  EXPECT_EQ(std::memcmp(device, "aabcde", 6), 0);
  EXPECT_THAT(touched_by_kernel([&] { __tsan_memset(device + 2, 'x', 3); }),
              ElementsAre(access(device + 2, 3, access_mode::write)));
  EXPECT_EQ(std::memcmp(device, "aaxxxe", 6), 0);
}

TEST_F(Instrumentation, AVirtualTableIsReadAndWrittenThroughAPointer) {
  void** const where = reinterpret_cast<void**>(device + 8);
  EXPECT_THAT(touched_by_kernel([&] { __tsan_vptr_read(where); }),
              ElementsAre(access(where, sizeof(void*), access_mode::read)));
  EXPECT_THAT(touched_by_kernel([&] { __tsan_vptr_update(where, nullptr); }),
              ElementsAre(access(where, sizeof(void*), access_mode::write)));
}

TEST_F(Instrumentation, BasicBlocksAreCounted) {
  const kernels::work_counters work = work_in_kernel([] {
    __sanitizer_cov_trace_pc();
    __sanitizer_cov_trace_pc();
    std::uint32_t guard = 1;
    __sanitizer_cov_trace_pc_guard(&guard);
  });
  EXPECT_EQ(work.basic_blocks, 3u);
}

/// Runs a kernel that repeats `look` until the test lets it end. Whether the host went on meanwhile, and it ended.
bool waits_in_a_loop_of(std::function<void()> look) {
  bool may_end = false;
  int rounds = 0;
  test_kernel kernel([&] {
    while (!may_end && ++rounds < 10'000'000) look();
  });
  const bool is_waiting = kernel.run.run() == kernel_state::waiting;
  may_end = true;
  return is_waiting && kernel.run.run() == kernel_state::finished;
}

/// Whether 1000 rounds, more than a loop may poll, end without the help of others.
bool ends_a_loop_of(std::function<void()> update) {
  test_kernel kernel([&] {
    for (int i = 0; i < 1000; ++i) update();
  });
  return kernel.run.run() == kernel_state::finished;
}

TEST_F(Instrumentation, AKernelThatReadsAVolatileInALoopLetsTheHostGoOn) {
  EXPECT_TRUE(waits_in_a_loop_of([&] { __tsan_volatile_read4(device); }));
  EXPECT_TRUE(waits_in_a_loop_of([&] { __tsan_unaligned_volatile_read4(device); }));
  EXPECT_TRUE(ends_a_loop_of([&] { __tsan_read4(device); }));
}

TEST_F(Instrumentation, AWriteThatChangesSomethingBetweenTheReadsOfALoopIsProgress) {
  EXPECT_TRUE(ends_a_loop_of([&] {
    __tsan_volatile_read4(device);
    __tsan_write4(device + 8);
    ++*reinterpret_cast<int*>(device + 8);
  }));
  EXPECT_TRUE(waits_in_a_loop_of([&] {
    __tsan_volatile_read4(device);
    __tsan_write4(device + 8);
  }));
}

TEST_F(Instrumentation, AnAtomicThatChangesNothingIsAPoll) {
  auto* const word = reinterpret_cast<std::uint32_t*>(device);
  *word = 5;
  EXPECT_TRUE(waits_in_a_loop_of([&] { __tsan_atomic32_load(word, 0); }));
  EXPECT_TRUE(waits_in_a_loop_of([&] { __tsan_atomic32_fetch_add(word, 0, 0); }));
  EXPECT_TRUE(waits_in_a_loop_of([&] { __tsan_atomic32_exchange(word, 5, 0); }));
  EXPECT_TRUE(waits_in_a_loop_of([&] {
    std::uint32_t expected = 0;
    __tsan_atomic32_compare_exchange_strong(word, &expected, 1, 0, 0);
  }));
  EXPECT_TRUE(waits_in_a_loop_of([&] { __tsan_atomic32_compare_exchange_val(word, 0, 1, 0, 0); }));
}

TEST_F(Instrumentation, AnAtomicThatChangesSomethingIsProgress) {
  auto* const word = reinterpret_cast<std::uint32_t*>(device);
  *word = 0;
  EXPECT_TRUE(ends_a_loop_of([&] { __tsan_atomic32_fetch_add(word, 1, 0); }));
  EXPECT_EQ(*word, 1000u);
  EXPECT_TRUE(ends_a_loop_of([&] { __tsan_atomic32_exchange(word, *word + 1, 0); }));
  EXPECT_TRUE(ends_a_loop_of([&] { __tsan_atomic32_store(word, 7, 0); }));
  EXPECT_TRUE(ends_a_loop_of([&] {
    std::uint32_t expected = *word;
    __tsan_atomic32_compare_exchange_strong(word, &expected, expected + 1, 0, 0);
  }));
  EXPECT_TRUE(ends_a_loop_of([&] { __tsan_atomic32_compare_exchange_val(word, *word, *word + 1, 0, 0); }));
}

// Atomic operations, of all sizes.

template <typename Word>
struct atomic_hooks;
#define ATOMIC_HOOKS(bits)                                                                \
  template <>                                                                             \
  struct atomic_hooks<std::uint##bits##_t> {                                              \
    static constexpr auto load = __tsan_atomic##bits##_load;                              \
    static constexpr auto store = __tsan_atomic##bits##_store;                            \
    static constexpr auto exchange = __tsan_atomic##bits##_exchange;                      \
    static constexpr auto fetch_add = __tsan_atomic##bits##_fetch_add;                    \
    static constexpr auto fetch_sub = __tsan_atomic##bits##_fetch_sub;                    \
    static constexpr auto fetch_and = __tsan_atomic##bits##_fetch_and;                    \
    static constexpr auto fetch_or = __tsan_atomic##bits##_fetch_or;                      \
    static constexpr auto fetch_xor = __tsan_atomic##bits##_fetch_xor;                    \
    static constexpr auto fetch_nand = __tsan_atomic##bits##_fetch_nand;                  \
    static constexpr auto compare_strong = __tsan_atomic##bits##_compare_exchange_strong; \
    static constexpr auto compare_weak = __tsan_atomic##bits##_compare_exchange_weak;     \
    static constexpr auto compare_val = __tsan_atomic##bits##_compare_exchange_val;       \
  };
ATOMIC_HOOKS(8)
ATOMIC_HOOKS(16)
ATOMIC_HOOKS(32)
ATOMIC_HOOKS(64)

template <typename Word>
class AtomicHook : public Instrumentation {
 protected:
  using hooks = atomic_hooks<Word>;
  using update = Word (*)(volatile Word*, Word, int);

  /// What is stored after the update of 12 by 10; the hook returns 12.
  Word updated_by(update hook) {
    Word word = 12;
    EXPECT_EQ(hook(&word, 10, 0), Word{12});
    return word;
  }
  Word* word() { return reinterpret_cast<Word*>(device); }
};
using words = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(AtomicHook, words);

TYPED_TEST(AtomicHook, UpdatesTheWordAndReturnsItsOldValue) {
  using word = TypeParam;
  using hooks = typename TestFixture::hooks;
  EXPECT_EQ(this->updated_by(hooks::exchange), word{10});
  EXPECT_EQ(this->updated_by(hooks::fetch_add), word{22});
  EXPECT_EQ(this->updated_by(hooks::fetch_sub), word{2});
  EXPECT_EQ(this->updated_by(hooks::fetch_and), word{8});
  EXPECT_EQ(this->updated_by(hooks::fetch_or), word{14});
  EXPECT_EQ(this->updated_by(hooks::fetch_xor), word{6});
  EXPECT_EQ(this->updated_by(hooks::fetch_nand), static_cast<word>(~8));
}

TYPED_TEST(AtomicHook, LoadsWhatWasStored) {
  using hooks = typename TestFixture::hooks;
  TypeParam word = 1;
  hooks::store(&word, 200, 0);
  EXPECT_EQ(word, TypeParam{200});
  EXPECT_EQ(hooks::load(&word, 0), TypeParam{200});
}

TYPED_TEST(AtomicHook, ExchangesOnlyWhatWasExpected) {
  using hooks = typename TestFixture::hooks;
  for (const auto compare : {hooks::compare_strong, hooks::compare_weak}) {
    TypeParam word = 1, expected = 1;
    EXPECT_EQ(compare(&word, &expected, 2, 0, 0), 1);
    EXPECT_EQ(word, TypeParam{2});
    EXPECT_EQ(compare(&word, &expected, 3, 0, 0), 0);
    EXPECT_EQ(word, TypeParam{2});
    EXPECT_EQ(expected, TypeParam{2});
  }
  TypeParam word = 1;
  EXPECT_EQ(hooks::compare_val(&word, 1, 2, 0, 0), TypeParam{1});
  EXPECT_EQ(hooks::compare_val(&word, 1, 3, 0, 0), TypeParam{2});
  EXPECT_EQ(word, TypeParam{2});
}

TYPED_TEST(AtomicHook, NotesItsBytesAsAtomic) {
  using hooks = typename TestFixture::hooks;
  TypeParam* const word = this->word();
  TypeParam expected = 0;
  const std::function<void()> calls[] = {
      [&] { hooks::load(word, 0); },
      [&] { hooks::store(word, 1, 0); },
      [&] { hooks::exchange(word, 1, 0); },
      [&] { hooks::fetch_add(word, 1, 0); },
      [&] { hooks::compare_strong(word, &expected, 1, 0, 0); },
      [&] { hooks::compare_val(word, 0, 1, 0, 0); },
  };
  for (const std::function<void()>& call : calls) {
    EXPECT_THAT(this->touched_by_kernel(call),
                ElementsAre(this->access(word, sizeof(TypeParam), access_mode::atomic)));
  }
}

// In host code.

TEST_F(Instrumentation, HostCodeThatTouchesMemoryOfNoOperationIsNotNoted) {
  int local = 0;
  EXPECT_THAT(touched_by_host([&] { __tsan_write4(&local); }), IsEmpty());
}

TEST_F(Instrumentation, PageableMemoryIsWatchedOnceAnOperationHasUsedIt) {
  const auto pageable = std::make_unique<std::array<unsigned char, 64>>();
  ASSERT_EQ(cudaMemcpy(device, pageable->data(), 64, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_THAT(touched_by_host([&] { __tsan_write4(pageable->data() + 4); }),
              ElementsAre(access(pageable->data() + 4, 4, access_mode::write)));
}

TEST_F(Instrumentation, EachPlaceInTheHostsCodeIsTold) {
  const auto touched = host_accesses_of([&] {
    __tsan_read4(pinned);
    __tsan_read4(pinned);
  });
  ASSERT_EQ(touched.size(), 2u);
  EXPECT_NE(touched[0].where, touched[1].where);
}

TEST_F(Instrumentation, ALoopInHostCodeIsOneAccessWithAStride) {
  const auto touched = touched_by_host([&] {
    for (int i = 0; i < 10; ++i) __tsan_write4(pinned + 8 * i);
  });
  ASSERT_EQ(touched.size(), 1u);
  EXPECT_EQ(touched[0].bytes, trace::byte_set::from_runs({{0, 4, 8, 10}}));
}

TEST_F(InstrumentationDeathTest, HostCodeThatTouchesDeviceMemoryEndsTheProgram) {
  EXPECT_DEATH(__tsan_read4(device), "host code read device memory");
  EXPECT_DEATH(__tsan_write1(device), "host code wrote device memory");
  EXPECT_DEATH(__tsan_atomic32_fetch_add(reinterpret_cast<std::uint32_t*>(device), 1, 0),
               "host code wrote device memory");
  EXPECT_DEATH(__tsan_memcpy(pinned, device, 4), "host code read device memory");
}

TEST_F(InstrumentationDeathTest, HostCodeThatTouchesFreedMemoryEndsTheProgram) {
  void* freed = nullptr;
  ASSERT_EQ(cudaMallocHost(&freed, 4), cudaSuccess);
  ASSERT_EQ(cudaFreeHost(freed), cudaSuccess);
  EXPECT_DEATH(__tsan_read4(freed), "host code read memory after it was freed");
}

TEST_F(InstrumentationDeathTest, MemoryOfCudaThatIsGivenToFreeEndsTheProgram) {
  EXPECT_DEATH(std::free(pinned), "cudaFreeHost releases pinned memory");
  EXPECT_DEATH(::operator delete(device), "cudaFree releases it");
}

TEST_F(InstrumentationDeathTest, AnAccessPastTheEndOfNamedMemoryOfTheHostIsToldWithItsName) {
  runtime& run = runtime::get();
  alignas(4096) static char pages[2 * 4096];
  run.name_memory(pages + 4096 - 8, 8, "factors");
  const address end = kernels::address_of(pages + 4096);
  EXPECT_EQ(run.sentence_of_refused_access(end + 4),
            "The program read or wrote past the end of `factors`: byte 12, where it has 8 bytes.");
  EXPECT_EQ(run.sentence_of_refused_access(end + 4096), "");
}

TEST_F(InstrumentationDeathTest, AnAccessThroughANullPointerIsToldAsThat) {
  EXPECT_EQ(runtime::get().sentence_of_refused_access(8),
            "The program read or wrote through a null pointer (SIGSEGV, at address 8).");
  EXPECT_EQ(runtime::get().sentence_of_refused_access(4096), "");
}

/// Another thread of the program, which runs until it has called the function, and ends an hour later. All times here are
/// virtual: nanosleep() is the one that the module replaces, and takes no real time.
class OtherThread {
 public:
  explicit OtherThread(std::function<void()> function) : function_(std::move(function)) {
    EXPECT_EQ(pthread_create(&thread_, nullptr, &run, this), 0);
    sleep_for(1);
  }
  ~OtherThread() { pthread_join(thread_, nullptr); }
  static void sleep_for(time_t seconds) {
    const timespec duration{seconds, 0};
    nanosleep(&duration, nullptr);
  }

 private:
  static void* run(void* self) {
    static_cast<OtherThread*>(self)->function_();
    sleep_for(3600);
    return nullptr;
  }
  std::function<void()> function_;
  pthread_t thread_{};
};

TEST_F(Instrumentation, AnAtomicLoadOfTheHostComesAfterTheStoreOfAnotherThread) {
  std::uint32_t flag = 0;
  trace::thread_id storing = 0;
  const OtherThread other([&] {
    storing = run.threads().current().id;
    __tsan_atomic32_store(&flag, 1, __ATOMIC_SEQ_CST);
  });
  const auto& edges = run.log().recording().host_edges;
  const std::size_t before = edges.size();
  __tsan_atomic32_load(&flag, __ATOMIC_SEQ_CST);
  ASSERT_EQ(edges.size(), before + 1);
  EXPECT_EQ(edges.back().from, storing);
  EXPECT_EQ(edges.back().to, run.threads().current().id);
}

TEST_F(Instrumentation, AStoreOfTheHostIsNotOrderedBehindAnother) {
  std::uint32_t flag = 0;
  const OtherThread other([&] { __tsan_atomic32_store(&flag, 1, __ATOMIC_SEQ_CST); });
  const auto& edges = run.log().recording().host_edges;
  const std::size_t before = edges.size();
  __tsan_atomic32_store(&flag, 2, __ATOMIC_SEQ_CST);
  EXPECT_EQ(edges.size(), before);
}

TEST_F(Instrumentation, ALoadOfTheHostReleasesNothing) {
  std::uint32_t flag = 0;
  const OtherThread other([&] { __tsan_atomic32_load(&flag, __ATOMIC_SEQ_CST); });
  const auto& edges = run.log().recording().host_edges;
  const std::size_t before = edges.size();
  __tsan_atomic32_load(&flag, __ATOMIC_SEQ_CST);
  EXPECT_EQ(edges.size(), before);
}

TEST_F(Instrumentation, AnAtomicUpdateOfTheHostIsOrderedBothWays) {
  std::uint32_t flag = 0;
  const OtherThread other([&] { __tsan_atomic32_fetch_add(&flag, 1, __ATOMIC_SEQ_CST); });
  const auto& edges = run.log().recording().host_edges;
  const std::size_t before = edges.size();
  __tsan_atomic32_fetch_add(&flag, 1, __ATOMIC_SEQ_CST);
  EXPECT_EQ(edges.size(), before + 1);
}

TEST_F(Instrumentation, AtomicsOfKernelsOrderNoThreadsOfTheHost) {
  auto* const word = reinterpret_cast<std::uint32_t*>(pinned);
  const OtherThread other([&] { __tsan_atomic32_store(word, 1, __ATOMIC_SEQ_CST); });
  const auto& edges = run.log().recording().host_edges;
  const std::size_t before = edges.size();
  touched_by_kernel([&] { __tsan_atomic32_load(word, __ATOMIC_SEQ_CST); });
  EXPECT_EQ(edges.size(), before);
}

TEST_F(Instrumentation, WhatAThreadTouchedBeforeItPolledIsItsOwn) {
  std::uint32_t flag = 0;
  trace::thread_id polling = 0;
  const OtherThread other([&] {
    polling = run.threads().current().id;
    __tsan_write4(pinned);
    for (int i = 0; i < 1000; ++i) __tsan_volatile_read4(&flag);
  });
  run.log().flush_host_accesses(run.threads().current());
  ASSERT_FALSE(run.log().host_accesses().empty());
  EXPECT_EQ(run.log().host_accesses().back().thread, polling);
}

TEST_F(Instrumentation, ARelaxedLoadOrStoreOrdersNothingByItself) {
  std::uint32_t flag = 0, other_flag = 0;
  const OtherThread other([&] {
    __tsan_atomic32_store(&flag, 1, __ATOMIC_RELEASE);
    __tsan_atomic32_store(&other_flag, 1, __ATOMIC_RELAXED);
  });
  const auto& edges = run.log().recording().host_edges;
  const std::size_t before = edges.size();
  __tsan_atomic32_load(&flag, __ATOMIC_RELAXED);
  __tsan_atomic32_load(&other_flag, __ATOMIC_ACQUIRE);
  EXPECT_EQ(edges.size(), before);
}

TEST_F(Instrumentation, AFenceOrdersByTheRelaxedLoadsBeforeIt) {
  std::uint32_t flag = 0;
  __tsan_atomic_thread_fence(
      __ATOMIC_ACQUIRE);  // other tests have loaded from the same addresses of the stack
  const OtherThread other([&] {
    __tsan_atomic_thread_fence(__ATOMIC_RELEASE);
    __tsan_atomic32_store(&flag, 1, __ATOMIC_RELAXED);
  });
  const auto& edges = run.log().recording().host_edges;
  const std::size_t before = edges.size();
  __tsan_atomic32_load(&flag, __ATOMIC_RELAXED);
  EXPECT_EQ(edges.size(), before);
  __tsan_atomic_thread_fence(__ATOMIC_ACQUIRE);
  EXPECT_EQ(edges.size(), before + 1);
}

TEST_F(Instrumentation, ARelaxedUpdateKeepsWhatWasReleasedAndARelaxedStoreDoesNot) {
  std::uint32_t updated = 0, stored = 0;
  const OtherThread other([&] {
    __tsan_atomic32_store(&updated, 1, __ATOMIC_RELEASE);
    __tsan_atomic32_fetch_add(&updated, 1, __ATOMIC_RELAXED);
    __tsan_atomic32_store(&stored, 1, __ATOMIC_RELEASE);
    __tsan_atomic32_store(&stored, 2, __ATOMIC_RELAXED);
  });
  const auto& edges = run.log().recording().host_edges;
  const std::size_t before = edges.size();
  __tsan_atomic32_load(&stored, __ATOMIC_ACQUIRE);
  EXPECT_EQ(edges.size(), before);
  __tsan_atomic32_load(&updated, __ATOMIC_ACQUIRE);
  EXPECT_EQ(edges.size(), before + 1);
}

TEST_F(Instrumentation, AHostThreadThatPollsLetsAnotherGoOn) {
  std::uint32_t flag = 0;
  const OtherThread other([&] {
    OtherThread::sleep_for(60);
    __tsan_atomic32_store(&flag, 1, 0);
  });
  while (__tsan_atomic32_load(&flag, 0) == 0) continue;
  EXPECT_EQ(flag, 1u);
}

}  // namespace
}  // namespace interposition
