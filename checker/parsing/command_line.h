// command_line.h: what the words behind a program's name may be, and where their values go.
//
// The one place that includes CLI11, which takes seconds to compile wherever it is used. What a verb does
// lies with the verb.
//
//     parsing::command program("Draws.", "draw");
//     std::string file;
//     program.option("-o,--output", file, "Write into this file").required();
//     if (const auto status = program.run(words_behind_name(argument_count, arguments), 2)) return *status;
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace parsing {

/// One option, flag or positional of a command; a handle to say more about it. Each function returns the same handle.
class argument {
 public:
  /// It must be given.
  argument required() const;
  /// Its value is one of these words, which the help names.
  argument one_of(const std::vector<std::string>& choices) const;
  /// Its value is from `min` to `max`.
  argument between(int min, int max) const;
  /// `problem_of` says what is wrong with a value, "" when nothing is.
  argument checked(std::function<std::string(const std::string&)> problem_of) const;
  /// It cannot be given together with the other.
  argument excludes(argument other) const;
  /// It can only be given together with the other.
  argument needs(argument other) const;
  /// One word gives many values, with this character between them.
  argument separated_by(char separator) const;
  /// The help shows the value that it has without being given.
  argument shows_default() const;
  /// What the help calls its value, for example "LEVEL".
  argument called(const std::string& value) const;
  /// The help does not show it.
  argument hidden() const;

 private:
  friend class command;
  explicit argument(CLI::Option* option) : option_(option) {}
  CLI::Option* option_;
};

/// The names of an argument and what can follow them, for the completion in a shell.
struct argument_words {
  std::vector<std::string> names;    ///< "--output", "-o"; for a positional what the help calls it
  bool is_positional = false;        ///< it is known by its place
  bool takes_value = false;          ///< a word follows the name
  std::vector<std::string> choices;  ///< all words that can follow; none: anything
};

/// Words, and what each means; in the order in which the help names them.
template <typename Value>
using meanings = std::vector<std::pair<std::string, Value>>;

/// A program, or one of its verbs. Names are given as "-o,--output", or without dashes for a positional; what
/// the values are stored in must live until the command has run.
class command {
 public:
  command(const std::string& description, const std::string& name);
  ~command();
  command(const command&) = delete;
  command& operator=(const command&) = delete;

  /// A verb, which lives as long as the program. At most one is given; see needs_verb().
  command& verb(const std::string& name, const std::string& description);
  /// The program does nothing without a verb.
  void needs_verb() { least_verbs_ = 1; }
  /// What the help says below the options.
  void footer(const std::string& text);
  /// What the verb does, when it is the one that was given; the result is the program's exit status.
  void does(std::function<int()> action);

  /// true when it is given.
  argument flag(const std::string& names, bool& value, const std::string& help);
  /// An option or a positional with one value, or with many: then an option is given once for each, and a
  /// positional takes all the words that are left.
  argument option(const std::string& names, std::string& value, const std::string& help);
  /// The same for a path.
  argument option(const std::string& names, std::filesystem::path& value, const std::string& help);
  /// The same for a whole number.
  argument option(const std::string& names, int& value, const std::string& help);
  /// The same for a size or a count.
  argument option(const std::string& names, std::size_t& value, const std::string& help);
  /// The same for a number that stays absent when the option does.
  argument option(const std::string& names, std::optional<int>& value, const std::string& help);
  /// The same for a number of 64 bits, such as a seed.
  argument option(const std::string& names, std::optional<std::uint64_t>& value, const std::string& help);
  /// The same for many numbers.
  argument option(const std::string& names, std::vector<int>& values, const std::string& help);
  /// The same for many words.
  argument option(const std::string& names, std::vector<std::string>& values, const std::string& help);
  /// An option whose value is what one of the words means.
  template <typename Value>
  argument choice(const std::string& names, Value& value, const meanings<Value>& known,
                  const std::string& help) {
    std::vector<std::string> words;
    for (const auto& [word, meaning] : known) words.push_back(word);
    return choice_of(names, words, help,
                     [&value, known](std::size_t chosen) { value = known[chosen].second; });
  }
  /// Keeps the words that belong to no argument, instead of refusing them.
  void keeps_the_rest(std::vector<std::string>& words);

  /// Reads the words behind the name of the program, stores the values and does what the verb does. The exit
  /// status: that of the verb, 0 after the help, or `refused` when standard error was told what is wrong with
  /// the words; nothing when they are fine and there is no verb among them.
  std::optional<int> run(std::vector<std::string> words, int refused);

  /// What it is called.
  std::string name() const;
  /// Its arguments, the help's own among them.
  std::vector<argument_words> arguments() const;
  /// Its verbs, in the order in which they were added.
  const std::vector<std::unique_ptr<command>>& verbs() const { return verbs_; }

 private:
  explicit command(CLI::App* of_verb);
  argument choice_of(const std::string& names, const std::vector<std::string>& words, const std::string& help,
                     std::function<void(std::size_t)> store);

  std::unique_ptr<CLI::App> own_;  ///< of a program; that of a verb belongs to its program's
  CLI::App* app_;
  std::vector<std::unique_ptr<command>> verbs_;
  std::size_t least_verbs_ = 0;
  std::function<int()> action_;
  std::vector<std::string>* rest_ = nullptr;
};

/// The words behind the name of the program, as main() gets them.
std::vector<std::string> words_behind_name(int argument_count, char** arguments);

}  // namespace parsing
