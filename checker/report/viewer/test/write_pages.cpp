// write_pages FOLDER OPERATIONS: the pages that viewer_test.mjs opens, of which large.html has about that many operations.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "report/sample_runs.h"
#include "report/timeline/timeline_html.h"

namespace report {
namespace {

/// Two streams; the copy of the second waits for the engine, which the copy of the first keeps busy.
trace::recording engine_sample() {
  sample_run run;
  const trace::stream_id first = run.stream(), second = run.stream();
  run.copy_to_device(first, 0, 10, 110);
  run.recording.operations.back().bytes = 1'000'000;
  run.copy_to_device(second, 3, 110, 210);
  run.recording.operations.back().waited_for = {{{.kind = trace::constraint_kind::engine_busy,
                                                  .operation = 1,
                                                  .until = std::chrono::microseconds{110}}}};
  run.kernel("scale", first, 6, 110, 160);
  run.kernel("scale", second, 9, 210, 260);
  const std::chrono::microseconds start{210}, end{260};
  run.recording.devices.front().multiprocessors = 24;
  run.recording.residencies = {
      {.operation = 4, .multiprocessor = 1, .multiprocessors = 2, .blocks = 3, .start = start, .end = end},
      {.operation = 4, .multiprocessor = 20, .blocks = 2, .start = start, .end = end}};
  run.call("cudaDeviceSynchronize", 14, 262);
  return run.recording;
}

/// A kernel that waits for an event behind the copy of another stream.
trace::recording event_sample() {
  sample_run run;
  const trace::stream_id first = run.stream(), second = run.stream();
  run.copy_to_device(first, 0, 10, 110);
  run.record(first, 3, 110);
  run.wait(second, 6, 110);
  run.recording.operations.back().captured = 2;
  run.kernel("scale", second, 9, 111, 160);
  run.recording.ranges = {{.name = "load",
                           .domain = "library",
                           .thread = 1,
                           .start = std::chrono::microseconds{0},
                           .end = std::chrono::microseconds{40},
                           .colour = 0xffffc107,
                           .payload = "3"}};
  return run.recording;
}

/// Names as a program might choose them to break out of the page.
trace::recording hostile_sample() {
  sample_run run;
  const trace::stream_id stream = run.stream();
  run.recording.streams.back().name = "\"><svg onload=document.title=1>";
  run.kernel("</script><script>document.title=1</script><img src=x onerror=document.title=1>", stream, 0, 10,
             60);
  run.kernel("<!--<script>", stream, 3, 60, 110);
  constexpr char with_zero[] = "bytes \xff\xfe \x1b[31m \0 end";
  run.kernel(std::string(with_zero, sizeof with_zero - 1), stream, 6, 110, 160);
  run.kernel("very_long_name_" + std::string(5000, 'x'), stream, 9, 160, 210);
  return run.recording;
}

/// Eight streams of copies and kernels that are a few microseconds long.
trace::recording large_sample(int operations) {
  sample_run run;
  std::vector<trace::stream_id> streams;
  for (int i = 0; i < 8; ++i) streams.push_back(run.stream());
  for (int i = 0; i < operations / 3; ++i) {
    const trace::stream_id stream = streams[i % 8];
    const int time = 10 * i;
    run.copy_to_device(stream, time, time + 4, time + 13);
    run.kernel(i % 3 == 0 ? "scale" : "reduce", stream, time + 1, time + 13, time + 20 + i % 3);
    run.copy_to_host(stream, time + 2, time + 23, time + 32);
  }
  return run.recording;
}

void write(const std::filesystem::path& file, const std::string& title, const std::vector<page_run>& runs) {
  std::ofstream(file) << timeline_html(title, "", runs);
}

}  // namespace
}  // namespace report

int main(int argument_count, char** arguments) {
  if (argument_count != 3) return 2;
  const std::filesystem::path folder = arguments[1];
  const trace::recording engine = report::engine_sample(), hostile = report::hostile_sample(),
                         serial = report::serial_sample(), overlapped = report::overlapped_sample(),
                         events = report::event_sample(), nothing,
                         large = report::large_sample(std::atoi(arguments[2]));
  report::write(folder / "engine.html", "Page", {{.heading = "Run", .recording = &engine, .part = ""}});
  report::write(folder / "hostile.html", "<b>Title",
                {{.heading = "<i>Run", .recording = &hostile, .part = ""}});
  report::write(
      folder / "compared.html", "Compared",
      {{.heading = "Yours", .recording = &serial}, {.heading = "The solution", .recording = &overlapped}});
  report::write(folder / "events.html", "Events", {{.heading = "Run", .recording = &events, .part = ""}});
  report::write(folder / "nothing.html", "Nothing", {{.heading = "Run", .recording = &nothing}});
  report::write(folder / "large.html", "Large", {{.heading = "Run", .recording = &large, .part = ""}});
  return 0;
}
