#include "matchers/facts/value_lines.h"

#include <gmock/gmock.h>

#include <string>

namespace matchers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

learner_source file_of(const std::string& text) { return {"a.cu", text, ""}; }

/// "3: int n = 4;" for each line of values at that line.
std::vector<std::string> values_at(int line, const std::string& text,
                                   const std::vector<std::string>& callers = {},
                                   value_of subject = value_of::statement) {
  report::evidence why;
  why.where = "a.cu:" + std::to_string(line);
  if (!callers.empty()) why.called_from = {{why.where, callers}};
  std::vector<std::string> found;
  for (const report::source_line& value : lines_of_values(file_of(text), subject, why))
    found.push_back(std::to_string(value.line) + ": " + value.text);
  return found;
}

TEST(LeadToChoice, NamesTheOnlyLineThatIsNoLoop) {
  const std::string text =
      "void f(const work& all) {\n"
      "  for (int i = 0; i < all.count; ++i) {\n"
      "    const int blocks = all.jobs[i].tiles;\n"
      "    scale<<<blocks, threads, 0, all.streams[i]>>>(all.jobs[i].values);\n"
      "  }\n"
      "}\n";
  report::evidence why;
  why.where = "a.cu:4";
  lead_to_choice(file_of(text), value_of::stream, "stream", why);
  EXPECT_EQ(why.where, "a.cu:4");
  lead_to_choice(file_of(text), value_of::blocks, "number of blocks", why);
  EXPECT_EQ(why.where, "a.cu:3, a.cu:4");
  EXPECT_EQ(why.observation, " The number of blocks is chosen at a.cu:3.");
}

TEST(LinesOfValues, AreThoseThatDefineOrChangeWhatIsUsedThere) {
  EXPECT_THAT(
      values_at(6,
                "void f(int count) {\n"
                "  std::size_t bytes = sizeof(float);\n"
                "  float* device;\n"
                "  cudaMalloc(&device, 100);\n"
                "  bytes *= 3;\n"
                "  cudaMemcpyAsync(device, work.input, bytes, cudaMemcpyHostToDevice, work.stream);\n"
                "  int unused = 5;\n"
                "}\n"),
      ElementsAre("2: std::size_t bytes = sizeof(float);", "4: cudaMalloc(&device, 100);", "5: bytes *= 3;"));
}

TEST(LinesOfValues, OfAParameterOfAConstructorAreThoseOfItsArgument) {
  EXPECT_THAT(
      values_at(3,
                "class stream {\n"
                " public:\n"
                "  explicit stream(int priority) { cudaStreamCreateWithPriority(&handle_, 1, priority); }\n"
                "  stream& operator=(const stream&) = delete;\n"
                "  operator cudaStream_t() const { return handle_; }\n"
                "  cudaStream_t handle_;\n"
                "};\n"
                "constexpr int important = -1;\n"
                "void f() {\n"
                "  const stream urgent(important);\n"
                "}\n",
                {"a.cu:10"}),
      ElementsAre("8: constexpr int important = -1;", "10: const stream urgent(important);"));
}

TEST(LinesOfValues, OfAParameterAreThoseThatChangeItToo) {
  EXPECT_THAT(values_at(4,
                        "void f(const batches& work, int count) {\n"
                        "  count = chosen(work);\n"
                        "  work.prepare();\n"
                        "  copy(work.lanes[count]);\n"
                        "}\n"),
              ElementsAre("2: count = chosen(work);"));
}

TEST(LinesOfValues, GoTwoStepsFurther) {
  EXPECT_THAT(values_at(5,
                        "void f() {\n"
                        "  const int far = 2;\n"
                        "  const int half = far / 2;  // the half\n"
                        "  const std::size_t bytes{half * sizeof(float)};\n"
                        "  copy(bytes);\n"
                        "}\n"),
              ElementsAre("2: const int far = 2;", "3: const int half = far / 2;  // the half",
                          "4: const std::size_t bytes{half * sizeof(float)};"));
}

