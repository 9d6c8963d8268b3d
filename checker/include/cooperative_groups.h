// cooperative_groups.h: groups of threads that synchronize and exchange values: block, tile, coalesced
// threads, grid.
//
// Written from the CUDA C++ Programming Guide, "Cooperative Groups". Not modelled: clusters, tiles of more
// than a warp, invoke_one; a program that uses them does not compile.
//
//     auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
//     float sum = cooperative_groups::reduce(warp, value, cooperative_groups::plus<float>());
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

#include "cuda_runtime.h"

// Inlined, so that the code which reports name is the caller's.
#define VIRTUAL_GPU_INLINE __attribute__((always_inline)) inline

namespace cooperative_groups {

namespace details {

/// The lanes of a warp below that one.
inline unsigned int lanes_below(unsigned int lane) { return (1u << lane) - 1; }
inline unsigned int rank_in(unsigned int lanes) {
  return __popc(lanes & lanes_below(::virtual_gpu::lane_index()));
}
/// The lane with that rank among them.
inline unsigned int lane_of_rank(unsigned int lanes, unsigned int rank) {
  for (; rank > 0 && lanes != 0; --rank) lanes &= lanes - 1;
  return lanes != 0 ? __ffs(lanes) - 1 : 32;
}
/// A mask of lanes as a mask of ranks.
inline unsigned int as_ranks(unsigned int members, unsigned int lanes) {
  unsigned int ranks = 0;
  for (unsigned int rank = 0; members != 0; members &= members - 1, ++rank) {
    ranks |= ((lanes >> (__ffs(members) - 1)) & 1u) << rank;
  }
  return ranks;
}
inline unsigned int thread_rank_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

/// A shuffle of any value that can be copied, in pieces of eight bytes.
template <typename Value, typename Shuffle>
VIRTUAL_GPU_INLINE Value shuffled(const Value& value, Shuffle shuffle) {
  static_assert(__is_trivially_copyable(Value),
                "only values that can be copied byte by byte can be shuffled");
  constexpr unsigned int pieces = (sizeof(Value) + 7) / 8;
  unsigned long long bits[pieces] = {};
  __builtin_memcpy(bits, &value, sizeof value);
  for (unsigned long long& piece : bits) piece = shuffle(piece);
  Value result = value;
  __builtin_memcpy(&result, bits, sizeof result);
  return result;
}

}  // namespace details

class grid_group;
class coalesced_group;
class thread_block;

/// What all groups up to a block have in common.
class thread_group {
 public:
  unsigned long long size() const { return num_threads(); }
  unsigned long long num_threads() const {
    return is_block_ ? blockDim.x * blockDim.y * blockDim.z : __popc(lanes_);
  }
  unsigned long long thread_rank() const {
    return is_block_ ? details::thread_rank_in_block() : details::rank_in(lanes_);
  }
  VIRTUAL_GPU_INLINE void sync() const {
    if (is_block_) {
      __syncthreads();
    } else {
      __syncwarp(lanes_);
    }
  }
  bool is_valid() const { return true; }

 protected:
  explicit thread_group(bool is_block, unsigned int lanes) : lanes_(lanes), is_block_(is_block) {}
  unsigned int lanes_;  ///< of the warp; for a block: nothing
  bool is_block_;
  friend thread_group tiled_partition(const thread_group& parent, unsigned int size);
};

class thread_block : public thread_group {
 public:
  static unsigned int thread_rank() { return details::thread_rank_in_block(); }
  static unsigned int num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned int size() { return num_threads(); }
  VIRTUAL_GPU_INLINE static void sync() { __syncthreads(); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 dim_threads() { return blockDim; }
  static dim3 group_dim() { return blockDim; }

 private:
  thread_block() : thread_group(true, 0) {}
  friend thread_block this_thread_block();
};

inline thread_block this_thread_block() { return {}; }

/// What tiles and coalesced groups have in common: lanes of one warp.
class lane_group : public thread_group {
 public:
  unsigned int thread_rank() const { return details::rank_in(lanes_); }
  unsigned int num_threads() const { return __popc(lanes_); }
  unsigned int size() const { return num_threads(); }
  VIRTUAL_GPU_INLINE void sync() const { __syncwarp(lanes_); }

  VIRTUAL_GPU_INLINE int any(int predicate) const { return __any_sync(lanes_, predicate); }
  VIRTUAL_GPU_INLINE int all(int predicate) const { return __all_sync(lanes_, predicate); }
  VIRTUAL_GPU_INLINE unsigned int ballot(int predicate) const {
    return details::as_ranks(lanes_, __ballot_sync(lanes_, predicate));
  }
  template <typename Value>
  VIRTUAL_GPU_INLINE unsigned int match_any(Value value) const {
    return details::as_ranks(lanes_, __match_any_sync(lanes_, value));
  }
  template <typename Value>
  VIRTUAL_GPU_INLINE unsigned int match_all(Value value, int& are_all_equal) const {
    return details::as_ranks(lanes_, __match_all_sync(lanes_, value, &are_all_equal));
  }

  /// The lanes of the threads with those ranks.
  unsigned int lanes_of(unsigned int ranks) const {
    unsigned int lanes = 0;
    for (; ranks != 0; ranks &= ranks - 1) lanes |= 1u << details::lane_of_rank(lanes_, __ffs(ranks) - 1);
    return lanes;
  }
  /// The value of the thread with that rank.
  template <typename Value>
  VIRTUAL_GPU_INLINE Value shfl(Value value, int rank) const {
    return from(value, details::lane_of_rank(lanes_, static_cast<unsigned int>(rank) % num_threads()));
  }
  template <typename Value>
  VIRTUAL_GPU_INLINE Value shfl_up(Value value, unsigned int delta) const {
    const unsigned int own = thread_rank();
    return from(value, details::lane_of_rank(lanes_, own < delta ? own : own - delta));
  }
  template <typename Value>
  VIRTUAL_GPU_INLINE Value shfl_down(Value value, unsigned int delta) const {
    const unsigned int own = thread_rank();
    return from(value, details::lane_of_rank(lanes_, own + delta < num_threads() ? own + delta : own));
  }

