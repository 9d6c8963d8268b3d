// The rubric of lesson 14: the detective.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checking/criterion.h"
#include "matchers/matchers.h"

using namespace checking;
using namespace matchers;

namespace {

// No multiple of a thread block. The last wave of blocks has room for the survey on the teaching GPU: 313 blocks, 40 places.
constexpr std::int64_t usual_elements = 80'011;
constexpr std::int64_t other_elements = 76'003;  // 297 blocks

// In lengths of a copy. The weights are there before the first frame, unless kernels are ten times slower. What the host
// and the copies do with a frame, 4.5 together, is nearly as much as its kernels.
constexpr double prepare_units = 0.5;
constexpr double survey_units = 24;
constexpr double clean_units = 2;
constexpr double sharpen_units = 2;
constexpr double load_units = 1.5;
constexpr double store_units = 1;

constexpr std::size_t allowed_changes = 25;
constexpr std::size_t slots = 3;  // slot_count in the file as it comes

float weight_of(std::int64_t element, float gain) { return gain + static_cast<float>(element % 8) / 4; }

std::vector<float> finished(const std::vector<float>& input, std::int64_t elements, float gain) {
  std::vector<float> output(input.size());
  for (std::size_t i = 0; i < input.size(); ++i) {
    const std::int64_t element = static_cast<std::int64_t>(i) % elements;
    output[i] = 3.0f * (weight_of(element, gain) * input[i]) + static_cast<float>(element % 1000);
  }
  return output;
}

std::vector<float> surveyed(std::int64_t elements, float gain) {
  std::vector<float> output(static_cast<std::size_t>(elements));
  for (std::int64_t i = 0; i < elements; ++i)
    output[static_cast<std::size_t>(i)] = 2.0f * weight_of(i, gain) + static_cast<float>(i % 100);
  return output;
}

const operation_set frame_kernels{"kernels of the frames", [](const trace::operation& operation) {
                                    return operation.name == "clean" || operation.name == "sharpen";
                                  }};
const operation_set last_kernels{
    "kernels `sharpen`", [](const trace::operation& operation) { return operation.name == "sharpen"; }};
const operation_set first_kernels{
    "kernels `clean`", [](const trace::operation& operation) { return operation.name == "clean"; }};
const operation_set prepare_kernels{
    "kernels `prepare`", [](const trace::operation& operation) { return operation.name == "prepare"; }};
const operation_set survey_kernels{
    "kernels `survey`", [](const trace::operation& operation) { return operation.name == "survey"; }};

class Detective : public lesson_check {
 public:
  static exercise::message make_request(random_values& values, const requested_work& work) {
    exercise::message request;
    const std::int64_t elements = work.by_plan(usual_elements * work.scale_up_to(3), other_elements);
    const std::int64_t frames = work.by_plan(10, 11);  // no multiple of the slots
    request.set("frames", frames);
    request.set("elements", elements);
    request.set("gain", static_cast<double>(work.by_plan(1, 2)));
    request.set("input", values.quarters(frames * elements, -500, 500));
    // On a real GPU load() and store() also move a frame in memory, which takes longer than the copy of it.
    request.set("unit_to_copy", static_cast<double>(work.scale));
    request.set("prepare_units", prepare_units);
    request.set("survey_units", survey_units);
    request.set("clean_units", clean_units);
    request.set("sharpen_units", sharpen_units);
    request.set("load_units", load_units);
    request.set("store_units", store_units);
    poison::add_to(request);
    return request;
  }