TEST(LinesOfValues, HoldTheLoopsThatCount) {
  EXPECT_THAT(
      values_at(5,
                "void f(const batches& work) {\n"
                "  const int last = work.count - 1;\n"
                "  for (int batch = 0; batch < last; ++batch) {\n"
                "    for (const lane& mine : work.lanes) {\n"
                "      launch<<<1, 1, 0, mine.stream>>>(batch,\n"
                "                                       mine.input);\n"
                "    }\n"
                "  }\n"
                "}\n"),
      ElementsAre("2: const int last = work.count - 1;", "3: for (int batch = 0; batch < last; ++batch) {",
                  "4: for (const lane& mine : work.lanes) {"));
}

TEST(LinesOfValues, FollowAParameterToTheArgumentsOfTheCallers) {
  const std::string text =
      "void copy(const float* from, std::size_t bytes) {\n"
      "  cudaMemcpyAsync(work.to, from, bytes, cudaMemcpyHostToDevice, work.stream);\n"
      "}\n"
      "void f(int elements) {\n"
      "  const std::size_t half = elements / 2;\n"
      "  const std::size_t other = 7;\n"
      "  copy(work.input, half);\n"
      "  copy(work.other, other);\n"
      "}\n";
  EXPECT_THAT(values_at(2, text, {"a.cu:7"}),
              ElementsAre("5: const std::size_t half = elements / 2;", "7: copy(work.input, half);"));
  EXPECT_THAT(values_at(2, text), IsEmpty());
}

TEST(LinesOfValues, GoFromAParameterToWhatGaveTheArgumentItsValue) {
  EXPECT_THAT(values_at(3,
                        "void copy(const float* from, int elements) {\n"
                        "  const std::size_t bytes = elements * sizeof(float);\n"
                        "  cudaMemcpyAsync(work.to, from, bytes, cudaMemcpyHostToDevice, work.stream);\n"
                        "}\n"
                        "void f() {\n"
                        "  const int half = work.elements / 2;\n"
                        "  copy(work.input, half);\n"
                        "}\n",
                        {"a.cu:7"}),
              ElementsAre("2: const std::size_t bytes = elements * sizeof(float);",
                          "6: const int half = work.elements / 2;", "7: copy(work.input, half);"));
}

TEST(LinesOfValues, OfAFunctionThatCallsItselfEnd) {
  EXPECT_THAT(values_at(2, "void copy(int n) {\n  g(n);\n  if (n > 0) copy(n - 1);\n}\n", {"a.cu:3"}),
              ElementsAre("3: if (n > 0) copy(n - 1);"));
}

TEST(LinesOfValues, GoIntoAFunctionThatIsCalled) {
  EXPECT_THAT(
      values_at(10,
                "struct lanes {\n"
                "  cudaStream_t at(int i) const { return all[i % 2]; }\n"
                "};\n"
                "shape shape_of(int n) {\n  shape made;\n  made.blocks = n / 2;\n  return made;\n}\n"
                "void f(const lanes& mine) { const shape wanted = shape_of(3);\n"
                "  k<<<wanted.blocks, 1, 0, mine.at(1)>>>();\n"
                "}\n"),
      ElementsAre("2: cudaStream_t at(int i) const { return all[i % 2]; }", "6: made.blocks = n / 2;",
                  "7: return made;", "9: void f(const lanes& mine) { const shape wanted = shape_of(3);"));
}

TEST(LinesOfValues, OfAFunctionAreThoseOfWhatItReturns) {
  EXPECT_THAT(values_at(1,
                        "int streams_for(int places) {\n"
                        "  const int mean = 3;\n"
                        "  return places / mean;\n"
                        "}\n"),
              ElementsAre("2: const int mean = 3;", "3: return places / mean;"));
}

TEST(LinesOfValues, OfAResultAreThoseOfTheFunctionAroundThePlace) {
  EXPECT_THAT(values_at(2,
                        "cudaError_t f() {\n"
                        "  k<<<1, 5000>>>();\n"
                        "  const cudaError_t error = cudaDeviceSynchronize();\n"
                        "  return error;\n"
                        "}\n",
                        {}, value_of::result),
              ElementsAre("3: const cudaError_t error = cudaDeviceSynchronize();", "4: return error;"));
}

