// The page of timeline_html.h as a browser shows it: a script added to the page does what a reader would do,
// and leaves what it saw in the document. A ctest entry of its own, which is skipped where there is no Chromium.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "report/sample_runs.h"
#include "report/timeline/timeline_html.h"

namespace report {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr auto reader = R"(<script>
const seen = [];
const note = (name, value) => seen.push(`@${name}=${String(value).replaceAll("\n", " ")}`);
const span = (key, lane = -1) => [...document.querySelectorAll(`[data-key=${key}]`)].at(lane);
const facts = () => document.querySelector(".facts").innerText;
const width = (key) => Number(span(key).querySelector("rect").getAttribute("width"));
const press = (key, more = {}) =>
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...more }));

note("tools", document.querySelector(".tools").hidden);
note("idle", facts());
span("o1").dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
note("hover", facts());
span("o1").closest("svg.timeline").dispatchEvent(new PointerEvent("pointerleave"));
note("left", facts());

const before = width("o1");
const box = span("o1").getBoundingClientRect();
span("o1").dispatchEvent(new WheelEvent("wheel",
  { deltaY: -200, clientX: box.left, clientY: box.top, bubbles: true, cancelable: true }));
note("wheel", (width("o1") / before).toFixed(2));
note("stays", Math.abs(span("o1").getBoundingClientRect().left - box.left) < 2);
press("0");
note("whole", (width("o1") / before).toFixed(2));

span("o2").focus();
note("focus", facts());
note("arrows", document.querySelectorAll(".arrow").length);
note("sources", document.querySelectorAll(".source").length);
press("+");
note("plus", (width("o2") / before).toFixed(2));
press("ArrowRight");
note("right", document.activeElement.dataset.key);
press("ArrowUp");
note("up", document.activeElement.dataset.key);
press("Escape");
note("escape", facts());

press("0");
document.querySelector("[data-action='+']").click();
note("button", (width("o2") / before).toFixed(2));
const held = span("o2").getBoundingClientRect();
const pointer = (by) => ({ button: 0, clientX: held.left + by, clientY: held.top, bubbles: true });
span("o2").dispatchEvent(new PointerEvent("pointerdown", pointer(0)));
window.dispatchEvent(new PointerEvent("pointermove", pointer(40)));
window.dispatchEvent(new PointerEvent("pointerup", pointer(40)));
note("drag", Math.round(span("o2").getBoundingClientRect().left - held.left));
window.dispatchEvent(new PointerEvent("pointermove", pointer(90)));
note("dropped", Math.round(span("o2").getBoundingClientRect().left - held.left));
document.body.append(seen.join("\n") + "\n@end");
</script></body>)";

std::string browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    if (std::system((std::string("command -v ") + name + " >/dev/null 2>&1").c_str()) == 0) return name;
  }
  return "";
}

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
  run.call("cudaDeviceSynchronize", 14, 262);
  return run.recording;
}

/// What the reader noted, by name.
std::map<std::string, std::string> notes_of_a_reader() {
  const trace::recording recording = engine_sample();
  std::string page = timeline_html("Page", "", {{.heading = "Run", .recording = &recording, .part = ""}});
  page.replace(page.find("</body>"), 7, reader);
  std::string folder = (std::filesystem::temp_directory_path() / "timeline_page.XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder");
  std::ofstream(folder + "/page.html") << page;
  const std::string command = browser() + " --headless --no-sandbox --disable-gpu --user-data-dir='" +
                              folder + "/profile' --window-size=1200,800 --dump-dom 'file://" + folder +
                              "/page.html' 2>/dev/null";
  std::string document;
  FILE* output = popen(command.c_str(), "r");
  std::array<char, 4096> bytes;
  while (const std::size_t count = std::fread(bytes.data(), 1, bytes.size(), output)) {
    document.append(bytes.data(), count);
  }
  pclose(output);
  std::filesystem::remove_all(folder);

  std::map<std::string, std::string> notes;
  std::istringstream lines(document.substr(std::min(document.size(), document.rfind("</script>"))));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find('@'), equals = line.find('=');
    if (at == 0 && equals != std::string::npos) notes[line.substr(1, equals - 1)] = line.substr(equals + 1);
    const std::size_t begin = line.find(">@");
    if (begin != std::string::npos)
      notes[line.substr(begin + 2, equals - begin - 2)] = line.substr(equals + 1);
  }
  return notes;
}

class TimelinePage : public testing::Test {
 protected:
  static void SetUpTestSuite() { notes_ = notes_of_a_reader(); }
  static const std::string& note(const std::string& name) { return notes_[name]; }

 private:
  static inline std::map<std::string, std::string> notes_;
};

TEST_F(TimelinePage, ShowsItsToolsWhenTheScriptRuns) { EXPECT_EQ(note("tools"), "false"); }

TEST_F(TimelinePage, PointingAtACopyTellsItsBytesAndRate) {
  EXPECT_THAT(note("hover"), AllOf(HasSubstr("H2D 1"), HasSubstr("1.0 MB"), HasSubstr("10 GB/s")));
}

TEST_F(TimelinePage, LeavingTheDrawingShowsTheHintAgain) { EXPECT_EQ(note("left"), note("idle")); }

TEST_F(TimelinePage, TheWheelZoomsAroundThePointer) {
  EXPECT_EQ(note("wheel"), "1.49");  // e to the 0.4, for 200 units of the wheel
  EXPECT_EQ(note("stays"), "true");
}

TEST_F(TimelinePage, ZeroShowsTheWholeRunAgain) { EXPECT_EQ(note("whole"), "1.00"); }

TEST_F(TimelinePage, FocusTellsWhyAndDrawsAnArrowFromTheCause) {
  EXPECT_THAT(note("focus"), AllOf(HasSubstr("H2D 2"), HasSubstr("copy engine was busy")));
  EXPECT_EQ(note("arrows"), "1");
  EXPECT_EQ(note("sources"), "2");  // on the engine and in its stream
}

TEST_F(TimelinePage, PlusZooms) { EXPECT_EQ(note("plus"), "1.60"); }

TEST_F(TimelinePage, ArrowKeysWalkInTheLaneAndBetweenLanes) {
  EXPECT_EQ(note("right"), "o4");
  EXPECT_EQ(note("up"), "o3");
}

TEST_F(TimelinePage, AButtonZooms) { EXPECT_EQ(note("button"), "1.60"); }

TEST_F(TimelinePage, DraggingMovesTheRunWithThePointerUntilItIsLetGo) {
  EXPECT_EQ(note("drag"), "40");
  EXPECT_EQ(note("dropped"), "40");
}

TEST_F(TimelinePage, EscapeLetsGo) { EXPECT_EQ(note("escape"), note("idle")); }

}  // namespace
}  // namespace report

int main(int argument_count, char** arguments) {
  constexpr int skipped = 77;  // as the ctest entry declares it
  testing::InitGoogleTest(&argument_count, arguments);
  if (!report::browser().empty()) return RUN_ALL_TESTS();
  std::puts("Skipped: there is no Chromium. On Debian ./streamlings setup --dev installs it.");
  return skipped;
}
