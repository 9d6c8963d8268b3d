#include "device/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace device {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::filesystem::path profiles = DEVICE_TEST_PROFILES;

/// A file in the temporary directory, for as long as the test runs.
class written_file {
 public:
  explicit written_file(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("profile_test." + std::to_string(getpid()) + ".json")) {
    std::ofstream(path_) << text;
  }
  ~written_file() { std::filesystem::remove(path_); }
  written_file(const written_file&) = delete;
  written_file& operator=(const written_file&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// What load_profile() says about a file; "" when it reads it.
std::string refusal_of(const std::filesystem::path& file) {
  try {
    load_profile(file);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

json teaching_profile() {
  std::ifstream input(profiles / "teaching.json");
  return json::parse(input);
}

TEST(Profile, TheTeachingProfileHasTheNumbersOfItsFile) {
  const profile model = load_profile(profiles / "teaching.json");
  EXPECT_EQ(model.short_name, "teaching");
  EXPECT_EQ(model.name, "Teaching GPU");
  EXPECT_EQ(model.compute_capability, "9.0");
  EXPECT_EQ(model.multiprocessors, 10);
  EXPECT_EQ(model.clock, 1000);
  EXPECT_EQ(model.copy_engines, 2);
}

TEST(Profile, TheH200ProfileIsThatOfAnH200) {
  const profile model = load_profile(profiles / "h200.json");
  EXPECT_EQ(model.short_name, "h200");
  EXPECT_EQ(model.multiprocessors, 132);
  EXPECT_EQ(model.priority_greatest, -5);
  EXPECT_NEAR(model.h2d_bandwidth, 55.5, 0.5);
  EXPECT_GT(model.duplex_slowdown, 1);
}

TEST(Profile, EveryShippedFileIsAccepted) {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(profiles)) {
    if (file.path().extension() != ".json") continue;
    ++files;
    EXPECT_EQ(refusal_of(file.path()), "");
  }
  EXPECT_GE(files, 2);
}

TEST(Profile, ACallWithoutItsOwnCostTakesTheDefault) {
  profile model;
  model.host_calls = {{"default", nanoseconds(100)}, {"cudaMalloc", nanoseconds(7000)}};
  EXPECT_EQ(model.host_call("cudaMalloc"), nanoseconds(7000));
  EXPECT_EQ(model.host_call("cudaFree"), nanoseconds(100));
}

TEST(Profile, AVariantOfACallHasItsOwnCostOrThatOfTheCall) {
  profile model;
  model.host_calls = {{"default", nanoseconds(100)},
                      {"cudaMemcpy", nanoseconds(900)},
                      {"cudaEventRecord", nanoseconds(700)},
                      {"cudaEventRecord.untimed", nanoseconds(160)}};
  EXPECT_EQ(model.host_call("cudaEventRecord.untimed"), nanoseconds(160));
  EXPECT_EQ(model.host_call("cudaMemcpy.small"), nanoseconds(900));
  EXPECT_EQ(model.host_call("cudaFree.small"), nanoseconds(100));
}

TEST(Profile, CyclesFollowTheClock) {
  profile model;
  model.clock = 2000;
  EXPECT_EQ(model.cycles(3000), nanoseconds(1500));
}

TEST(Profile, AFileThatIsNotThereIsRefused) {
  EXPECT_THAT(refusal_of("/no/such/file.json"),
              AllOf(HasSubstr("/no/such/file.json"), HasSubstr("cannot be read")));
}

TEST(Profile, AFileThatIsNotJsonIsRefused) {
  const written_file file("{\"format\": 1,\n  \"name\" \"X\"}");
  EXPECT_THAT(refusal_of(file.path()),
              AllOf(HasSubstr(file.path().string() + ": is not JSON: "), HasSubstr("line 2, column 12")));
}

TEST(Profile, AFileThatEndsTooEarlyIsRefused) {
  const written_file file("{\"format\": ");
  EXPECT_THAT(refusal_of(file.path()), AllOf(HasSubstr("is not JSON"), HasSubstr("line 1, column 12")));
}

TEST(Profile, AListIsNotAProfile) {
  const written_file file("[1, 2]");
  EXPECT_THAT(refusal_of(file.path()), HasSubstr(file.path().string() + ": "));
  EXPECT_THAT(refusal_of(file.path()), HasSubstr("must be an object"));
}

/// A change to a good profile, and the field and reason that its refusal has to name.
struct damage {
  const char* name;
  std::function<void(json&)> apply;
  const char* field;
  const char* reason;
};

class ProfileRefusal : public ::testing::TestWithParam<damage> {};

TEST_P(ProfileRefusal, NamesFileFieldAndReason) {
  json whole = teaching_profile();
  GetParam().apply(whole);
  const written_file file(whole.dump());
  EXPECT_EQ(refusal_of(file.path()).substr(0, file.path().string().size() + 2), file.path().string() + ": ");
  EXPECT_THAT(refusal_of(file.path()),
              AllOf(HasSubstr(std::string(": ") + GetParam().field + ": "), HasSubstr(GetParam().reason)));
}

const damage damages[] = {
    {"OtherFormat", [](json& it) { it["format"] = 2; }, "format", "must be 1"},
    {"NoFormat", [](json& it) { it.erase("format"); }, "format", "is missing"},
    {"NoName", [](json& it) { it.erase("name"); }, "name", "is missing"},
    {"EmptyName", [](json& it) { it["name"] = ""; }, "name", "must be a text"},
    {"ComputeCapabilityAsNumber", [](json& it) { it["compute_capability"] = 9; }, "compute_capability",
     "must be a text"},
    {"NoValues", [](json& it) { it.erase("values"); }, "values", "is missing"},
    {"ValuesAsList", [](json& it) { it["values"] = json::array(); }, "values", "must be an object"},
    {"MissingField", [](json& it) { it["values"].erase("clock"); }, "values.clock", "is missing"},
    {"UnknownField", [](json& it) { it["values"]["colour"] = it["values"]["clock"]; }, "values.colour",
     "is not a field"},
    {"BareNumber", [](json& it) { it["values"]["clock"] = 1000; }, "values.clock", "must be an object"},
    {"NoValue", [](json& it) { it["values"]["clock"].erase("value"); }, "values.clock.value", "is missing"},
    {"TextForValue", [](json& it) { it["values"]["clock"]["value"] = "fast"; }, "values.clock",
     "must be a number"},
    {"NoUnit", [](json& it) { it["values"]["clock"].erase("unit"); }, "values.clock.unit", "is missing"},
    {"WrongUnit", [](json& it) { it["values"]["clock"]["unit"] = "GHz"; }, "values.clock",
     "unit must be \"MHz\""},
    {"NoSource", [](json& it) { it["values"]["clock"].erase("source"); }, "values.clock.source",
     "is missing"},
    {"EmptySource", [](json& it) { it["values"]["clock"]["source"] = ""; }, "values.clock",
     "source must say"},
    {"TooSmall", [](json& it) { it["values"]["duplex_slowdown"]["value"] = 0.5; }, "values.duplex_slowdown",
     "0.5 is not between 1"},
    {"TooLarge", [](json& it) { it["values"]["priority_greatest"]["value"] = 3; }, "values.priority_greatest",
     "3 is not between -100"},
    {"BrokenCount", [](json& it) { it["values"]["copy_engines"]["value"] = 1.5; }, "values.copy_engines",
     "must be a whole number"},
    {"NoHostCalls", [](json& it) { it.erase("host_calls"); }, "host_calls", "is missing"},
    {"NoDefaultHostCall", [](json& it) { it["host_calls"].erase("default"); }, "host_calls.default",
     "is missing"},
    {"NegativeHostCall", [](json& it) { it["host_calls"]["default"]["value"] = -1; }, "host_calls.default",
     "-1 is not between 0"},
    {"NoMath", [](json& it) { it.erase("math"); }, "math", "is missing"},
    {"NoDefaultMath", [](json& it) { it["math"].erase("default"); }, "math.default", "is missing"},
    {"MathWithoutLatency", [](json& it) { it["math"]["sinf"].erase("latency"); }, "math.sinf.latency",
     "is missing"},
    {"MathInWrongUnit", [](json& it) { it["math"]["sinf"]["throughput"]["unit"] = "ns"; },
     "math.sinf.throughput", "unit must be \"cycles/warp\""},
};

INSTANTIATE_TEST_SUITE_P(Damage, ProfileRefusal, ::testing::ValuesIn(damages),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace device