TEST(LinesOfValues, HoldNoDefinitionsOfTypes) {
  EXPECT_THAT(
      values_at(5, "struct size {\n  int n;\n};\nvoid f() {\n  const size small{3}; g(small.n);\n}\n"),
      ElementsAre());
}

TEST(LinesOfValues, HoldConstantsOfTheFile) {
  EXPECT_THAT(values_at(3, "constexpr int places = 2;\nvoid f() {\n  g(places);\n}\n"),
              ElementsAre("1: constexpr int places = 2;"));
}

TEST(LinesOfValues, OfAMemberAreWhereAnyFunctionOfTheFileGivesItAValue) {
  EXPECT_THAT(values_at(9,
                        "class slice {\n"
                        " public:\n"
                        "  slice(const vectors& work, int index)\n"
                        "      : work_(work), half_{index / 2} {\n"
                        "    const int length = work.elements / 8;\n"
                        "    first_ = index * length;\n"
                        "    other_ = 3;\n"
                        "  }\n"
                        "  void load() { copy(first_, half_); }\n"
                        " private:\n"
                        "  int first_;\n"
                        "  int half_;\n"
                        "  int other_ = 0;\n"
                        "};\n"),
              ElementsAre("4: : work_(work), half_{index / 2} {", "5: const int length = work.elements / 8;",
                          "6: first_ = index * length;"));
}

TEST(LinesOfValues, FollowAParameterOfAConstructorWithInitializers) {
  EXPECT_THAT(values_at(3,
                        "struct pinned {\n"
                        "  pinned(float* data, std::size_t bytes) : data_(data), is_ours_{true} {\n"
                        "    cudaHostRegister(data_, bytes, 0);\n"
                        "  }\n"
                        "  float* data_;\n"
                        "};\n"
                        "void f(float* to) {\n"
                        "  pinned(to, 4);\n"
                        "}\n",
                        {"a.cu:8"}),
              ElementsAre("2: pinned(float* data, std::size_t bytes) : data_(data), is_ours_{true} {",
                          "8: pinned(to, 4);"));
}

TEST(LinesOfValues, FollowAParameterOfALambdaExpression) {
  EXPECT_THAT(values_at(3,
                        "void f(int n) {\n"
                        "  const auto wait = [&](int lane) {\n"
                        "    cudaStreamSynchronize(work.lanes[lane].stream);\n"
                        "  };\n"
                        "  wait(n % 2);\n"
                        "}\n",
                        {"a.cu:5"}),
              ElementsAre("5: wait(n % 2);"));
}

TEST(LinesOfValues, OfThousandsOfAssignmentsAreFoundInTheEnd) {
  std::string text = "void f() { int n = 0; int m = 1;\n";
  for (int i = 0; i < 1500; ++i) text += "  n = n + m; m = n;\n";
  EXPECT_EQ(values_at(1502, text + "  g(n, m);\n}\n").size(), 8u);
}

TEST(LinesOfValues, AreEightAtMostTheNearestOnes) {
  EXPECT_THAT(
      values_at(
          11,
          "void f() {\n  int n = 0;\n  n = 1;\n  n = 2;\n  n = 3;\n  n = 4;\n  n = 5;\n  n = 6;\n  n = 7;\n"
          "  n = 8;\n  g(n);\n}\n"),
      ElementsAre("3: n = 1;", "4: n = 2;", "5: n = 3;", "6: n = 4;", "7: n = 5;", "8: n = 6;", "9: n = 7;",
                  "10: n = 8;"));
}

TEST(LinesOfValues, AreNoMembersOrComparisonsOfTheSameName) {
  EXPECT_THAT(values_at(5,
                        "void f(int bytes) {\n"
                        "  other.bytes = 4;\n"
                        "  if (bytes == 4) return;\n"
                        "  // bytes = 5;\n"
                        "  g(bytes);\n"
                        "}\n"),
              IsEmpty());
}

