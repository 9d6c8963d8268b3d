#include "cuda_compiler/compile.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <future>
#include <optional>
#include <sstream>

#include "cuda_compiler/compiler_flags.h"
#include "cuda_compiler/diagnostics.h"
#include "cuda_compiler/lesson_files.h"
#include "cuda_compiler/special_include.h"
#include "cuda_compiler/toolkit_headers.h"
#include "cuda_compiler/translator.h"
#include "cuda_compiler/two_passes.h"
#include "processes/content_hash.h"
#include "processes/environment.h"
#include "processes/files.h"
#include "processes/object_cache.h"
#include "processes/run.h"

namespace cuda_compiler {
namespace {

namespace fs = std::filesystem;
using arguments = std::vector<std::string>;

/// For whom a .cu file is preprocessed, and whether the compiled headers of CUDA may take the place of their text.
enum class preprocessor_pass { host, device, device_with_compiled_headers };

constexpr std::size_t max_message_bytes = 100'000;
/// A .cu file with the headers of the standard library and CUDA has 3 to 6 MB.
constexpr std::size_t max_preprocessed_bytes = 256'000'000;

void add(arguments& to, const arguments& more) { to.insert(to.end(), more.begin(), more.end()); }

/// As nvcc takes them: other files are host code, which includes what it needs.
source_language language_by_name(const fs::path& source) {
  if (source.extension() == ".cu") return source_language::cuda;
  return source.extension() == ".c" ? source_language::c : source_language::cpp;
}

bool is_below(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

/// A path as make reads it.
std::string for_make(const std::string& path) {
  std::string written;
  for (const char c : path) {
    if (c == ' ' || c == '#') written += '\\';
    if (c == '$') written += '$';
    written += c;
  }
  return written;
}

constexpr const char* device_macro = "__CUDA_ARCH__";
constexpr const char* device_definition = "-D__CUDA_ARCH__=900";

class compilation {
 public:
  compilation(const compile_options& options, const fs::path& temporary)
      : options_(options), temporary_(temporary) {}

  compile_result run() {
    for (const std::string& source : options_.sources) {
      const std::string problem = processes::problem_of_text(source);
      if (!problem.empty()) return {compile_status::missing_file, source + " " + problem + "\n"};
      if (const auto found = find_special_include(source, options_.include_directories)) {
        return {compile_status::refused, found->includer.string() + ':' + std::to_string(found->line) +
                                             ": error: " + found->file.string() + " is not a regular file\n"};
      }
    }
    const compile_result compiler = find_compiler();
    if (compiler.status != compile_status::done) return compiler;
    if (options_.makes_header) return compile_header();
    compile_result all = compile_all();
    if (all.status != compile_status::done) return all;
    if (options_.makes_objects)
      return options_.sources.empty() ? write_empty_object() : write_objects(all.messages);
    compile_result linked = link();
    if (linked.status == compile_status::failed && has_fetched_) {
      may_fetch_ = false;
      all = compile_all();
      if (all.status != compile_status::done) return all;
      linked = link();
    }
    return {linked.status, all.messages + linked.messages};
  }

 private:
  static bool write(const fs::path& file, const std::string& text) {
    return static_cast<bool>(std::ofstream(file, std::ios::binary) << text << std::flush);
  }
  std::string object(std::size_t i) const { return temporary_ / (std::to_string(i) + ".o"); }

  source_language language_of(const std::string& source) const {
    if (options_.makes_header) return source_language::cuda;
    return options_.language == source_language::by_name ? language_by_name(source) : options_.language;
  }
  bool is_cuda(const std::string& source) const { return language_of(source) == source_language::cuda; }

  fs::path written_object(const std::string& source) const {
    return options_.output.empty() ? fs::path(source).filename().replace_extension(".o") : options_.output;
  }

  compile_result write_empty_object() const {
    const processes::outcome ended =
        run_step({options_.compiler, "-c", "-x", "c", "/dev/null", "-o", options_.output});
    return {ended.succeeded() ? compile_status::done : compile_status::failed, ended.errors};
  }

  compile_result write_objects(const std::string& messages) const {
    for (std::size_t i = 0; i < options_.sources.size(); ++i) {
      const fs::path written = written_object(options_.sources[i]);
      std::error_code error;
      fs::copy_file(object(i), written, fs::copy_options::overwrite_existing, error);
      if (error)
        return {compile_status::failed,
                messages + written.string() + " cannot be written: " + error.message() + '\n'};
    }
    return {compile_status::done, messages};
  }

  /// false when it cannot be written.
  bool write_dependencies(const std::string& source, const std::vector<fs::path>& read) const {
    if (options_.dependencies.file.empty()) return true;
    const fs::path made = options_.makes_objects ? written_object(source) : options_.output;
    std::string rule =
        (options_.dependencies.name.empty() ? for_make(made.string()) : options_.dependencies.name) + ':';
    for (const fs::path& file : read) rule += " \\\n  " + for_make(file.string());
    return static_cast<bool>(std::ofstream(options_.dependencies.file, std::ios::binary) << rule << '\n'
                                                                                         << std::flush);
  }

  /// What the compiler prints is cut: thousands of errors help nobody.
  processes::outcome run_step(const arguments& command) const {
    const compile_limits& limits = options_.limits;
    processes::outcome ended = processes::run(
        {.arguments = command, .cpu_time_limit = limits.cpu_time, .memory_limit_bytes = limits.memory_bytes},
        processes::capture::apart, "",
        {.real_time = limits.real_time,
         .output_bytes = max_preprocessed_bytes,
         .error_bytes = max_message_bytes});
    if (ended.dropped_error_bytes == 0) return ended;
    constexpr std::size_t kept_of_an_endless_line = 1000;
    const std::size_t last_line = ended.errors.rfind('\n') + 1;
    const std::size_t kept_bytes = last_line > 0 ? last_line : kept_of_an_endless_line;
    const std::size_t dropped_bytes = ended.dropped_error_bytes + ended.errors.size() - kept_bytes;
    ended.errors.resize(kept_bytes);
    if (last_line == 0) ended.errors += "...\n";
    ended.errors +=
        "The rest of the messages, " + std::to_string((dropped_bytes + 1023) >> 10) + " KB, is left out.\n";
    return ended;
  }

  /// The limit that a step of this file has passed, in a sentence; nothing when it has passed none.
  std::optional<compile_result> passed_limit(const processes::outcome& ended,
                                             const std::string& source) const {
    const compile_limits& limits = options_.limits;
    const auto refused = [](std::string sentence) {
      return compile_result{compile_status::refused, std::move(sentence)};
    };
    if (ended.dropped_output_bytes > 0) {
      return refused(source + ": the text of this file and its headers is longer than " +
                     std::to_string(max_preprocessed_bytes >> 20) +
                     " MB; look for a header that includes itself\n");
    }
    if (ended.succeeded()) return std::nullopt;
    const std::string advice = "; look for a template or a constant expression that never ends";
    if (limits.cpu_time.count() > 0 && ended.cpu_time >= limits.cpu_time * 9 / 10) {
      return refused(source + ": compiling this file took more than " +
                     std::to_string(limits.cpu_time.count()) + " s of processor time" + advice + '\n');
    }
    // Where it computed for much of that time, the machine was busy: not the fault of the file.
    if (ended.is_over_limit && ended.cpu_time * 2 < limits.real_time) {
      return compile_result{compile_status::over_real_time,
                            source + ": compiling this file did not end within " +
                                std::to_string(limits.real_time.count()) + " s" + advice +
                                ", or for an #include of something that is not a file\n"};
    }
    // Less: the machine has no more to give.
    if (limits.memory_bytes > 0 && ended.resident_bytes > limits.memory_bytes / 2) {
      return refused(source + ": compiling this file took more than " +
                     std::to_string(limits.memory_bytes >> 20) + " MB of memory" + advice + '\n');
    }
    return std::nullopt;
  }

  compile_result find_compiler() {
    const processes::outcome compiler = run_step({options_.compiler, "--version"});
    if (!compiler.succeeded()) return not_run(compiler);
    version_ = compiler.output;
    family_ = version_.find("clang") != std::string::npos ? compiler_family::clang : compiler_family::gcc;
    return {compile_status::done, ""};
  }

  compile_result not_run(const processes::outcome& end) const {
    std::string why = end.errors;
    if (end.start_error != 0) why = std::strerror(end.start_error);
    if (end.signal != 0) why = "ended by signal " + std::to_string(end.signal);
    if (end.is_over_limit)
      why = "not done within " + std::to_string(options_.limits.real_time.count()) + " s";
    const std::string usual = "The compiler '" + options_.compiler +
                              "' could not be run: " + why.substr(0, why.find('\n')) +
                              ".\n./streamlings doctor says which compilers work here.\n";
    return {compile_status::failed, toolchain_failure(why).value_or(usual) + end.errors};
  }

  compile_result compile_header() const {
    const std::string header = options_.output.string();
    const std::string name = fs::path(options_.sources.front()).filename();
    const std::string include = "#include <" + name + ">\n";
    arguments command = preprocess_command(header, name);
    if (!write(header, include)) return {compile_status::failed, header + " cannot be written\n"};
    const processes::outcome preprocessed = run_step(command);
    if (!preprocessed.succeeded()) return refused(preprocessed, preprocessed.errors);
    // What changes with the text is in the keys of the cache.
    write(header, "// " + key_of(header, preprocessed.output) + '\n' + include);
    if (family_ != compiler_family::gcc) return {compile_status::done, ""};
    command[1] = "-c";
    command[3] = "c++-header";
    command.push_back(device_definition);
    add(command, compiled_header_flags());
    const std::string unfinished = temporary_ / "headers.gch";
    add(command, {"-o", unfinished});
    const processes::outcome compiled = run_step(command);
    if (!compiled.succeeded()) return refused(compiled, compiled.errors);
    // In one step, because a lesson may be compiled meanwhile.
    std::error_code error;
    fs::copy_file(unfinished, header + ".gch.new", fs::copy_options::overwrite_existing, error);
    if (!error) fs::rename(header + ".gch.new", header + ".gch", error);
    if (error) return {compile_status::failed, header + ".gch cannot be written: " + error.message() + '\n'};
    return {compile_status::done, ""};
  }

  compile_result compile_all() {
    std::vector<std::future<compile_result>> files;
    const auto policy = options_.sources.size() > 1 ? std::launch::async : std::launch::deferred;
    for (std::size_t i = 0; i < options_.sources.size(); ++i) {
      files.push_back(std::async(policy, [this, i] { return compile_file(i); }));
    }
    // The first of these that any file has: trouble of ours, of which one report is enough; an error;
    // something unsupported.
    compile_result all{compile_status::done, ""};
    const auto rank = [](compile_status status) {
      const bool is_refused = status == compile_status::refused || status == compile_status::over_real_time;
      return is_refused ? 2 : static_cast<int>(status != compile_status::done);
    };
    for (std::future<compile_result>& file : files) {
      const compile_result result = file.get();
      if (result.status == compile_status::failed) return result;
      all.messages += result.messages;
      if (rank(result.status) > rank(all.status)) all.status = result.status;
    }
    return all;
  }

  compile_result compile_file(std::size_t i) {
    const std::string& source = options_.sources[i];
    const std::string base = temporary_ / std::to_string(i);
    const processes::object_cache cache(options_.cache);
    std::string warnings;
    // Of a file that learners write, what it includes has to be looked at each time.
    const std::string command_key = options_.cache.empty() || is_cuda(source) ? "" : key_of_command(source);
    if (!command_key.empty() && may_fetch_) {
      const std::string key = cache.key_of_unchanged(command_key);
      if (!key.empty() && cache.fetch(key, object(i), warnings)) {
        has_fetched_ = true;
        return {compile_status::done, warnings};
      }
    }
    const bool takes_compiled_headers = may_take_compiled_headers(source);
    processes::outcome preprocessor = preprocess(
        source,
        takes_compiled_headers ? preprocessor_pass::device_with_compiled_headers : preprocessor_pass::device,
        base + ".d");
    const std::string messages = readable_messages(preprocessor.errors);
    if (const auto passed = passed_limit(preprocessor, source))
      return {passed->status, messages + passed->messages};
    if (!preprocessor.succeeded()) {
      if (const auto missing = find_missing_header(preprocessor.errors)) return refused(*missing, messages);
      return refused(preprocessor, messages);
    }

    std::vector<fs::path> read = processes::files_in_list(processes::content_of(base + ".d").value_or(""));
    if (is_cuda(source) && std::any_of(read.begin(), read.end(),
                                       [&](const fs::path& file) { return tests_device_macro(file); })) {
      if (takes_compiled_headers) preprocessor = preprocess(source, preprocessor_pass::device, base + ".d");
      const processes::outcome of_host = preprocess(source, preprocessor_pass::host, base + ".host.d");
      if (!of_host.succeeded()) return refused(of_host, readable_messages(of_host.errors));
      for (fs::path& file : processes::files_in_list(processes::content_of(base + ".host.d").value_or(""))) {
        if (std::find(read.begin(), read.end(), file) == read.end()) read.push_back(std::move(file));
      }
      merged_passes merged = merge_passes(preprocessor.output, of_host.output);
      if (!merged.errors.empty()) return {compile_status::unsupported, messages + sentences(merged.errors)};
      preprocessor.output = std::move(merged.text);
    }

    if (!write_dependencies(source, read))
      return {compile_status::failed,
              messages + options_.dependencies.file.string() + " cannot be written\n"};
    if (is_cuda(source) && !options_.readable.empty()) {
      if (const auto foreign = find_foreign(source, read, preprocessor.output)) {
        const std::string place = source + (foreign->line == 0 ? "" : ':' + std::to_string(foreign->line));
        return {compile_status::foreign_file, place + ": " + foreign->sentence + '\n' + messages};
      }
    }

    const bool is_c = language_of(source) == source_language::c;
    const translation translated =
        is_c ? translation{preprocessor.output, {}} : translate(preprocessor.output, processes::content_of);
    if (!translated.errors.empty()) {
      const bool is_supported =
          std::all_of(translated.errors.begin(), translated.errors.end(),
                      [](const translation_error& error) { return error.construct.empty(); });
      return {is_supported ? compile_status::refused : compile_status::unsupported,
              messages + sentences(translated.errors)};
    }

    const arguments command = compile_command(language_of(source), base + ".ii", object(i));
    const std::string key = options_.cache.empty() ? "" : key_of(source, translated.text);
    if (!command_key.empty() && messages.empty()) cache.note_files(command_key, key, read);
    if (!key.empty() && may_fetch_ && cache.fetch(key, object(i), warnings)) {
      has_fetched_ = true;
      return {compile_status::done, messages + warnings};
    }
    if (!write(base + ".ii", translated.text)) return not_run(processes::outcome_of_failed_start(ENOSPC));
    const processes::outcome compiler = run_step(command);
    warnings = readable_messages(compiler.errors);
    if (const auto passed = passed_limit(compiler, source))
      return {passed->status, messages + passed->messages};
    if (!compiler.succeeded()) {
      const std::string unknown =
          options_.main == main_function::of_program ? undeclared_names_message(compiler.errors) : "";
      if (!unknown.empty()) return {compile_status::unsupported, unknown};
      return refused(compiler, messages + warnings);
    }
    if (!key.empty()) cache.store(key, object(i), warnings);
    return {compile_status::done, messages + warnings};
  }

  /// What the file of a lesson reads and may not.
  std::optional<foreign_file> find_foreign(const std::string& source, const std::vector<fs::path>& read,
                                           const std::string& preprocessed) const {
    const std::string text = processes::content_of(source).value_or("");
    if (const auto hidden = find_hidden_reading(text, preprocessed, source)) return hidden;
    std::vector<fs::path> allowed{options_.virtual_include, source, "/usr/include", "/usr/lib"};
    if (!options_.compiled_headers.empty()) allowed.push_back(options_.compiled_headers);
    for (const std::string& path : options_.readable) allowed.emplace_back(path);
    std::optional<fs::path> found = first_foreign(read, allowed);
    if (!found) return std::nullopt;
    // Compilers that were installed elsewhere; to ask takes time.
    const processes::outcome asked = run_step({options_.compiler, "-E", "-v", "-x", "c++", "/dev/null"});
    const std::vector<fs::path> system = system_folders_in(asked.errors);
    allowed.insert(allowed.end(), system.begin(), system.end());
    found = first_foreign(read, allowed);
    if (!found) return std::nullopt;
    return foreign_file{line_of_include(preprocessed, source, *found),
                        found->string() + " is no header of the lesson, of CUDA or of C++"};
  }

  void add_standard(arguments& command, bool is_c) const {
    const std::string& standard = is_c ? options_.c_standard : options_.standard;
    if (!standard.empty()) command.push_back("-std=" + standard);
  }

  processes::outcome preprocess(const std::string& source, preprocessor_pass wanted,
                                const std::string& list) const {
    const bool takes_compiled = wanted == preprocessor_pass::device_with_compiled_headers;
    arguments command =
        preprocess_command(source, takes_compiled ? compiled_header().string() : first_header());
    if (is_cuda(source) && wanted != preprocessor_pass::host)
      command.insert(command.begin() + 1, device_definition);
    if (takes_compiled) {
      add(command, compiled_header_flags());
      command.push_back("-fpch-preprocess");
    }
    add(command, {"-MD", "-MF", list, "-MT", "list"});
    return run_step(command);
  }

  /// With other options than those that they were compiled with g++ may refuse them only when it compiles. A list of what was read names
  /// every header.
  bool may_take_compiled_headers(const std::string& source) const {
    return is_cuda(source) && family_ == compiler_family::gcc &&
           options_.standard == compile_options{}.standard && options_.host_words.empty() &&
           options_.preprocessor_words.empty() && options_.dependencies.file.empty() &&
           fs::exists(compiled_header().string() + ".gch");
  }

  /// g++ takes compiled headers only with the flags that they were compiled with. The macros are those of a preprocessor
  /// without these flags, as in every other file.
  arguments compiled_header_flags() const {
    arguments flags = {"-U__OPTIMIZE__", "-D__NO_INLINE__", "-U__SANITIZE_THREAD__"};
    add(flags, code_flags(family_, version_));
    return flags;
  }

  /// Whether a file of the user names it: then host and device may see different code.
  bool tests_device_macro(const fs::path& file) const {
    if (is_below(file, options_.virtual_include) || is_below(file, "/usr/include") ||
        is_below(file, "/usr/lib"))
      return false;
    return processes::content_of(file).value_or("").find(device_macro) != std::string::npos;
  }

  /// What stands in front of each CUDA file.
  std::string first_header() const {
    return options_.main == main_function::of_lesson ? "lesson_prelude.h" : "cuda_runtime.h";
  }

  fs::path compiled_header() const { return options_.compiled_headers / first_header(); }

  arguments preprocess_command(const std::string& source) const {
    return preprocess_command(source, first_header());
  }

  arguments preprocess_command(const std::string& source, const std::string& first_header) const {
    const bool is_c = language_of(source) == source_language::c;
    arguments command = {options_.compiler, "-E", "-x", is_c ? "c" : "c++"};
    add_standard(command, is_c);
    // Some distributions let g++ put checking functions in the place of memcpy and printf.
    command.push_back("-U_FORTIFY_SOURCE");
    // First, so that an -I of a CUDA toolkit does not bring in the headers of the real thing.
    add(command, {"-I", options_.virtual_include.string()});
    if (options_.null_stream == default_stream::per_thread)
      command.push_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM");
    if (is_cuda(source)) {
      add(command, cuda_flags());
      add(command, {"-include", first_header});
    }
    for (const std::string& directory : options_.include_directories) add(command, {"-I", directory});
    const fs::path own = fs::path(source).parent_path();
    add(command, {"-I", own.empty() ? "." : own.string()});
    for (const std::string& definition : options_.definitions) command.push_back("-D" + definition);
    add(command, options_.host_words);
    add(command, options_.preprocessor_words);
    add(command, diagnostic_flags());
    command.push_back(source);
    return command;
  }

  arguments compile_command(source_language language, const std::string& translated,
                            const std::string& object) const {
    const bool is_c = language == source_language::c;
    arguments command = {options_.compiler, "-x", is_c ? "cpp-output" : "c++-cpp-output", "-c"};
    add_standard(command, is_c);
    add(command, options_.host_words);
    add(command, code_flags(family_, version_));
    add(command, diagnostic_flags());
    add(command, {translated, "-o", object});
    return command;
  }

  arguments diagnostic_flags() const {
    arguments flags;
    // g++ shows the line of the original file; clang++ would show the translated one, so we draw it.
    if (family_ == compiler_family::clang) flags.push_back("-fno-caret-diagnostics");
    flags.push_back(family_ == compiler_family::clang ? "-ferror-limit=100" : "-fmax-errors=100");
    flags.push_back(options_.has_colours ? "-fdiagnostics-color=always" : "-fdiagnostics-color=never");
    return flags;
  }

  std::string readable_messages(const std::string& messages) const {
    const std::string readable = without_internals(messages);
    return family_ == compiler_family::clang ? with_source_lines(readable, processes::content_of) : readable;
  }

  /// An error in the file, unless the toolchain failed.
  compile_result refused(const processes::outcome& end, const std::string& messages) const {
    const bool broke_down = end.start_error != 0 || end.signal != 0 ||
                            end.errors.find("internal compiler error") != std::string::npos ||
                            end.errors.empty() || toolchain_failure(end.errors).has_value();
    return broke_down ? not_run(end) : compile_result{compile_status::refused, messages};
  }

  /// A sentence about a header of CUDA that the virtual GPU lacks, or about what to do for any other.
  compile_result refused(const missing_header& missing, const std::string& messages) const {
    if (const auto why = why_not_here(missing.header))
      return {compile_status::unsupported,
              sentences({{missing.file, missing.line, '<' + missing.header + '>', *why}})};
    if (options_.main == main_function::of_lesson) return {compile_status::refused, messages};
    return {compile_status::refused,
            sentences({{missing.file, missing.line, "",
                        '<' + missing.header +
                            "> is not found: give its folder with -I, or install what it comes with"}})};
  }

  /// A sentence for each name of CUDA that the virtual GPU lacks; "" for other errors. Lessons need none of them.
  static std::string undeclared_names_message(const std::string& messages) {
    std::vector<translation_error> errors;
    for (const undeclared_name& name : undeclared_api_names(messages)) {
      errors.push_back({name.file, name.line, name.name, why_not_known(name.name, name.nearest)});
    }
    return sentences(errors);
  }

  static std::string sentences(const std::vector<translation_error>& errors) {
    std::string text;
    for (const translation_error& error : errors) {
      text +=
          error.file + ':' + std::to_string(error.line) + ": " +
          (error.construct.empty() ? "error: " : error.construct + " is not supported by the virtual GPU: ") +
          error.message + '\n';
    }
    return text;
  }

  std::string key_of(const std::string& source, const std::string& translated) const {
    std::string flags;
    for (const std::string& flag : compile_command(language_of(source), "", "")) flags += flag + '\n';
    const std::string headers = processes::content_of(compiled_header()).value_or("");
    return processes::cache_key({options_.compiler, version_, flags, translated, headers});
  }

  std::string key_of_command(const std::string& source) const {
    std::string flags;
    for (const arguments& command :
         {preprocess_command(source), compile_command(language_of(source), "", "")}) {
      for (const std::string& flag : command) flags += flag + '\n';
    }
    return processes::cache_key(
        {options_.compiler, version_, flags, processes::content_of(source).value_or("")});
  }

  /// A fast linker where one is installed. Its messages are read by nobody: when it fails, the usual one says why.
  static arguments fast_linker() {
    for (const char* name : {"gold", "lld"}) {
      const fs::path program = processes::find_program(std::string("ld.") + name);
      if (program.is_absolute()) return {std::string("-fuse-ld=") + name};
    }
    return {};
  }

  compile_result link() const {
    const std::string program = options_.output.string() + ".new";
    arguments command = {options_.compiler};
    add(command, link_flags());
    for (std::size_t i = 0; i < options_.sources.size(); ++i) command.push_back(object(i));
    if (!options_.main_object.empty()) command.push_back(options_.main_object.string());
    add(command, options_.host_words);
    add(command, options_.linked);
    const std::string libraries = options_.library_directory.string();
    add(command, {"-L" + libraries, "-Wl,-rpath," + libraries, "-lvirtual_gpu", "-o", program});
    for (const std::string& library : options_.libraries) command.push_back("-l" + library);
    arguments fast_command = command;
    add(fast_command, fast_linker());
    processes::outcome linker = run_step(fast_command);
    if (!linker.succeeded() && fast_command != command) linker = run_step(command);
    std::error_code error;
    if (linker.succeeded()) {
      fs::rename(program, options_.output, error);
      if (!error) return {compile_status::done, ""};
      return {compile_status::failed,
              "The program cannot be written to " + options_.output.string() + ": " + error.message() +
                  ".\nSee to it that there is room and that the folder may be written to.\n"};
    }
    fs::remove(program, error);
    return explain(linker);
  }

  compile_result explain(const processes::outcome& linker) const {
    if (linker.start_error != 0 || linker.signal != 0 || toolchain_failure(linker.errors))
      return not_run(linker);
    if (options_.main == main_function::of_lesson) {
      const std::string own_main = find_main();
      if (!own_main.empty()) {
        return {compile_status::own_main,
                own_main + ": this defines main(), but the lesson brings its own; remove it\n"};
      }
    }
    const char* const missing = options_.main == main_function::of_lesson
                                    ? " is missing: define it here, with the parameters of its declaration\n"
                                    : " is used, but none of the given files defines it\n";
    const std::string user = options_.sources.empty() ? options_.output.string() : options_.sources.front();
    std::string sentences;
    bool is_ours = false;
    for (const std::string& name : undefined_names(linker.errors)) {
      if (name.rfind("__tsan_", 0) == 0 || name.rfind("__sanitizer_", 0) == 0 ||
          name.rfind("__wrap_", 0) == 0)
        is_ours = true;
      sentences += user + ": " + name + missing;
    }
    for (const std::string& name : repeated_names(linker.errors)) {
      sentences += user + ": " + name + " is defined more than once\n";
    }
    if (sentences.empty() && !options_.linked.empty()) return {compile_status::refused, linker.errors};
    if (is_ours || sentences.empty())
      return {compile_status::failed,
              "The program could not be linked with the virtual GPU.\n"
              "./streamlings setup repairs an incomplete installation.\n" +
                  linker.errors};
    return {compile_status::refused, sentences};
  }

  /// file:line of a main() in the objects (only the file when nm does not know the line); empty when there is none.
  std::string find_main() const {
    for (std::size_t i = 0; i < options_.sources.size(); ++i) {
      const processes::outcome symbols = run_step({"nm", "--line-numbers", "--defined-only", object(i)});
      if (!symbols.succeeded()) return "";
      std::istringstream lines(symbols.output);
      for (std::string line; std::getline(lines, line);) {
        const std::size_t position = line.find(" T main");
        if (position == line.npos || (position + 7 < line.size() && line[position + 7] != '\t')) continue;
        const std::size_t number = line.rfind(':');
        return options_.sources[i] +
               (position + 7 < line.size() && number != line.npos ? line.substr(number) : "");
      }
    }
    return "";
  }

  const compile_options& options_;
  const fs::path& temporary_;
  std::string version_;
  compiler_family family_ = compiler_family::gcc;
  // Objects of the cache that cannot be linked are compiled again.
  bool may_fetch_ = true;
  std::atomic<bool> has_fetched_ = false;
};

}  // namespace

compile_result compile(const compile_options& options, const std::filesystem::path& temporary) {
  return compilation(options, temporary).run();
}

}  // namespace cuda_compiler