 protected:
  trace::nanoseconds units(double count) const {
    return trace::nanoseconds(std::llround(count * answer().number("calibrated.unit_nanoseconds")));
  }
  std::int64_t frames() const { return request().integer("frames"); }
  /// The kernels of all frames, back to back.
  trace::nanoseconds kernels_alone() const {
    return units(static_cast<double>(frames()) * (clean_units + sharpen_units));
  }
};

SECOND_PROFILE("rtx3090");  // many more places for blocks
SKELETON_FAILS("WorkIsOrdered", "EveryFrameIsRight", "CopiesUsePinnedMemory", "HostWaitsForSlotsOnly",
               "FramesRunBesideTheSurvey", "KernelsNeverPause");

// "Prepares the weights and makes the survey of them, each in one launch." "Takes each frame through load(), copy to the device, `clean`,
// `sharpen`, copy back, and store()." "May be called again."
// "Each frame is loaded once, computed by one launch of each kernel and stored once, in any order."
CRITERION(Detective, EveryFrameIsRight, 15, "every frame and the survey are right, under every schedule") {
  EXPECT_THAT(run(), HasNoFailedCalls());
  EXPECT_THAT(run(), CallsOnceEach("load", "frame"));
  EXPECT_THAT(run(), CallsOnceEach("store", "frame"));
  const std::int64_t elements = request().integer("elements");
  const float gain = static_cast<float>(request().number("gain"));
  EXPECT_THAT(run(), Returns("results", finished(request().values<float>("input"), elements, gain),
                             in_batches_of(elements, "frame")));
  EXPECT_THAT(run(), Returns("survey", surveyed(elements, gain)));
  EXPECT_THAT(run(), ComesFromTheDevice("survey"));
  EXPECT_THAT(run(), CopiesNothingInVain());
  EXPECT_THAT(run(), WorkInDeviceMemory(kernels()));
  EXPECT_THAT(run(), LaunchesBlocksOf(256, kernels()));  // threads_per_block in detective.h
  EXPECT_THAT(run(), Launches(static_cast<std::size_t>(frames()), first_kernels));
  EXPECT_THAT(run(), Launches(static_cast<std::size_t>(frames()), last_kernels));
  EXPECT_THAT(run(), Launches(1, prepare_kernels));
  EXPECT_THAT(run(), Launches(1, survey_kernels));
  EXPECT_THAT(run(), HostWorks(2 * static_cast<std::size_t>(frames())));
}

CRITERION(Detective, WorkIsOrdered, 20, "whatever touches the same bytes is in order") {
  EXPECT_THAT(run(), IsOrdered());
}

// "When it returns, every frame has been stored, the survey is complete, and all that it made is released."
CRITERION(Detective, CopiesUsePinnedMemory, 10, "no copy goes through pageable memory, and all is released") {
  EXPECT_THAT(run(), CopiesUsePinnedMemory());
  EXPECT_THAT(run(), ReleasesPinnedMemory());
  EXPECT_THAT(run(), FreesDeviceMemory());
  EXPECT_THAT(run(), DestroysItsStreams());
  EXPECT_THAT(run(), DestroysItsEvents());
}

CRITERION(Detective, HostWaitsForSlotsOnly, 15,
          "the host waits for the slot it needs, and for no younger frame") {
  EXPECT_THAT(run(), QueuesAhead(last_kernels).by(slots - 1));
}

CRITERION(Detective, FramesRunBesideTheSurvey, 10, "frames are cleaned while the survey runs") {
  EXPECT_THAT(run(), LaunchesBlocksOf(256, survey_kernels, 1));  // survey_blocks in detective.h
  EXPECT_THAT(run(), Overlaps(frame_kernels, survey_kernels).at_least(0.75));
}

CRITERION(Detective, KernelsNeverPause, 20, "there is always a kernel of a frame running") {
  EXPECT_THAT(run(), Lasts(frame_kernels).at_most(1.25, kernels_alone()));
  EXPECT_THAT(run(), WorkInFull(frame_kernels).together(kernels_alone()));
  EXPECT_THAT(run(), WorkInFull(survey_kernels).together(units(survey_units)));
  EXPECT_THAT(run(), WorksFor("prepare_cycles", prepare_kernels));
  EXPECT_THAT(run(), WorksFor("survey_cycles", survey_kernels));
  EXPECT_THAT(run(), WorksFor("clean_cycles", first_kernels));
  EXPECT_THAT(run(), WorksFor("sharpen_cycles", last_kernels));
}

// "this program has five defects; mend them, and change no more than 25 lines"
CRITERION(Detective, FewLinesAreChanged, 10, "the program is mended, not written again") {
  EXPECT_THAT(run(), ChangesAtMost(allowed_changes));
}

}  // namespace
