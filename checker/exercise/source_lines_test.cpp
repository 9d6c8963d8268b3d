#include "exercise/source_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr const char* runtime_header = R"(
void record_caller();
inline __attribute__((always_inline)) void call_in_header() {
  record_caller();
}
)";

constexpr const char* program_text = R"(#include <cstdio>
#include <functional>
#include "include/cuda_runtime.h"
__attribute__((noinline)) void record_caller() {
  std::printf("%lu\n", (unsigned long)__builtin_return_address(0));
}
static inline __attribute__((always_inline)) void helper() {
  record_caller();  // line 8
}
int main() {
  record_caller();                // line 11
  call_in_header();               // line 12
  std::invoke([] { record_caller(); });  // line 13
  helper();
  return 0;
}
)";

class SourceLines : public testing::Test {
 protected:
  SourceLines() {
    std::string pattern = (fs::temp_directory_path() / "source_lines_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
  }
  ~SourceLines() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }

  static std::string output_of(const std::string& command) {
    std::FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    for (int character; (character = std::fgetc(pipe)) != EOF;) text += static_cast<char>(character);
    if (pclose(pipe) != 0) throw std::runtime_error("failed: " + command);
    return text;
  }

  /// Compiles the program, runs it, and gives a recording with a call from each address it printed.
  trace::recording recording_of_program() const {
    write("include/cuda_runtime.h", runtime_header);
    write("program.cpp", program_text);
    output_of(std::string(EXERCISE_TEST_COMPILER) + " -std=c++17 -O1 -g -fno-pie -no-pie -I" +
              folder_.string() + " " + (folder_ / "program.cpp").string() + " -o " + program().string());
    trace::recording seen;
    seen.files = {{}, {code_file()}};
    std::istringstream addresses(output_of(program().string()));
    for (std::uint32_t address; addresses >> address;) add_call(seen, {1, address});
    return seen;
  }

  static std::string code_file() { return exercise::code_file; }

  static void add_call(trace::recording& seen, trace::location where) {
    trace::host_call call;
    call.id = static_cast<trace::call_id>(seen.calls.size() + 1);
    call.where = where;
    seen.calls.push_back(call);
  }

  static std::vector<std::string> places_of(const trace::recording& seen) {
    std::vector<std::string> places;
    for (const trace::host_call& call : seen.calls) places.push_back(seen.describe(call.where));
    return places;
  }

  fs::path program() const { return folder_ / "program"; }

  fs::path folder_;
};

TEST_F(SourceLines, AreTheInnermostOnesOutsideOfLibraryHeaders) {
  trace::recording seen = recording_of_program();
  exercise::resolve_source_lines(seen, program(), {});
  EXPECT_THAT(places_of(seen),
              ElementsAre("program.cpp:11", "program.cpp:12", "program.cpp:13", "program.cpp:8"));
  EXPECT_THAT(seen.files,
              ElementsAre(trace::source_file{}, trace::source_file{(folder_ / "program.cpp").string()}));
  EXPECT_TRUE(seen.diagnostics.empty());
}

TEST_F(SourceLines, AreFoundInAccessesAndDiagnosticsToo) {
  trace::recording seen = recording_of_program();
  const trace::location first = seen.calls.at(0).where;
  seen.host_accesses.emplace();
  seen.host_accesses->push_back({1, 0, first, {}});
  seen.diagnostics.push_back({trace::diagnostic_kind::not_supported, "A sentence.", 0, first});
  exercise::resolve_source_lines(seen, program(), {});
  EXPECT_EQ(seen.describe(seen.host_accesses->at(0).where), "program.cpp:11");
  EXPECT_EQ(seen.describe(seen.diagnostics.at(0).where), "program.cpp:11");
}

TEST_F(SourceLines, AnAddressOutsideOfTheProgramIsNotKnown) {
  trace::recording seen = recording_of_program();
  seen.calls.clear();
  add_call(seen, {1, 16});
  exercise::resolve_source_lines(seen, program(), {});
  EXPECT_FALSE(seen.calls.at(0).where.is_known());
  EXPECT_THAT(seen.files, ElementsAre(trace::source_file{}));
}

TEST_F(SourceLines, OfAFileThatIsNotTheReadersAreGiven) {
  trace::recording seen = recording_of_program();
  exercise::resolve_source_lines(seen, program(), {folder_ / "program.c", folder_ / "programs"});
  EXPECT_TRUE(seen.is_given(seen.calls.at(0).where));
  EXPECT_EQ(seen.calls.at(0).where.line, 11U);
}

TEST_F(SourceLines, OfTheReadersFileAreNotGiven) {
  trace::recording seen = recording_of_program();
  exercise::resolve_source_lines(seen, program(), {folder_ / "program.cpp"});
  EXPECT_FALSE(seen.is_given(seen.calls.at(0).where));
}

TEST_F(SourceLines, OfAFileInTheReadersFolderAreNotGiven) {
  trace::recording seen = recording_of_program();
  exercise::resolve_source_lines(seen, program(), {folder_});
  EXPECT_FALSE(seen.is_given(seen.calls.at(0).where));
}

TEST_F(SourceLines, PlacesThatAreKnownAlreadyStay) {
  trace::recording seen = recording_of_program();
  seen.calls.resize(1);
  seen.files.push_back({"other.cu"});
  add_call(seen, {2, 7});
  exercise::resolve_source_lines(seen, program(), {});
  EXPECT_THAT(places_of(seen), ElementsAre("program.cpp:11", "other.cu:7"));
}

TEST_F(SourceLines, WithoutTheToolTheyAreNotKnownAndThatIsSaid) {
  trace::recording seen;
  seen.files = {{}, {code_file()}};
  add_call(seen, {1, 0x401000});
  const std::string path = getenv("PATH");
  setenv("PATH", folder_.c_str(), 1);
  exercise::resolve_source_lines(seen, program(), {});
  setenv("PATH", path.c_str(), 1);
  EXPECT_FALSE(seen.calls.at(0).where.is_known());
  ASSERT_EQ(seen.diagnostics.size(), 1U);
  EXPECT_EQ(seen.diagnostics.at(0).kind, trace::diagnostic_kind::no_source_lines);
}

}  // namespace