 protected:
  explicit lane_group(unsigned int lanes) : thread_group(false, lanes) {}
  template <typename Value>
  VIRTUAL_GPU_INLINE Value from(const Value& value, unsigned int lane) const {
    return details::shuffled(
        value, [&](unsigned long long piece) __attribute__((always_inline)) {
          return __shfl_sync(lanes_, piece, static_cast<int>(lane));
        });
  }
};

template <unsigned int Size, typename Parent = void>
class thread_block_tile : public lane_group {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "the virtual GPU models tiles of 1, 2, 4, 8, 16 and 32 threads");

 public:
  /// Of a block or a larger tile; tiled_partition makes it.
  thread_block_tile()
      : lane_group((Size == 32 ? ~0u : (1u << Size % 32) - 1)
                   << (::virtual_gpu::lane_index() & ~(Size - 1))),
        parent_size_(size_of_parent()) {}
  /// A type without a parent is for tiles of any.
  template <typename Other, typename Own = Parent,
            typename = typename std::enable_if<std::is_same<Own, void>::value && !std::is_same<Other, void>::value>::type>
  thread_block_tile(const thread_block_tile<Size, Other>& tile)
      : lane_group(tile), parent_size_(tile.meta_group_size() * Size) {}

  static unsigned int thread_rank() { return ::virtual_gpu::lane_index() & (Size - 1); }
  static constexpr unsigned int num_threads() { return Size; }
  static constexpr unsigned int size() { return Size; }
  unsigned int meta_group_rank() const { return details::thread_rank_in_block() / Size % meta_group_size(); }
  unsigned int meta_group_size() const { return parent_size_ / Size; }
  template <typename Value>
  VIRTUAL_GPU_INLINE Value shfl_xor(Value value, unsigned int lane_mask) const {
    return details::shuffled(
        value, [&](unsigned long long piece) __attribute__((always_inline)) {
          return __shfl_xor_sync(lanes_, piece, static_cast<int>(lane_mask), Size);
        });
  }

 private:
  static unsigned int size_of_parent() {
    if constexpr (requires_block()) {
      return (blockDim.x * blockDim.y * blockDim.z + Size - 1) / Size * Size;
    } else {
      return Parent::num_threads();
    }
  }
  static constexpr bool requires_block() {
    return std::is_same<Parent, thread_block>::value || std::is_same<Parent, void>::value;
  }

  unsigned int parent_size_;
};

class coalesced_group : public lane_group {
 public:
  unsigned int meta_group_rank() const { return 0; }
  unsigned int meta_group_size() const { return 1; }

 private:
  explicit coalesced_group(unsigned int lanes) : lane_group(lanes) {}
  friend VIRTUAL_GPU_INLINE coalesced_group coalesced_threads();
  template <typename Group>
  friend coalesced_group binary_partition(const Group& parent, bool predicate);
  template <typename Label, typename Group>
  friend coalesced_group labeled_partition(const Group& parent, Label label);
};

/// The threads of the warp that are here together. @see __activemask
VIRTUAL_GPU_INLINE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned int Size, typename Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}

/// Tiles of a size known at run time: a power of two up to 32 that divides the parent.
inline thread_group tiled_partition(const thread_group& parent, unsigned int size) {
  const unsigned int lane = ::virtual_gpu::lane_index();
  if (parent.is_block_) {
    const unsigned int tile = (size >= 32 ? ~0u : (1u << size) - 1) << (lane & ~(size - 1));
    return thread_group(false, tile);
  }
  const unsigned int first = details::rank_in(parent.lanes_) / size * size;
  unsigned int tile = 0;
  for (unsigned int rank = first; rank < first + size; ++rank) {
    const unsigned int member = details::lane_of_rank(parent.lanes_, rank);
    if (member < 32) tile |= 1u << member;
  }
  return thread_group(false, tile);
}

/// Those threads of a tile or a coalesced group whose label is the same.
template <typename Label, typename Group>
VIRTUAL_GPU_INLINE coalesced_group labeled_partition(const Group& parent, Label label) {
  return coalesced_group(parent.lanes_of(parent.match_any(label)));
}
/// Those whose predicate is the same.
template <typename Group>
VIRTUAL_GPU_INLINE coalesced_group binary_partition(const Group& parent, bool predicate) {
  return labeled_partition(parent, static_cast<int>(predicate));
}

/// All threads of the launch. sync() needs a cooperative launch; otherwise the kernel fails.
class grid_group {
 public:
  bool is_valid() const { return ::virtual_gpu::is_cooperative(); }
  VIRTUAL_GPU_INLINE void sync() const { ::virtual_gpu::wait_for_grid(); }
  static dim3 group_dim() { return gridDim; }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 block_index() { return blockIdx; }
  static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static unsigned long long num_threads() { return num_blocks() * thread_block::num_threads(); }
  static unsigned long long size() { return num_threads(); }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::num_threads() + details::thread_rank_in_block();
  }
};

inline grid_group this_grid() { return {}; }

template <typename Group>
VIRTUAL_GPU_INLINE void sync(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups

#undef VIRTUAL_GPU_INLINE
