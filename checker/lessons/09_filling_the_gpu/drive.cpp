// Feeds the functions of lesson 09 from a request and hands back the values of all jobs.
#include "exercise/drive_kit.h"
#include "filling_the_gpu.h"

using namespace exercise;

namespace {

/// Blocks of `advance` that the device has room for at once.
int places_on_device() {
  int multiprocessors = 0;
  int blocks_on_each = 0;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_on_each, advance, threads_per_block, 0);
  return multiprocessors * blocks_on_each;
}

/// A job for each size, which together have all the elements.
std::vector<job> make_jobs(workspace& space, const std::vector<int>& tiles, int elements) {
  std::int64_t all_tiles = 0;
  for (const int count : tiles) all_tiles += count;
  std::vector<job> jobs;
  std::int64_t tiles_before = 0;
  for (const int count : tiles) {
    job added{};
    added.tiles = count;
    added.first = static_cast<int>(elements * tiles_before / all_tiles);
    tiles_before += count;
    added.elements = static_cast<int>(elements * tiles_before / all_tiles) - added.first;
    const std::string name = "jobs[" + std::to_string(jobs.size()) + "].";
    added.values = space.device(added.elements, name + "values");
    added.output = space.pinned(added.elements, name + "output");
    jobs.push_back(added);
  }
  return jobs;
}

void bring_input(const std::vector<job>& jobs, const std::vector<float>& input) {
  for (const job& one : jobs) {
    cudaMemcpy(one.values, input.data() + one.first, one.elements * sizeof(float), cudaMemcpyHostToDevice);
  }
  cudaDeviceSynchronize();
}

void take_output(const std::vector<job>& jobs, std::vector<float>& output) {
  for (std::size_t index = 0; index < jobs.size(); ++index)
    note_source("output", jobs[index].first, "jobs[" + std::to_string(index) + "].output");
  for (const job& one : jobs)
    std::memcpy(output.data() + one.first, one.output, one.elements * sizeof(float));
}

/// What `advance` is to be launched with, a row for each job: its integers.
std::vector<std::int64_t> arguments_of(const job_list& work) {
  std::vector<std::int64_t> rows;
  for (int index = 0; index < work.count; ++index) {
    const job& one = work.jobs[index];
    rows.insert(rows.end(), {one.first, one.elements, one.tiles, work.cycles});
  }
  return rows;
}

/// The cycles for which a tile takes `tile_to_launch` times as long as a kernel that does nothing, and its length in
/// nanoseconds.
std::array<double, 2> calibrated_tile(const job_list& work, double tile_to_launch) {
  const job& first = work.jobs[0];
  const cudaStream_t stream = work.streams[0];
  const auto milliseconds_of_kernel = [&](long long cycles) {
    return median_milliseconds(stream, [&] {
      advance<<<first.tiles, threads_per_block, 0, stream>>>(first.values, first.first, first.elements,
                                                             first.tiles, cycles);
    });
  };
  milliseconds_of_kernel(0);  // the first launch is slower
  const double tile = milliseconds_of_kernel(0) * tile_to_launch;
  return {cycles_for(tile, 50'000, milliseconds_of_kernel), tile * 1e6};
}

/// Asks how many streams are good for so many and so small jobs that each could have a stream, and more would be needed than
/// there are; where the first and the last of them fill this GPU, each by itself; and where all do, on one that has `larger` times the
/// places.
void ask_about_others(job_list work, int larger, message& answer) {
  workspace space;
  work.count = max_streams + 8;
  job* const asked_about = space.plain(std::vector<job>(work.count, work.jobs[0]), "jobs");
  work.jobs = asked_about;
  const auto set_tiles = [&](int tiles) {
    for (int index = 0; index < work.count; ++index) asked_about[index].tiles = tiles;
  };
  set_tiles(1);
  answer.set("small_jobs", std::int64_t{work.count});
  answer.set("streams_for.small_jobs", std::int64_t{streams_for(work)});
  constexpr int large_jobs = 4;  // on either side
  for (int index = 0; index < large_jobs; ++index)
    asked_about[index].tiles = asked_about[work.count - 1 - index].tiles = work.places;
  answer.set("tiles_of_uneven_jobs",
             std::int64_t{2 * large_jobs * work.places + work.count - 2 * large_jobs});
  answer.set("streams_for.uneven_jobs", std::int64_t{streams_for(work)});
  set_tiles(work.places);
  work.places *= larger;
  answer.set("streams_for.larger_gpu", std::int64_t{streams_for(work)});
}

/// Some jobs, one round of each, in fewer streams than streams_for() would choose.
void take_few_streams(job_list work, const message& request, message& answer) {
  work.count = std::min(work.count, static_cast<int>(request.integer("driver.few_jobs")));
  work.rounds = 1;
  const std::int64_t streams = request.integer("driver.few_streams");
  part_of_call("few streams", [&] { run_jobs(work, static_cast<int>(streams)); });
  answer.set("few_streams", streams);
  answer.set("few_streams.arguments", arguments_of(work));
  cudaDeviceSynchronize();
}

/// Each setting of the request in a part of its own: so many streams, and jobs of so many percent of the places. The sum
/// of the tiles stays the same.
void sweep(job_list work, const std::vector<float>& input, const message& request, message& answer) {
  constexpr int percent_of_all = 600;
  const auto& streams = request.values<std::int64_t>("sweep.streams");
  const auto& percents = request.values<std::int64_t>("sweep.percent");
  std::vector<std::int64_t> digests;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    workspace space;
    const int percent = static_cast<int>(percents[i]);
    const std::vector<int> tiles(percent_of_all / percent, std::max(1, work.places * percent / 100));
    const std::vector<job> jobs = make_jobs(space, tiles, static_cast<int>(input.size()));
    work.jobs = space.plain(jobs, "jobs");
    work.count = static_cast<int>(jobs.size());
    space.poison(request);
    bring_input(jobs, input);
    part("sweep " + std::to_string(i), [&] { run_jobs(work, static_cast<int>(streams[i])); });
    std::vector<float> output = equal_floats(input.size(), 0);
    take_output(jobs, output);
    digests.push_back(digest(output.data(), output.size() * sizeof(float)));
    cudaDeviceSynchronize();
  }
  answer.set("sweep.digests", digests);
}

}  // namespace

