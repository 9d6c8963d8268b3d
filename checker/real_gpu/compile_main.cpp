// The program streamlings-compile-gpu: a compiler driver for lessons on a real GPU. The same command line and
// exit statuses as streamlings-compile, which makes programs for the virtual GPU; nvcc does the work.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <iostream>
#include <string>
#include <vector>

#include "parsing/command_line.h"
#include "parsing/pattern.h"
#include "processes/compile_status.h"
#include "processes/content_hash.h"
#include "processes/files.h"
#include "processes/object_cache.h"
#include "processes/run.h"
#include "real_gpu/architectures.h"

namespace {

namespace fs = std::filesystem;
using words = std::vector<std::string>;

using processes::compile_status;

struct options {
  std::string host_compiler = STREAMLINGS_HOST_CXX;
  std::string main = "program";
  words include_directories;
  words definitions;
  fs::path output;
  fs::path cache;  // empty: none
  words sources;
  words architectures;
};

words compile_command(const options& options, const std::string& source, const fs::path& object) {
  // Addresses stay below 4 GiB, so that a recording can hold them; debug information tells their lines
  // (of version 4: with version 5, addr2line takes nvcc's intermediate file for the source).
  words command{STREAMLINGS_NVCC,
                "-std=c++17",
                "-O2",
                "-g",
                "-x",
                "cu",
                "-ccbin",
                options.host_compiler,
                "-Xcompiler",
                "-fno-pie",
                "-Xcompiler",
                "-gdwarf-4",
                "-I",
                STREAMLINGS_GPU_INCLUDE};
  command.insert(command.end(), options.architectures.begin(), options.architectures.end());
  for (const std::string& value : options.include_directories) command.insert(command.end(), {"-I", value});
  for (const std::string& value : options.definitions) command.insert(command.end(), {"-D", value});
  command.insert(command.end(), {"-c", source, "-o", object.string()});
  return command;
}

words link_command(const options& options, const std::vector<fs::path>& objects, const fs::path& program) {
  const bool is_lesson = options.main == "lesson";
  words command{STREAMLINGS_NVCC, "-ccbin", options.host_compiler, "-Xcompiler", "-no-pie"};
  command.insert(command.end(), options.architectures.begin(), options.architectures.end());
  // Before the learner's objects, so that the linker complains about their main(), not about ours.
  command.push_back(is_lesson ? STREAMLINGS_EXERCISE_MAIN : STREAMLINGS_PROGRAM_HOOK);
  for (const fs::path& path : objects) command.push_back(path.string());
  // The runtime comes after the library, which puts some functions in front of it.
  command.insert(command.end(), {"-L", STREAMLINGS_LIBRARY_DIRECTORY, "-lreal_gpu", "-cudart", "shared"});
  for (const char* path : {STREAMLINGS_LIBRARY_DIRECTORY, STREAMLINGS_CUDA_LIBRARY_DIRECTORY}) {
    command.insert(command.end(), {"-Xlinker", "-rpath", "-Xlinker", path});
  }
  command.insert(command.end(), {"-o", program.string()});
  return command;
}

/// "async_copy.cu:26", the place of a second main() in the linker's messages; "" for other errors.
std::string place_of_own_main(const std::string& linker_output) {
  static const parsing::pattern complaint(R"(([^\s:]+:[0-9]+): multiple definition of .main')");
  const auto found = complaint.search(linker_output);
  return found ? found->at(1) : "";
}

/// The cause and cure of a failure of the tools themselves; "" for errors in the files.
std::string toolchain_failure(const std::string& messages) {
  const auto says = [&](const char* words) { return messages.find(words) != std::string::npos; };
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

/// Whether its objects are kept. Of a file that learners write, what it includes has to be looked at each time.
bool is_kept(const options& options, const std::string& source) {
  const bool is_for_any_gpu = std::find(options.architectures.begin(), options.architectures.end(),
                                        "-arch=native") != options.architectures.end();
  return !options.cache.empty() && !is_for_any_gpu && fs::path(source).extension() != ".cu";
}

processes::outcome compile_file(const options& options, const std::string& source, const fs::path& object) {
  words command = compile_command(options, source, object);
  if (!is_kept(options, source)) return processes::run_tool(command);
  const processes::object_cache cache(options.cache);
  const std::string content = processes::content_of(source).value_or("");
  // The object's name is no part of it: it lies beside the program.
  std::vector<std::string_view> parts(command.begin(), command.end() - 1);
  parts.push_back(content);
  const std::string key = processes::cache_key(parts);
  processes::outcome compiler;
  if (cache.key_of_unchanged(key) == key && cache.fetch(key, object, compiler.output)) return compiler;
  const std::string list = object.string() + ".d";
  command.insert(command.end(), {"-MD", "-MF", list});
  compiler = processes::run_tool(command);
  if (compiler.succeeded()) {
    cache.store(key, object, compiler.output);
    cache.note_files(key, key, processes::files_in_list(processes::content_of(list).value_or("")));
  }
  fs::remove(list);
  return compiler;
}

/// Prints the messages of a failed compilation.
compile_status report_failure(const std::string& messages) {
  const std::string failure = toolchain_failure(messages);
  std::cerr << failure << messages;
  return failure.empty() ? compile_status::refused : compile_status::failed;
}

compile_status compile(const options& options) {
  for (const std::string& path : options.sources) {
    if (fs::is_regular_file(path)) continue;
    std::cerr << path << ": there is no such file\n";
    return compile_status::missing_file;
  }
  std::vector<fs::path> objects;
  std::vector<std::future<processes::outcome>> compilations;
  for (const std::string& source : options.sources) {
    objects.emplace_back(options.output.string() + "." + std::to_string(objects.size()) + ".o");
    compilations.push_back(std::async(std::launch::async, [&options, &source, object = objects.back()] {
      return compile_file(options, source, object);
    }));
  }
  bool is_compiled = true;
  std::string messages;
  for (std::future<processes::outcome>& compilation : compilations) {
    const processes::outcome compiler = compilation.get();
    is_compiled = compiler.succeeded() && is_compiled;
    messages += compiler.output;
  }
  if (!is_compiled) return report_failure(messages);
  std::cerr << messages;

  const fs::path half = options.output.string() + ".new";
  const processes::outcome linker = processes::run_tool(link_command(options, objects, half));
  for (const fs::path& object : objects) fs::remove(object);
  if (linker.succeeded()) {
    std::cerr << linker.output;
    fs::rename(half, options.output);
    return compile_status::done;
  }
  const std::string place = options.main == "lesson" ? place_of_own_main(linker.output) : "";
  if (place.empty()) return report_failure(linker.output);
  std::cerr << place << ": this defines main(), and the lesson brings its own\n";
  return compile_status::own_main;
}

}  // namespace

int main(int argument_count, char** arguments) try {
  options options;
  parsing::command program(
      "Compiles CUDA programs for a real GPU, with a recorder in them.\n\n"
      "Example: streamlings-compile-gpu -o saxpy saxpy.cu\n",
      "streamlings-compile-gpu");
  program.footer(
      "Exit status: 0 done, 1 the compiler refused a file, 2 anything else (what, and on the next line what "
      "to do),\n"
      "4 main() is defined although the lesson brings it, 5 a file is missing.");
  program.option("--compiler", options.host_compiler, "the host compiler of nvcc").shows_default();
  program
      .option("--main", options.main, "who brings main(): 'lesson' (the exercise) or 'program' (the files)")
      .one_of({"lesson", "program"});
  program.option("-I", options.include_directories, "directory of headers");
  program.option("-D", options.definitions, "macro: NAME or NAME=VALUE");
  program.option("--cache", options.cache, "directory where objects are kept for the next time");
  program.option("-o", options.output, "the program to write").required();
  program.option("files", options.sources, "FILE.cu...").required();
  if (const auto status = program.run(parsing::words_behind_name(argument_count, arguments),
                                      static_cast<int>(compile_status::failed)))
    return *status;
  setenv("LC_ALL", "C", 1);  // the linker's words are read
  options.architectures = real_gpu::architecture_options();
  return static_cast<int>(compile(options));
} catch (const std::exception& mistake) {
  std::cerr << "streamlings-compile-gpu: " << mistake.what() << '\n';
  return static_cast<int>(compile_status::failed);
}
