// Eight chains of ten short kernels, issued in five ways: all in one stream, a chain in each of eight
// streams, both of these as a graph, and by eight host threads with a stream each. Prints, as medians of many
// rounds, what a launch costs the host, when all are issued and when all are done by the clock of the host,
// and how long the device took by events. The first argument is the number of rounds.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "show.h"

constexpr int chains = 8;
constexpr int length = 10;
constexpr int kernel_microseconds = 5;

using clock_type = std::chrono::steady_clock;

static double microseconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double, std::micro>(clock_type::now() - begin).count();
}

static double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Host threads that wait for the next round, so that no round pays for their creation.
class crew {
 public:
  explicit crew(std::function<void(int)> task) : task_(std::move(task)) {
    for (int i = 0; i < chains; ++i) threads_.emplace_back([this, i] { work(i); });
  }
  ~crew() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    begins_.notify_all();
    for (std::thread& each : threads_) each.join();
  }
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;

  /// Lets each thread do its task once, and waits for all.
  void run() {
    std::unique_lock lock(mutex_);
    ++round_;
    busy_ = chains;
    begins_.notify_all();
    ends_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void work(int index) {
    std::unique_lock lock(mutex_);
    for (int done = 0;; ++done) {
      begins_.wait(lock, [&] { return is_over_ || round_ > done; });
      if (is_over_) return;
      lock.unlock();
      task_(index);
      lock.lock();
      if (--busy_ == 0) ends_.notify_one();
    }
  }

  std::function<void(int)> task_;
  std::mutex mutex_;
  std::condition_variable begins_;
  std::condition_variable ends_;
  int round_ = 0;
  int busy_ = 0;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

struct way {
  const char* name;
  std::function<void()> issue;
  std::vector<double> issued{};  // microseconds, one a round, as the following
  std::vector<double> done{};
  std::vector<double> device{};
};

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 21;
  if (rounds < 1) {
    std::printf("the number of rounds is at least 1\n");
    return 2;
  }
  const show::device_memory device(chains);
  const long long cycles = show::cycles_of(kernel_microseconds);
  const show::stream streams[chains];
  const auto issue_chain = [&](int chain, int into) {
    for (int i = 0; i < length; ++i) show::work<<<1, 32, 0, streams[into]>>>(device + chain, 1, cycles);
  };
  const auto issue_in_one = [&] {
    for (int i = 0; i < chains; ++i) issue_chain(i, 0);
  };
  const auto issue_in_all = [&] {
    for (int i = 0; i < chains; ++i) issue_chain(i, i);
  };

  const show::event forked;
  const show::event joined[chains];
  cudaGraph_t graph_of_one = nullptr;
  CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal));
  issue_in_one();
  CHECK(cudaStreamEndCapture(streams[0], &graph_of_one));
  cudaGraph_t graph_of_all = nullptr;
  CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal));
  CHECK(cudaEventRecord(forked, streams[0]));
  for (int i = 1; i < chains; ++i) CHECK(cudaStreamWaitEvent(streams[i], forked, 0));
  issue_in_all();
  for (int i = 1; i < chains; ++i) {
    CHECK(cudaEventRecord(joined[i], streams[i]));
    CHECK(cudaStreamWaitEvent(streams[0], joined[i], 0));
  }
  CHECK(cudaStreamEndCapture(streams[0], &graph_of_all));
  cudaGraphExec_t ready_one = nullptr;
  cudaGraphExec_t ready_all = nullptr;
  clock_type::time_point begin = clock_type::now();
  CHECK(cudaGraphInstantiate(&ready_one, graph_of_one, 0));
  const double instantiated_one = microseconds_since(begin);
  begin = clock_type::now();
  CHECK(cudaGraphInstantiate(&ready_all, graph_of_all, 0));
  const double instantiated_all = microseconds_since(begin);

  crew threads([&](int i) { issue_chain(i, i); });
  way ways[] = {
      {"one stream", issue_in_one},
      {"eight streams", issue_in_all},
      {"graph of one stream", [&] { CHECK(cudaGraphLaunch(ready_one, streams[0])); }},
      {"graph of eight streams", [&] { CHECK(cudaGraphLaunch(ready_all, streams[0])); }},
      {"eight host threads", [&] { threads.run(); }},
  };

  // The clock of the host and events in rounds of their own: neither pays for the other.
  const auto by_host_clock = [](way& each) {
    const clock_type::time_point issuing = clock_type::now();
    each.issue();
    each.issued.push_back(microseconds_since(issuing));
    CHECK(cudaDeviceSynchronize());
    each.done.push_back(microseconds_since(issuing));
  };
  const show::event started;
  const show::event ended[chains];
  const auto by_events = [&](way& each) {
    CHECK(cudaEventRecord(started, streams[0]));
    each.issue();
    for (int i = 0; i < chains; ++i) CHECK(cudaEventRecord(ended[i], streams[i]));
    CHECK(cudaDeviceSynchronize());
    float latest = 0;
    for (const show::event& end : ended) latest = std::max(latest, show::milliseconds_between(started, end));
    each.device.push_back(1000.0 * latest);
  };
  for (way& each : ways) {  // what is done for the first time takes longer, and is not counted
    each.issue();
    CHECK(cudaDeviceSynchronize());
  }
  for (int round = 0; round < rounds; ++round) {
    for (way& each : ways) by_host_clock(each);
    for (way& each : ways) by_events(each);
  }

  std::printf("%d kernels of %d us, medians of %d round%s, in us\n", chains * length, kernel_microseconds,
              rounds, rounds == 1 ? "" : "s");
  std::printf("%-24s %10s %10s %10s %10s\n", "", "per launch", "issued", "done", "by events");
  for (const way& each : ways) {
    const double issued = median(each.issued);
    std::printf("%-24s %10.2f %10.1f %10.1f %10.1f\n", each.name, issued / (chains * length), issued,
                median(each.done), median(each.device));
  }
  std::printf("instantiated once: the graph of one stream in %.1f us, of eight streams in %.1f us\n",
              instantiated_one, instantiated_all);
  CHECK(cudaGraphExecDestroy(ready_all));
  CHECK(cudaGraphExecDestroy(ready_one));
  CHECK(cudaGraphDestroy(graph_of_all));
  CHECK(cudaGraphDestroy(graph_of_one));
}
