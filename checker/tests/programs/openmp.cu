// OpenMP with four threads, one stream each. Prints what is wrong; the macros break one thing each.
#include <omp.h>

#include <cstdio>
#include <vector>

namespace {

constexpr int threads = 4;
constexpr int part = 1 << 18;

int failures = 0;

void require(bool is_right, const char* sentence) {
  if (is_right) return;
  std::printf("not so: %s\n", sentence);
  ++failures;
}

__global__ void increase(int* data) { ++data[blockIdx.x * blockDim.x + threadIdx.x]; }

__global__ void add_all_first(int* data) {
  for (int i = 0; i < threads; ++i) data[threads * part] += data[i * part];
}

// The last thread adds up what the kernels of all left.
void each_thread_has_its_part() {
  int* host = nullptr;
  int* device = nullptr;
  cudaMallocHost(&host, (threads * part + 1) * sizeof(int));
  cudaMalloc(&device, (threads * part + 1) * sizeof(int));
  for (int i = 0; i <= threads * part; ++i) host[i] = 0;
#pragma omp parallel num_threads(threads)
  {
    const int number = omp_get_thread_num();
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    const std::size_t begin = static_cast<std::size_t>(number) * part;
    const std::size_t count = part + (number == threads - 1 ? 1 : 0);
    cudaMemcpyAsync(device + begin, host + begin, count * sizeof(int), cudaMemcpyHostToDevice, stream);
    increase<<<part / 256, 256, 0, stream>>>(device + begin);
    cudaStreamSynchronize(stream);
#ifndef NO_BARRIER
#pragma omp barrier
#endif
    if (number == threads - 1) add_all_first<<<1, 1, 0, stream>>>(device);
    cudaMemcpyAsync(host + begin, device + begin, count * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
  }
  int right = 0;
  for (int i = 0; i < threads * part; ++i) right += host[i];
  require(right == threads * part, "each thread works on its own part");
#ifndef NO_BARRIER
  require(host[threads * part] == threads, "what is behind a barrier finds what was before it");
#endif
  cudaFree(device);
  cudaFreeHost(host);
}

void the_current_device_stays() {
  std::vector<int> found(threads);
#pragma omp parallel num_threads(threads)
  cudaSetDevice(omp_get_thread_num() % 2);
#pragma omp parallel num_threads(threads)
  cudaGetDevice(&found[static_cast<std::size_t>(omp_get_thread_num())]);
  require(found == std::vector<int>{0, 1, 0, 1}, "threads are kept, with their current devices");
}

void loops_share_all_iterations() {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += i;
  require(sum == 4950, "a static loop");
  sum = 0;
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : sum) num_threads(3)
  for (int i = 0; i < 100; ++i) sum += i;
  require(sum == 4950, "a dynamic loop");
  sum = 0;
#pragma omp parallel for schedule(guided) reduction(+ : sum)
  for (unsigned long long i = 100; i > 0; i -= 2) sum += static_cast<long>(i);
  require(sum == 2550, "a guided loop that goes down, without a sign");
  omp_set_schedule(omp_sched_static, 2);
  sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int i = 99; i >= 0; i -= 3) sum += i;
  require(sum == 1683, "a loop whose schedule the program sets");
  std::vector<int> of_threads(threads);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (int i = 0; i < 40; ++i) {
    cudaFree(nullptr);
    ++of_threads[static_cast<std::size_t>(omp_get_thread_num())];
  }
  for (const int count : of_threads) require(count > 0, "every thread has some of a dynamic loop");
}

template <typename Loop>
void require_order(const Loop& loop, const char* sentence) {
  std::vector<int> order;
  loop(order);
  for (std::size_t i = 0; i < order.size(); ++i) require(order[i] == static_cast<int>(i), sentence);
  require(order.size() == 21, sentence);
}

void ordered_loops_keep_the_order() {
  require_order(
      [](std::vector<int>& order) {
#pragma omp parallel for ordered schedule(static, 2)
        for (int i = 0; i < 21; ++i) {
#pragma omp ordered
          order.push_back(i);
        }
      },
      "an ordered static loop");
  require_order(
      [](std::vector<int>& order) {
#pragma omp parallel for ordered schedule(dynamic)
        for (int i = 0; i < 21; ++i) {
          cudaFree(nullptr);
#pragma omp ordered
          order.push_back(i);
        }
      },
      "an ordered dynamic loop");
}

void constructs_are_met_by_the_right_threads() {
  int once = 0;
  int copies = 0;
  int guarded = 0;
  int sections = 0;
  int tasks = 0;
  int last = -1;
  long double atomically = 0;
  omp_lock_t lock;
  omp_nest_lock_t nested_lock;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nested_lock);
#pragma omp parallel num_threads(threads)
  {
    int mine = 0;
#pragma omp single
    ++once;
#pragma omp single copyprivate(mine)
    mine = 7;
#pragma omp critical
    copies += mine;
    for (int i = 0; i < 10; ++i) {
#pragma omp single nowait
      cudaFree(nullptr);
#pragma omp critical(other)
      ++guarded;
      omp_set_lock(&lock);
      ++once;
      omp_unset_lock(&lock);
    }
#pragma omp atomic
    atomically += 1;
    omp_set_nest_lock(&nested_lock);
    require(omp_test_nest_lock(&nested_lock) == 2, "a nested lock counts");
    omp_unset_nest_lock(&nested_lock);
    omp_unset_nest_lock(&nested_lock);
#pragma omp sections reduction(+ : sections)
    {
#pragma omp section
      sections += 1;
#pragma omp section
      sections += 10;
#pragma omp section
      sections += 100;
    }
#pragma omp for lastprivate(last) schedule(dynamic)
    for (int i = 0; i < 17; i += 2) last = i;
#pragma omp single
    for (int i = 1; i < 5; ++i) {
#pragma omp task firstprivate(i) shared(tasks)
      tasks += i;
    }
#pragma omp parallel num_threads(3)
    require(omp_get_num_threads() == 1 && omp_get_level() == 2 && omp_get_team_size(1) == threads,
            "a region inside another has one thread");
  }
  require(once == 41, "single and locks");
  require(copies == 28 && guarded == 40, "copyprivate and critical");
  require(atomically == threads, "an atomic update of any type");
  require(sections == 111 && last == 16 && tasks == 10, "sections, lastprivate and tasks");
}

void numbers_do_not_depend_on_the_machine() {
  int count = 0;
#pragma omp parallel reduction(+ : count)
  ++count;
  require(count == threads && omp_get_max_threads() == threads && omp_get_num_procs() == threads,
          "four threads");
  require(!omp_in_parallel() && omp_get_num_threads() == 1 && omp_get_thread_num() == 0, "one outside");
  omp_set_num_threads(6);
  count = 0;
#pragma omp parallel reduction(+ : count)
  ++count;
  require(count == 6, "as many as the program sets");
  const double begin = omp_get_wtime();
  cudaFree(nullptr);
  require(omp_get_wtime() > begin && omp_get_wtime() < begin + 0.1, "the time is that of the simulation");
}

}  // namespace

int main() {
  each_thread_has_its_part();
  the_current_device_stays();
  loops_share_all_iterations();
  ordered_loops_keep_the_order();
  constructs_are_met_by_the_right_threads();
  numbers_do_not_depend_on_the_machine();
#ifdef TARGET
#pragma omp target
  ++failures;
#endif
#ifdef LONELY_BARRIER
#pragma omp parallel
  if (omp_get_thread_num() == 1) {
#pragma omp barrier
  }
#endif
  return failures;
}
