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
    trace::recording recording;
    recording.files = {{}, {code_file()}};
    std::istringstream addresses(output_of(program().string()));
    for (std::uint32_t address; addresses >> address;) add_call(recording, {1, address});
    return recording;
  }

  static std::string code_file() { return exercise::code_file; }

  static void add_call(trace::recording& recording, trace::location where) {
    trace::host_call call;
    call.id = static_cast<trace::call_id>(recording.calls.size() + 1);
    call.where = where;
    recording.calls.push_back(call);
  }

  static std::vector<std::string> places_of(const trace::recording& recording) {
    std::vector<std::string> places;
    for (const trace::host_call& call : recording.calls) places.push_back(recording.describe(call.where));
    return places;
  }

  fs::path program() const { return folder_ / "program"; }

  fs::path folder_;
};

TEST_F(SourceLines, AreTheInnermostOnesOutsideOfLibraryHeaders) {
  trace::recording recording = recording_of_program();
  exercise::resolve_source_lines(recording, program(), {});
  EXPECT_THAT(places_of(recording),
              ElementsAre("program.cpp:11", "program.cpp:12", "program.cpp:13", "program.cpp:8"));
  EXPECT_THAT(recording.files,
              ElementsAre(trace::source_file{}, trace::source_file{(folder_ / "program.cpp").string()}));
  EXPECT_TRUE(recording.diagnostics.empty());
}

TEST_F(SourceLines, AreFoundInAccessesDiagnosticsAndMarksToo) {
  trace::recording recording = recording_of_program();
  const trace::location first = recording.calls.at(0).where;
  recording.host_accesses.emplace();
  recording.host_accesses->push_back({1, 0, first, {}});
  recording.diagnostics.push_back({trace::diagnostic_kind::not_supported, "A sentence.", 0, first});
  recording.marks.push_back({.name = "call:load:3", .where = first});
  exercise::resolve_source_lines(recording, program(), {});
  EXPECT_EQ(recording.describe(recording.host_accesses->at(0).where), "program.cpp:11");
  EXPECT_EQ(recording.describe(recording.diagnostics.at(0).where), "program.cpp:11");
  EXPECT_EQ(recording.describe(recording.marks.at(0).where), "program.cpp:11");
}

TEST_F(SourceLines, AnAddressOutsideOfTheProgramIsNotKnown) {
  trace::recording recording = recording_of_program();
  recording.calls.clear();
  add_call(recording, {1, 16});
  exercise::resolve_source_lines(recording, program(), {});
  EXPECT_FALSE(recording.calls.at(0).where.is_known());
  EXPECT_THAT(recording.files, ElementsAre(trace::source_file{}));
}

TEST_F(SourceLines, OfAFileThatIsNotTheReadersAreGiven) {
  trace::recording recording = recording_of_program();
  exercise::resolve_source_lines(recording, program(), {folder_ / "program.c", folder_ / "programs"});
  EXPECT_TRUE(recording.is_external(recording.calls.at(0).where));
  EXPECT_EQ(recording.calls.at(0).where.line, 11U);
}

TEST_F(SourceLines, OfAGivenFunctionAreThoseOfTheCallByTheReader) {
  trace::recording recording = recording_of_program();
  write("other/given.cpp", "void record_caller();\nvoid given() {\n  record_caller();\n}\n");
  write("caller.cpp", R"(#include <cstdio>
void given();
__attribute__((noinline)) void record_caller() {
  std::printf("%lu\n%lu\n", (unsigned long)__builtin_return_address(0), (unsigned long)__builtin_return_address(1));
}
int main() {
  given();  // line 7
  std::fflush(stdout);
}
)");
  output_of(std::string(EXERCISE_TEST_COMPILER) +
            " -std=c++17 -O1 -g -fno-omit-frame-pointer -fno-pie -no-pie " +
            (folder_ / "caller.cpp").string() + " " + (folder_ / "other/given.cpp").string() + " -o " +
            program().string());
  std::istringstream addresses(output_of(program().string()));
  std::uint32_t code = 0, caller = 0;
  addresses >> code >> caller;
  recording.calls.clear();
  recording.files = {{}, {code_file()}, {code_file() + ' ' + std::to_string(caller)}};
  add_call(recording, {1, code});
  add_call(recording, {2, code});
  exercise::resolve_source_lines(recording, program(), {folder_ / "caller.cpp"});
  EXPECT_THAT(places_of(recording), ElementsAre("", "caller.cpp:7"));
  EXPECT_TRUE(recording.calls.at(1).where.in_callee);
  EXPECT_TRUE(recording.is_external(recording.calls.at(1).where));
  EXPECT_FALSE(recording.is_own(recording.calls.at(1).where));
}

