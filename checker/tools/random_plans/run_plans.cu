// run_plans.cu: runs plans and prints when all and each stream ended, in microseconds after the begin of the plan, and
// how long the host was in each call: medians over repetitions. The first repetition, which loads the kernels, is not counted. On a GPU run one plan
// a process: streams of earlier plans decide which hardware queues later ones get.
//     nvcc -O2 -std=c++17 -arch=native -o run_plans run_plans.cu && ./run_plans plans.txt 15 7
//     run_plans FILE REPETITIONS [PLAN]
//     streamlings run --profile h200 run_plans.cu -- plans.txt 1
#include "plan.cuh"

int main(int count, char** arguments) {
  using namespace random_plans;
  if (count < 3) {
    std::fprintf(stderr, "usage: run_plans FILE REPETITIONS [PLAN]\n");
    return 2;
  }
  const int repetitions = std::atoi(arguments[2]);
  const int only = count > 3 ? std::atoi(arguments[3]) : 0;
  const std::vector<plan> plans = read_plans(arguments[1], only);
  const std::deque<stream_memory> memory = memory_for(plans);
  for (const plan& each : plans) {
    running_plan running(each, memory);
    running.run();
    std::vector<double> totals;
    std::vector<std::vector<double>> ends(each.priorities.size()), calls(each.operations.size());
    for (int i = 0; i < repetitions; ++i) {
      const std::vector<double> once = running.run();
      totals.push_back(*std::max_element(once.begin(), once.end()));
      for (std::size_t stream = 0; stream < once.size(); ++stream) ends[stream].push_back(once[stream]);
      for (std::size_t call = 0; call < calls.size(); ++call) calls[call].push_back(running.call_us()[call]);
    }
    std::printf("total %d %.2f\nends %d", each.id, middle(totals), each.id);
    for (const std::vector<double>& of_stream : ends) std::printf(" %.2f", middle(of_stream));
    std::printf("\ncalls %d", each.id);
    for (const std::vector<double>& of_call : calls) std::printf(" %.2f", middle(of_call));
    std::printf("\n");
  }
  return 0;
}
