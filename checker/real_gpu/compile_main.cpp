// The program streamlings-compile-gpu: a compiler driver for lessons on a real GPU. The same command line and
// exit statuses as streamlings-compile, which makes programs for the virtual GPU; nvcc does the work.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "parsing/command_line.h"
#include "parsing/pattern.h"

extern char** environ;

namespace {

namespace fs = std::filesystem;
using words = std::vector<std::string>;

enum exit_status { done = 0, refused = 1, failed = 2, own_main = 4, missing_file = 5 };

struct options {
  std::string host_compiler = STREAMLINGS_HOST_CXX;
  std::string main = "program";
  words include_directories;
  words definitions;
  fs::path output;
  words sources;
};

/// A program that is running and writes what it prints into a file.
class running {
 public:
  running(const words& command, fs::path printed) : printed_(std::move(printed)) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, printed_.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    std::vector<char*> arguments;
    for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
    arguments.push_back(nullptr);
    const int error = posix_spawnp(&process_, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::system_error(error, std::generic_category(), command.front());
  }

  /// Waits; true when the program ended with status 0.
  bool succeeds() {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    std::ifstream in(printed_, std::ios::binary);
    output_.assign(std::istreambuf_iterator<char>(in), {});
    fs::remove(printed_);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  const std::string& output() const { return output_; }

 private:
  fs::path printed_;
  pid_t process_ = 0;
  std::string output_;
};

words compile_command(const options& given, const std::string& source, const fs::path& object) {
  // Addresses stay below 4 GiB, so that a recording can hold them; debug information tells their lines
  // (of version 4: with version 5, addr2line takes nvcc's intermediate file for the source).
  words command{STREAMLINGS_NVCC,
                "-std=c++17",
                "-O2",
                "-g",
                "-arch=native",
                "-x",
                "cu",
                "-ccbin",
                given.host_compiler,
                "-Xcompiler",
                "-fno-pie",
                "-Xcompiler",
                "-gdwarf-4",
                "-I",
                STREAMLINGS_GPU_INCLUDE};
  for (const std::string& each : given.include_directories) command.insert(command.end(), {"-I", each});
  for (const std::string& each : given.definitions) command.insert(command.end(), {"-D", each});
  command.insert(command.end(), {"-c", source, "-o", object.string()});
  return command;
}

words link_command(const options& given, const std::vector<fs::path>& objects, const fs::path& program) {
  const bool is_lesson = given.main == "lesson";
  words command{STREAMLINGS_NVCC, "-ccbin", given.host_compiler, "-Xcompiler", "-no-pie", "-arch=native"};
  // Before the learner's objects, so that the linker complains about their main(), not about ours.
  command.push_back(is_lesson ? STREAMLINGS_EXERCISE_MAIN : STREAMLINGS_PROGRAM_HOOK);
  for (const fs::path& each : objects) command.push_back(each.string());
  // The runtime comes after the library, which puts some functions in front of it.
  command.insert(command.end(), {"-L", STREAMLINGS_LIBRARY_DIRECTORY, "-lreal_gpu", "-cudart", "shared"});
  for (const char* each : {STREAMLINGS_LIBRARY_DIRECTORY, STREAMLINGS_CUDA_LIBRARY_DIRECTORY}) {
    command.insert(command.end(), {"-Xlinker", "-rpath", "-Xlinker", each});
  }
  command.insert(command.end(), {"-o", program.string()});
  return command;
}

/// "async_copy.cu:26", where the linker found a second main(); "" when that was not its complaint.
std::string place_of_own_main(const std::string& linker_output) {
  static const parsing::pattern complaint(R"(([^\s:]+:[0-9]+): multiple definition of .main')");
  const auto found = complaint.search(linker_output);
  return found ? found->at(1) : "";
}

/// What the tools say when nothing is wrong with the files, and what to do; "" for their other words.
std::string trouble_of_the_machine(const std::string& said) {
  const auto says = [&](const char* words) { return said.find(words) != std::string::npos; };
  if (says("No space left on device") || says("Disk quota exceeded"))
    return "The disk is full.\nMake room where the course is and in the folder for temporary files.\n";
  if (says("died due to signal") || says("signal terminated program") || says("terminated with signal"))
    return "The compiler was ended before it was done, most likely because the memory was full.\n"
           "Close other programs or give the machine more memory, then try again.\n";
  if (says("fatal error: cannot execute") || says("fatal error: cannot find") ||
      says("Failed to preprocess host compiler properties"))
    return "nvcc does not find its host compiler, an assembler or a linker.\n"
           "./streamlings doctor says what is missing.\n";
  return "";
}

/// The end of a compilation in which the tools complained.
exit_status told(const std::string& said) {
  const std::string trouble = trouble_of_the_machine(said);
  std::cerr << trouble << said;
  return trouble.empty() ? refused : failed;
}

exit_status compile(const options& given) {
  for (const std::string& each : given.sources) {
    if (fs::is_regular_file(each)) continue;
    std::cerr << each << ": there is no such file\n";
    return missing_file;
  }
  std::vector<fs::path> objects;
  std::vector<running> compilations;
  for (const std::string& each : given.sources) {
    const std::string stem = given.output.string() + "." + std::to_string(objects.size());
    objects.emplace_back(stem + ".o");
    compilations.emplace_back(compile_command(given, each, objects.back()), stem + ".txt");
  }
  bool is_compiled = true;
  std::string said;
  for (running& each : compilations) {
    is_compiled = each.succeeds() && is_compiled;
    said += each.output();
  }
  if (!is_compiled) return told(said);
  std::cerr << said;

  const fs::path half = given.output.string() + ".new";
  running link(link_command(given, objects, half), given.output.string() + ".link.txt");
  const bool is_linked = link.succeeds();
  for (const fs::path& each : objects) fs::remove(each);
  if (is_linked) {
    std::cerr << link.output();
    fs::rename(half, given.output);
    return done;
  }
  const std::string place = given.main == "lesson" ? place_of_own_main(link.output()) : "";
  if (place.empty()) return told(link.output());
  std::cerr << place << ": this defines main(), and the lesson brings its own\n";
  return own_main;
}

}  // namespace

int main(int argument_count, char** arguments) try {
  options given;
  parsing::command program(
      "Compiles CUDA programs for a real GPU, with a recorder in them.\n\n"
      "Example: streamlings-compile-gpu -o saxpy saxpy.cu\n",
      "streamlings-compile-gpu");
  program.footer(
      "Exit status: 0 done, 1 the compiler refused a file, 2 anything else (what, and on the next line what "
      "to do),\n"
      "4 main() is defined although the lesson brings it, 5 a file is missing.");
  program.option("--compiler", given.host_compiler, "the host compiler of nvcc").shows_default();
  program.option("--main", given.main, "who brings main(): 'lesson' (the exercise) or 'program' (the files)")
      .one_of({"lesson", "program"});
  program.option("-I", given.include_directories, "directory of headers");
  program.option("-D", given.definitions, "macro: NAME or NAME=VALUE");
  program.option("-o", given.output, "the program to write").required();
  program.option("files", given.sources, "FILE.cu...").required();
  if (const auto status = program.run(parsing::words_behind_name(argument_count, arguments), failed))
    return static_cast<exit_status>(*status);
  setenv("LC_ALL", "C", 1);  // the linker's words are read
  return compile(given);
} catch (const std::exception& mistake) {
  std::cerr << "streamlings-compile-gpu: " << mistake.what() << '\n';
  return failed;
}