/// "12 25 31": the line of the first call, and those that called its function.
std::string lines_of_first_call(const trace::recording& recording) {
  const trace::location& where = recording.calls.at(0).where;
  std::string lines = std::to_string(where.line);
  for (const trace::location& caller : recording.callers_of(where))
    lines += ' ' + std::to_string(caller.line);
  return lines;
}

/// Two functions and main() around the call, with another file's in between where `given` holds one.
class Callers : public SourceLines {
 protected:
  trace::recording recording_of(const std::string& given) const {
    write("other/given.cpp", given);
    write("caller.cpp", R"(#include <cstdio>
void in_given(void (*function)());
__attribute__((noinline)) void inner() {
  std::printf("%lu\n%lu\n%lu\n%lu\n", (unsigned long)__builtin_return_address(0), (unsigned long)__builtin_return_address(1),
              (unsigned long)__builtin_return_address(2), (unsigned long)__builtin_return_address(3));
}
void helper() {
  inner();  // line 8
}
void outer(void (*function)()) {
  IN_GIVEN(function);  // line 11
}
int main() {
  outer(helper);  // line 14
  std::fflush(stdout);
}
)");
    const bool has_given = !given.empty();
    output_of(std::string(EXERCISE_TEST_COMPILER) +
              " -std=c++17 -g -fno-omit-frame-pointer -fno-pie -no-pie " +
              (has_given ? "-DIN_GIVEN=in_given " : "'-DIN_GIVEN(function)=function()' ") +
              (folder_ / "caller.cpp").string() + " " + (folder_ / "other/given.cpp").string() + " -o " +
              program().string());
    std::istringstream addresses(output_of(program().string()));
    std::uint32_t code = 0;
    std::string callers;
    addresses >> code;
    for (std::string caller; addresses >> caller;) {
      if (std::stoull(caller) <= UINT32_MAX) callers += ' ' + caller;
    }
    trace::recording recording;
    recording.files = {{}, {code_file() + callers}};
    add_call(recording, {1, code});
    exercise::resolve_source_lines(recording, program(), {folder_ / "caller.cpp"});
    return recording;
  }
};

TEST_F(Callers, AreTheReadersLinesAroundIt) {
  const trace::recording recording = recording_of("");
  EXPECT_EQ(recording.describe(recording.calls.at(0).where), "caller.cpp:8");
  EXPECT_EQ(lines_of_first_call(recording), "8 11 14");
}

TEST_F(Callers, EndWhereCodeOfOthersCalledTheReaders) {
  const trace::recording recording = recording_of("void in_given(void (*function)()) {\n  function();\n}\n");
  EXPECT_EQ(lines_of_first_call(recording), "8");
}

TEST_F(SourceLines, OfTheReadersFileAreNotGiven) {
  trace::recording recording = recording_of_program();
  exercise::resolve_source_lines(recording, program(), {folder_ / "program.cpp"});
  EXPECT_FALSE(recording.is_external(recording.calls.at(0).where));
}

TEST_F(SourceLines, OfAFileInTheReadersFolderAreNotGiven) {
  trace::recording recording = recording_of_program();
  exercise::resolve_source_lines(recording, program(), {folder_});
  EXPECT_FALSE(recording.is_external(recording.calls.at(0).where));
}

TEST_F(SourceLines, OfTheCallsUnderwayOnAThreadTheInnermostOfTheReadersIsKept) {
  trace::recording recording = recording_of_program();
  for (const trace::host_call& call : recording.calls) {
    recording.diagnostics.push_back(
        {trace::diagnostic_kind::host_thread_stood, "host thread 1 waits for a mutex", 0, call.where});
  }
  exercise::resolve_source_lines(recording, program(), {folder_ / "program.cpp"});
  ASSERT_EQ(recording.diagnostics.size(), 1U);
  EXPECT_EQ(recording.describe(recording.diagnostics.front().where), "program.cpp:11");
}

TEST_F(SourceLines, PlacesThatAreKnownAlreadyStay) {
  trace::recording recording = recording_of_program();
  recording.calls.resize(1);
  recording.files.push_back({"other.cu"});
  add_call(recording, {2, 7});
  exercise::resolve_source_lines(recording, program(), {});
  EXPECT_THAT(places_of(recording), ElementsAre("program.cpp:11", "other.cu:7"));
}

TEST_F(SourceLines, WithoutTheToolTheyAreNotKnownAndThatIsSaid) {
  trace::recording recording;
  recording.files = {{}, {code_file()}};
  add_call(recording, {1, 0x401000});
  const std::string path = getenv("PATH");
  setenv("PATH", folder_.c_str(), 1);
  exercise::resolve_source_lines(recording, program(), {});
  setenv("PATH", path.c_str(), 1);
  EXPECT_FALSE(recording.calls.at(0).where.is_known());
  ASSERT_EQ(recording.diagnostics.size(), 1U);
  EXPECT_EQ(recording.diagnostics.at(0).kind, trace::diagnostic_kind::no_source_lines);
}

}  // namespace