TEST(LinesOfValues, AreNotThoseOfAnotherVariableOfTheSameName) {
  EXPECT_THAT(values_at(5,
                        "void f(int steps) {\n"
                        "  for (int step = 0; step < 3; ++step) g(step);\n"
                        "  for (int step = 3; step < steps; ++step) {\n"
                        "    if (step > 4) { const int odd = 1; g(odd); }\n"
                        "    h(step);\n"
                        "  }\n"
                        "}\n"),
              ElementsAre("3: for (int step = 3; step < steps; ++step) {"));
}

TEST(LinesOfValues, OfALoopInOneLineAreNotThoseOfOtherLoops) {
  EXPECT_THAT(values_at(4,
                        "void f(int steps) {\n"
                        "  for (int step = 0; step < steps; ++step) g(step);\n"
                        "  const int last = steps;\n"
                        "  for (int step = 3; step < last; ++step) h(step);\n"
                        "}\n"),
              ElementsAre("3: const int last = steps;"));
}

TEST(LinesOfValues, AreNoCallsToWhichItsAddressIsPassedLater) {
  EXPECT_THAT(values_at(4,
                        "void f() {\n"
                        "  cudaEvent_t done;\n"
                        "  cudaEventCreate(&done);\n"
                        "  cudaEventRecord(done, work.stream);\n"
                        "  announce(work, &done);\n"
                        "}\n"),
              ElementsAre("3: cudaEventCreate(&done);"));
}

TEST(LinesOfValues, OfALambdaThatIsHandedOnAreThoseOfItsCall) {
  EXPECT_THAT(values_at(7,
                        "int size_of(int index) {\n"
                        "  return 10 * index;\n"
                        "}\n"
                        "void f(const work& given) {\n"
                        "  const auto each = [&](auto queue) { for (int i = 0; i < 2; ++i)\n"
                        "    queue(given, size_of(i)); };\n"
                        "  each([](const work& all, int size) { take(size); });\n"
                        "}\n",
                        {"a.cu:6", "a.cu:7"}),
              testing::IsSupersetOf({"2: return 10 * index;", "6: queue(given, size_of(i)); };"}));
}

TEST(LinesOfValues, AFactorInAnArgumentIsNoDefinition) {
  EXPECT_THAT(
      values_at(2,
                "void take(int begin, int end) {\n"
                "  send(begin);\n"
                "}\n"
                "void f(int count, int index) {\n"
                "  const int share = count / 3;\n"
                "  take(index * share, index * share + share);\n"
                "}\n",
                {"a.cu:6"}),
      ElementsAre("5: const int share = count / 3;", "6: take(index * share, index * share + share);"));
}

TEST(LinesOfValues, ASwapGivesValuesToBoth) {
  EXPECT_THAT(values_at(4,
                        "void f(float* now, float* next[2]) {\n"
                        "  float* own[2] = {now, nullptr};\n"
                        "  for (;;) {\n"
                        "    advance(own[0]);\n"
                        "    std::swap(next[0], own[0]);\n"
                        "    compare(next[0], own[0]);\n"
                        "  }\n"
                        "}\n"),
              ElementsAre("2: float* own[2] = {now, nullptr};", "5: std::swap(next[0], own[0]);"));
}

TEST(LinesOfValues, OfAStreamAreThoseOfTheLastArgument) {
  const std::string text =
      "void f(const work& given) {\n"
      "  float* values = given.values;\n"
      "  cudaStream_t stream = nullptr;\n"
      "  advance<<<given.blocks, 256, 0, stream>>>(values);\n"
      "  cudaMemcpyAsync(values, given.input, 4, cudaMemcpyHostToDevice, stream);\n"
      "  take(values, stream);\n"
      "}\n";
  EXPECT_THAT(values_at(4, text, {}, value_of::stream), ElementsAre("3: cudaStream_t stream = nullptr;"));
  EXPECT_THAT(values_at(5, text, {}, value_of::stream), ElementsAre("3: cudaStream_t stream = nullptr;"));
  EXPECT_THAT(values_at(4, text, {}, value_of::data), ElementsAre("2: float* values = given.values;"));
  EXPECT_THAT(values_at(5, text, {}, value_of::data), ElementsAre("2: float* values = given.values;"));
  EXPECT_THAT(values_at(6, text, {}, value_of::stream),
              ElementsAre("2: float* values = given.values;", "3: cudaStream_t stream = nullptr;"));
}

