#include "parsing/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <utility>

namespace parsing {
namespace {

bool is_positional(const CLI::Option* option) { return option->get_positional(); }

/// A name with dashes takes one value each time it is given, so that it never takes a positional for one.
CLI::Option* with_one_value_at_a_time(CLI::Option* option) {
  if (!is_positional(option)) option->allow_extra_args(false);
  return option;
}

/// The words in the braces of what the help calls a value: "TEXT:{text,html}".
std::vector<std::string> choices_in(const std::string& type) {
  const std::size_t begin = type.find('{');
  const std::size_t end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

std::string joined(const std::vector<std::string>& words) { return CLI::detail::join(words, ","); }

std::optional<std::uint64_t> number_of(const std::string& text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (text.empty() || read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return number;
}

}  // namespace

argument argument::required() const {
  option_->required();
  return *this;
}

argument argument::one_of(const std::vector<std::string>& choices) const {
  option_->check(CLI::IsMember(choices));
  return *this;
}

argument argument::between(int min, int max) const {
  option_->check(CLI::Range(min, max));
  return *this;
}

argument argument::checked(std::function<std::string(const std::string&)> problem_of) const {
  option_->check(std::move(problem_of));
  return *this;
}

argument argument::excludes(argument other) const {
  option_->excludes(other.option_);
  return *this;
}

argument argument::needs(argument other) const {
  option_->needs(other.option_);
  return *this;
}

argument argument::separated_by(char separator) const {
  option_->delimiter(separator);
  return *this;
}

argument argument::shows_default() const {
  option_->capture_default_str();
  return *this;
}

argument argument::called(const std::string& value) const {
  option_->type_name(value);
  return *this;
}

argument argument::hidden() const {
  option_->group("");
  return *this;
}

command::command(const std::string& description, const std::string& name)
    : own_(std::make_unique<CLI::App>(description, name)), app_(own_.get()) {}

command::command(CLI::App* of_verb) : app_(of_verb) {}

command::~command() = default;

command& command::verb(const std::string& name, const std::string& description) {
  verbs_.push_back(std::unique_ptr<command>(new command(app_->add_subcommand(name, description))));
  return *verbs_.back();
}

void command::footer(const std::string& text) { app_->footer(text); }

void command::does(std::function<int()> action) { action_ = std::move(action); }

argument command::flag(const std::string& names, bool& value, const std::string& help) {
  return argument(app_->add_flag(names, value, help));
}

argument command::option(const std::string& names, std::string& value, const std::string& help) {
  return argument(app_->add_option(names, value, help));
}

argument command::option(const std::string& names, std::filesystem::path& value, const std::string& help) {
  return argument(app_->add_option(names, value, help));
}

argument command::option(const std::string& names, int& value, const std::string& help) {
  return argument(app_->add_option(names, value, help));
}

argument command::option(const std::string& names, std::size_t& value, const std::string& help) {
  return argument(app_->add_option(names, value, help));
}

argument command::option(const std::string& names, std::optional<int>& value, const std::string& help) {
  return argument(app_->add_option(names, value, help));
}

argument command::option(const std::string& names, std::optional<std::uint64_t>& value,
                         const std::string& help) {
  // CLI11 wraps a negative or too large number around.
  const auto store = [&value](const std::string& text) { value = number_of(text); };
  CLI::Option* const option = app_->add_option_function<std::string>(names, store, help);
  option->type_name("UINT");
  option->check([](const std::string& text) {
    return number_of(text) ? "" : "'" + text + "' is no whole number from 0 to 18446744073709551615";
  });
  return argument(option);
}

argument command::option(const std::string& names, std::vector<int>& values, const std::string& help) {
  return argument(with_one_value_at_a_time(app_->add_option(names, values, help)));
}

argument command::option(const std::string& names, std::vector<std::string>& values,
                         const std::string& help) {
  return argument(with_one_value_at_a_time(app_->add_option(names, values, help)));
}

argument command::choice_of(const std::string& names, const std::vector<std::string>& words,
                            const std::string& help, std::function<void(std::size_t)> store) {
  const auto store_place = [words, store = std::move(store)](const std::string& word) {
    store(static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin()));
  };
  CLI::Option* const option = app_->add_option_function<std::string>(names, store_place, help);
  option->check(CLI::IsMember(words).description(""));
  option->type_name("{" + joined(words) + "}");
  return argument(option);
}

void command::keeps_the_rest(std::vector<std::string>& words) {
  app_->allow_extras();
  rest_ = &words;
}

std::optional<int> command::run(std::vector<std::string> words, int refused) {
  if (!verbs_.empty()) app_->require_subcommand(least_verbs_, 1);
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app_->parse(std::move(words));
  } catch (const CLI::ParseError& usage) {
    return app_->exit(usage) == 0 ? 0 : refused;
  }
  for (const std::unique_ptr<command>& verb : verbs_) {
    if (!verb->app_->parsed()) continue;
    if (verb->rest_ != nullptr) *verb->rest_ = verb->app_->remaining();
    return verb->action_();
  }
  return std::nullopt;
}

std::string command::name() const { return app_->get_name(); }

std::vector<argument_words> command::arguments() const {
  std::vector<argument_words> all;
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    argument_words words;
    for (const std::string& name : option->get_lnames()) words.names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) words.names.push_back("-" + name);
    words.is_positional = is_positional(option);
    if (words.is_positional) words.names.push_back(option->get_name());
    words.takes_value = option->get_items_expected_max() != 0;
    words.choices = choices_in(option->get_type_name());
    all.push_back(std::move(words));
  }
  return all;
}

std::vector<std::string> words_behind_name(int argument_count, char** arguments) {
  return {arguments + std::min(argument_count, 1), arguments + argument_count};
}

}  // namespace parsing
