// trace_plans.cu: runs plans and prints what CUPTI says about each operation: begin and end in microseconds
// after the first of the plan began (of a gated plan: after the gate opened). CUPTI makes calls and kernels some
// microseconds slower; what it shows is the order.
//     nvcc -O2 -std=c++17 -arch=native -o trace_plans trace_plans.cu -lcupti && ./trace_plans plans.txt
//     trace_plans FILE [PLAN]
#include <cupti.h>

#include <cstdlib>

#include "plan.cuh"

namespace {

struct activity {
  unsigned correlation;
  std::uint64_t begin_ns, end_ns;  ///< since 1970: a double holds them only to a quarter of a microsecond
};

std::vector<activity> activities;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *size = 1 << 20;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, *size));
  *max_records = 0;
}

template <class Record>
void keep(const CUpti_Activity* record) {
  const auto* one = reinterpret_cast<const Record*>(record);
  activities.push_back({one->correlationId, one->start, one->end});
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) keep<CUpti_ActivityKernel10>(record);
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) keep<CUpti_ActivityMemcpy6>(record);
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY2) keep<CUpti_ActivityMemcpyPtoP4>(record);
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) keep<CUpti_ActivityMemset4>(record);
  }
  std::free(buffer);
}

}  // namespace

int main(int count, char** arguments) {
  using namespace random_plans;
  if (count < 2) {
    std::fprintf(stderr, "usage: trace_plans FILE [PLAN]\n");
    return 2;
  }
  cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
  for (const auto kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                          CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET}) {
    if (cuptiActivityEnable(kind) != CUPTI_SUCCESS) {
      std::fprintf(stderr, "CUPTI refuses\n");
      return 1;
    }
  }
  const int only = count > 2 ? std::atoi(arguments[2]) : 0;
  const std::vector<plan> plans = read_plans(arguments[1], only);
  const std::deque<stream_memory> memory = memory_for(plans);
  for (const plan& each : plans) {
    running_plan running(each, memory);
    running.run();
    running.run();
    cuptiActivityFlushAll(1);
    activities.clear();
    const std::vector<double> ends = running.run();
    cuptiActivityFlushAll(1);
    std::sort(activities.begin(), activities.end(),
              [](const activity& a, const activity& b) { return a.correlation < b.correlation; });
    std::vector<operation> expected;
    if (each.is_gated) expected.push_back({"gate"});
    for (const operation& one : each.operations) {
      if (one.kind != "record" && one.kind != "stamp" && one.kind != "wait") expected.push_back(one);
    }
    if (activities.size() != expected.size()) {
      std::fprintf(stderr, "plan %d: %zu records of %zu operations\n", each.id, activities.size(),
                   expected.size());
      continue;
    }
    const std::uint64_t zero = each.is_gated ? activities[0].end_ns : activities[0].begin_ns;
    const auto microseconds = [zero](std::uint64_t ns) { return double(std::int64_t(ns - zero)) * 1e-3; };
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const operation& one = expected[i];
      std::printf("operation %d %zu %s %d %zu %u %u %.2f %.2f\n", each.id, i, one.kind.c_str(), one.stream,
                  one.bytes, one.blocks, one.threads, microseconds(activities[i].begin_ns),
                  microseconds(activities[i].end_ns));
    }
    std::printf("ends %d", each.id);
    for (const double end : ends) std::printf(" %.2f", end);
    std::printf("\n");
  }
  return 0;
}