void drive(const message& request, message& answer) {
  const std::vector<float>& input = request.values<float>("input");
  workspace space;
  job_list work{};
  work.rounds = static_cast<int>(request.integer("rounds"));
  work.places = places_on_device();
  for (int i = 0; i < max_streams; ++i) work.streams[i] = space.stream("streams[" + std::to_string(i) + "]");
  std::vector<int> tiles;
  for (const std::int64_t percent : request.values<std::int64_t>("percent_of_places")) {
    tiles.push_back(std::max(1, static_cast<int>(work.places * percent / 100)));
  }
  const std::vector<job> jobs = make_jobs(space, tiles, static_cast<int>(input.size()));
  work.jobs = space.plain(jobs, "jobs");
  work.count = static_cast<int>(jobs.size());

  const double tile_to_launch = request.number("tile_to_launch");
  const auto tile = calibrated(request, answer, {"cycles", "tile_nanoseconds"},
                               [&] { return calibrated_tile(work, tile_to_launch); });
  work.cycles = static_cast<long long>(tile[0]);
  std::int64_t all_tiles = 0;
  for (const int count : tiles) all_tiles += count;
  answer.set("tiles", all_tiles);
  answer.set("tiles_of_largest_job", std::int64_t{*std::max_element(tiles.begin(), tiles.end())});
  answer.set("places", std::int64_t{work.places});
  const bool is_other_number = request.has("streams");
  const int other_number = is_other_number ? static_cast<int>(request.integer("streams")) : 0;
  if (request.has("sweep.streams")) return sweep(work, input, request, answer);

  std::vector<float> output = equal_floats(input.size(), 0);
  space.poison(request);
  bring_input(jobs, input);
  int number = 0;
  int own_number = 0;
  learner_part([&] {
    own_number = streams_for(work);
    number = is_other_number ? other_number : own_number;
    run_jobs(work, number);
    take_output(jobs, output);  // at once, as the contract says
    if (is_other_number)
      ask_about_others(work, static_cast<int>(request.integer("driver.larger_gpu")), answer);
  });
  answer.set("output", output);
  answer.set("streams_for", std::int64_t{own_number});
  answer.set("arguments", arguments_of(work));
  answer.set("streams", std::int64_t{std::min(number, work.count)});
  cudaDeviceSynchronize();
  if (is_other_number) take_few_streams(work, request, answer);
}
