#include "cuda_compiler/nvcc_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace cuda_compiler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(NvccCommand, OptionsAboutCodeForRealGpusAreTaken) {
  const nvcc_command command = read_nvcc_command(
      {"-O3", "-g", "-lineinfo", "-arch=sm_90", "-gencode", "arch=compute_80,code=sm_80", "-rdc=true",
       "--expt-relaxed-constexpr", "-Xptxas", "-v", "-o", "saxpy", "saxpy.cu", "tools.cpp"});
  EXPECT_THAT(command.problems, IsEmpty());
  EXPECT_EQ(command.options.output, "saxpy");
  EXPECT_THAT(command.options.sources, ElementsAre("saxpy.cu", "tools.cpp"));
  EXPECT_FALSE(command.options.makes_objects);
}

TEST(NvccCommand, WhatIsLinkedKeepsItsOrder) {
  const nvcc_command command =
      read_nvcc_command({"a.o", "-Wl,--whole-archive", "libb.a", "-Xlinker", "--no-whole-archive,-z,now",
                         "-L", "lib", "-lm", "-lcudart"});
  EXPECT_THAT(command.options.linked,
              ElementsAre("a.o", "-Wl,--whole-archive", "libb.a", "-Wl,--no-whole-archive", "-Wl,-z",
                          "-Wl,now", "-Llib", "-lm"));
  EXPECT_EQ(command.options.output, "a.out");
}

TEST(NvccCommand, WordsOfTheHostCompilerGoToItButForItsWarnings) {
  const nvcc_command command =
      read_nvcc_command({"-Xcompiler", "-fopenmp,-Wall", "-Xcompiler=-march=native", "-pthread", "a.cu"});
  EXPECT_THAT(command.options.host_words, ElementsAre("-fopenmp", "-march=native", "-pthread"));
}

TEST(NvccCommand, AnObjectIsNamedOrHasTheNameOfItsSource) {
  const nvcc_command one =
      read_nvcc_command({"-x", "cu", "-c", "a.cc", "-o", "b.o", "-MD", "-MT", "b.o", "-MF", "b.o.d"});
  EXPECT_TRUE(one.options.makes_objects);
  EXPECT_EQ(one.options.language, source_language::cuda);
  EXPECT_EQ(one.options.dependencies.file, "b.o.d");
  EXPECT_EQ(read_nvcc_command({"-c", "-MMD", "a.cu"}).options.dependencies.file, "a.d");
  EXPECT_THAT(read_nvcc_command({"-c", "-o", "c.o", "a.cu", "b.cu"}).problems,
              ElementsAre(HasSubstr("-c makes 2")));
}

TEST(NvccCommand, AFileOfOptionsStandsForItsWords) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "words.rsp";
  std::ofstream(file) << "-I/a/b -I\"/a folder\"\n-isystem=/c '-DTEXT=\"x y\"' d\\ e.o\n";
  const nvcc_command command = read_nvcc_command({"--options-file", file, "-c", "a.cu"});
  EXPECT_THAT(command.problems, IsEmpty());
  EXPECT_THAT(command.options.include_directories, ElementsAre("/a/b", "/a folder"));
  EXPECT_THAT(command.options.preprocessor_words, ElementsAre("-isystem", "/c"));
  EXPECT_THAT(command.options.definitions, ElementsAre("TEXT=\"x y\""));
  EXPECT_THAT(command.options.linked, ElementsAre("d e.o"));
  EXPECT_THAT(read_nvcc_command({"-optf=nowhere.rsp", "a.cu"}).problems,
              ElementsAre(HasSubstr("nowhere.rsp cannot be read")));

  EXPECT_THAT(read_nvcc_command({"@" + file.string()}).options.linked, ElementsAre("d e.o"));
  std::ofstream(file) << "-optf " << file << '\n';
  EXPECT_THAT(read_nvcc_command({"-optf", file, "a.cu"}).problems,
              ElementsAre(HasSubstr("files of options")));
}

TEST(NvccCommand, LinkingCodeForKernelsMakesAnObjectOfNothing) {
  const nvcc_command command = read_nvcc_command({"-dlink", "a.o", "libb.a", "-o", "link.o"});
  EXPECT_THAT(command.problems, IsEmpty());
  EXPECT_TRUE(command.options.makes_objects);
  EXPECT_THAT(command.options.sources, IsEmpty());
  EXPECT_EQ(command.options.output, "link.o");
  EXPECT_EQ(read_nvcc_command({"-dlink", "a.o"}).options.output, "a_dlink.o");
}

TEST(NvccCommand, WhatCannotBeDoneIsRefusedByName) {
  EXPECT_THAT(read_nvcc_command({"-ptx", "a.cu"}).problems, ElementsAre(HasSubstr("-ptx is not supported")));
  EXPECT_THAT(read_nvcc_command({"a.cu", "-lcublas"}).problems,
              ElementsAre(HasSubstr("-lcublas is not supported: the libraries of the CUDA toolkit")));
  EXPECT_THAT(read_nvcc_command({"a.cu", "-lcuda"}).problems, ElementsAre(HasSubstr("driver API")));
  EXPECT_THAT(read_nvcc_command({"a.cu", "--frobnicate"}).problems, ElementsAre(HasSubstr("--frobnicate")));
  EXPECT_THAT(read_nvcc_command({"a.txt"}).problems, testing::Contains(HasSubstr("a.txt is neither")));
  EXPECT_THAT(read_nvcc_command({}).problems, ElementsAre(HasSubstr("no file")));
}

TEST(NvccCommand, StandardsBeforeCpp14BecomeIt) {
  EXPECT_EQ(read_nvcc_command({"-std=c++11", "a.cu"}).options.standard, "c++14");
  EXPECT_EQ(read_nvcc_command({"-std=c++23", "a.cu"}).options.standard, "c++23");
  EXPECT_EQ(read_nvcc_command({"a.cu"}).options.standard, "c++17");
}

}  // namespace
}  // namespace cuda_compiler