TEST(LinesOfValues, AreThoseOfTheOtherPlacesToo) {
  report::evidence why;
  why.where = "a.cu:4, a.cu:5, b.cu:2";
  std::vector<int> lines;
  for (const report::source_line& value : lines_of_values(file_of("void f(const batches& work) {\n"
                                                                  "  const int count = 5;\n"
                                                                  "  float* output = work.output;\n"
                                                                  "  scale(count);\n"
                                                                  "  copy(output, count);\n"
                                                                  "}\n"),
                                                          value_of::statement, why))
    lines.push_back(value.line);
  EXPECT_THAT(lines, ElementsAre(2, 3));
}

TEST(LinesOfValues, OfAnotherFileAreNotKnown) {
  report::evidence why;
  why.where = "b.cu:3";
  EXPECT_THAT(lines_of_values(file_of("void f() {\n  int n = 0;\n  g(n);\n}\n"), value_of::statement, why),
              IsEmpty());
}

TEST(LinesOfValues, OfAFunctionThatIsCalledThroughAPointerAreThoseOfTheCallWithAsManyArguments) {
  const std::string text =
      "chunk chunk_at(int index) {\n"
      "  const int length = all / 8;\n"
      "  return {length * index, length};\n"
      "}\n"
      "void copy(const chunk& part, cudaStream_t stream) {\n"
      "  const int bytes = part.length * 4;\n"
      "  cudaMemcpyAsync(to, from, bytes, kind, stream);\n"
      "}\n"
      "void f(int count) {\n"
      "  const step steps[] = {copy};\n"
      "  for (const step one : steps) one(chunk_at(0), first);\n"
      "}\n";
  EXPECT_THAT(values_at(7, text, {"a.cu:11"}), testing::Contains("2: const int length = all / 8;"));
}

TEST(LineOfChoice, OfBytesIsThatOfTheSizeOfACopyOrAnAllocation) {
  const auto source = file_of(
      "void f(const batches& work) {\n"
      "  const std::size_t bytes = work.blocks * sizeof(float);\n"
      "  float* to = nullptr;\n"
      "  CHECK(cudaMallocAsync(&to, bytes, work.stream));\n"
      "  cudaMemcpyAsync(to, work.input, bytes, cudaMemcpyHostToDevice, work.stream);\n"
      "  cudaMemcpy(to, work.input, work.elements * 4, cudaMemcpyHostToDevice);\n"
      "  scale<<<1, 1>>>(to);\n"
      "}\n");
  EXPECT_EQ(line_of_choice(source, value_of::bytes, "a.cu:4"), "a.cu:2");
  EXPECT_EQ(line_of_choice(source, value_of::bytes, "a.cu:5"), "a.cu:2");
  EXPECT_EQ(line_of_choice(source, value_of::bytes, "a.cu:6"), "");
  EXPECT_EQ(line_of_choice(source, value_of::bytes, "a.cu:7"), "");
}

TEST(QuoteLines, HaveValuesOnlyWhereTheMistakeIsInOne) {
  const auto source = file_of("void f() {\n  int n = 0;\n  g(n);\n}\n");
  report::evidence why;
  why.where = "a.cu:3, a.cu:2";
  quote_lines(source, "host_waits_early", why);
  EXPECT_EQ(why.quoted, "g(n);");
  EXPECT_THAT(why.values, IsEmpty());
  quote_lines(source, "wrong_value", why);
  EXPECT_THAT(why.values, ElementsAre(report::source_line{2, "int n = 0;"}));
}

}  // namespace
}  // namespace matchers
