#include <fmt/format.h>

#include <memory>
#include <regex>
#include <string>
#include <vector>

#include "runner/course.h"
#include "runner/verbs.h"

namespace runner {
namespace {

using words = std::vector<std::string>;

/// What can follow in one place of a command line.
struct completion_case {
  std::string pattern;  ///< of "VERB PREVIOUS_WORD"
  words candidates;     ///< none: a file, or something that nobody can list
};

/// The choices that the help of an option names: "TEXT:{text,html}".
words choices_in(const std::string& type) {
  std::smatch found;
  if (!std::regex_search(type, found, std::regex(R"(\{(.*)\})"))) return {};
  const std::string list = found[1];
  const std::regex comma(",");
  return {std::sregex_token_iterator(list.begin(), list.end(), comma, -1), std::sregex_token_iterator()};
}

words values_of(const course& course, const CLI::Option& option) {
  return option.check_lname("profile") ? course.profile_names() : choices_in(option.get_type_name());
}

words names_of(const CLI::Option& option) {
  words names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

words lesson_names(const course& course) {
  words names;
  for (const lesson& each : course.lessons()) {
    names.push_back(each.two_digits());
    names.push_back(each.slug);
  }
  return names;
}

void append(words& to, const words& more) { to.insert(to.end(), more.begin(), more.end()); }

/// The options of the program or of a verb: first what follows each that takes a value, then all of them.
std::vector<completion_case> cases_of(const course& course, const CLI::App& app, const std::string& verb,
                                      const words& others) {
  std::vector<completion_case> cases;
  words candidates = others;
  for (const CLI::Option* option : app.get_options()) {
    append(candidates, names_of(*option));
    if (option->get_name() == "lesson") append(candidates, lesson_names(course));
    if (option->get_items_expected_max() == 0) continue;
    for (const std::string& name : names_of(*option))
      cases.push_back({fmt::format("\"{} {}\"", verb, name), values_of(course, *option)});
  }
  cases.push_back({fmt::format("\"{} \"*", verb), candidates});
  return cases;
}

/// What can stand first on the command line: the verbs of this program and those of the start script.
words verbs_of(const CLI::App& program) {
  words verbs{"setup", "test"};
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; }))
    verbs.push_back(verb->get_name());
  return verbs;
}

/// `case` reads alike in both shells.
std::string case_block(const course& course, const CLI::App& program) {
  std::vector<completion_case> cases = cases_of(course, program, "", verbs_of(program));
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; }))
    for (completion_case& each : cases_of(course, *verb, verb->get_name(), {}))
      cases.push_back(std::move(each));
  cases.push_back({"\"setup \"*", {"--check", "--dev", "--help"}});
  std::string text = "  case \"$verb $previous\" in\n";
  for (const completion_case& each : cases)
    text += fmt::format("    {}) candidates=\"{}\" ;;\n", each.pattern, fmt::join(each.candidates, " "));
  return text + "  esac\n";
}

std::string bash_script(const course& course, const CLI::App& program) {
  return fmt::format(R"(# Completion of streamlings for bash, written by: streamlings completion bash
_streamlings() {{
  local previous=${{COMP_WORDS[COMP_CWORD - 1]}} verb="" candidates="" i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${{COMP_WORDS[i]}} in
      {}) verb=${{COMP_WORDS[i]}}; break ;;
    esac
  done
{}  COMPREPLY=($(compgen -W "$candidates" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _streamlings streamlings
)",
                     fmt::join(verbs_of(program), "|"), case_block(course, program));
}

std::string zsh_script(const course& course, const CLI::App& program) {
  return fmt::format(R"(#compdef streamlings
# Completion of streamlings for zsh, written by: streamlings completion zsh
_streamlings() {{
  local previous=${{words[CURRENT - 1]}} verb="" candidates="" i
  for ((i = 2; i < CURRENT; ++i)); do
    case ${{words[i]}} in
      {}) verb=${{words[i]}}; break ;;
    esac
  done
{}  compadd -- ${{=candidates}} || _files
}}
compdef _streamlings streamlings
)",
                     fmt::join(verbs_of(program), "|"), case_block(course, program));
}

}  // namespace

void add_completion(CLI::App& program, int& exit_status) {
  CLI::App* verb =
      program.add_subcommand("completion", "Print what completes the command line in your shell");
  verb->footer(
      "Example: streamlings completion bash\n"
      "bash: ./streamlings completion bash > ~/.local/share/bash-completion/completions/streamlings\n"
      "zsh:  ./streamlings completion zsh > ~/.streamlings.zsh, and in ~/.zshrc, behind compinit:\n"
      "      source ~/.streamlings.zsh");
  const auto shell = std::make_shared<std::string>();
  verb->add_option("shell", *shell, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
  verb->callback([shell, &program, &exit_status] {
    const course course = course::open();
    fmt::print("{}", *shell == "bash" ? bash_script(course, program) : zsh_script(course, program));
    exit_status = 0;
  });
}

}  // namespace runner
