#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "course/checkout.h"
#include "course/profile_lookup.h"
#include "runner/verbs.h"

namespace runner {
namespace {

using words = std::vector<std::string>;

/// The words that can follow at one place of a command line.
struct completion_case {
  std::string pattern;  ///< of "VERB PREVIOUS_WORD"
  words candidates;     ///< empty: a file, or any text
};

words values_of(const course::checkout& checkout, const parsing::argument_words& argument) {
  return argument.names.front() == "--profile"
             ? course::profile_names(course::profiles_folder(checkout.root()))
             : argument.choices;
}

words lesson_names(const course::checkout& checkout) {
  words names;
  for (const course::lesson& lesson : checkout.lessons()) {
    names.push_back(lesson.two_digits());
    names.push_back(lesson.slug);
  }
  return names;
}

void append(words& to, const words& more) { to.insert(to.end(), more.begin(), more.end()); }

/// The cases of the program or of a verb: the values of each option that takes one, then all arguments.
std::vector<completion_case> cases_of(const course::checkout& checkout, const parsing::command& command,
                                      const std::string& verb, const words& others) {
  std::vector<completion_case> cases;
  words candidates = others;
  for (const parsing::argument_words& argument : command.arguments()) {
    if (argument.is_positional) {
      if (argument.names.front() == "lesson") append(candidates, lesson_names(checkout));
      continue;
    }
    append(candidates, argument.names);
    if (!argument.takes_value) continue;
    for (const std::string& name : argument.names)
      cases.push_back({fmt::format("\"{} {}\"", verb, name), values_of(checkout, argument)});
  }
  cases.push_back({fmt::format("\"{} \"*", verb), candidates});
  return cases;
}

/// The verbs of this program and of the start script.
words verbs_of(const parsing::command& program) {
  words verbs{"setup", "test"};
  for (const auto& verb : program.verbs()) verbs.push_back(verb->name());
  return verbs;
}

/// Valid in bash and in zsh.
std::string case_block(const course::checkout& checkout, const parsing::command& program) {
  std::vector<completion_case> cases = cases_of(checkout, program, "", verbs_of(program));
  for (const auto& verb : program.verbs())
    for (completion_case& entry : cases_of(checkout, *verb, verb->name(), {}))
      cases.push_back(std::move(entry));
  cases.push_back({"\"setup \"*", {"--check", "--dev", "--help"}});
  std::string text = "  case \"$verb $previous\" in\n";
  for (const completion_case& entry : cases)
    text += fmt::format("    {}) candidates=\"{}\" ;;\n", entry.pattern, fmt::join(entry.candidates, " "));
  return text + "  esac\n";
}

std::string bash_script(const course::checkout& checkout, const parsing::command& program) {
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
                     fmt::join(verbs_of(program), "|"), case_block(checkout, program));
}

std::string zsh_script(const course::checkout& checkout, const parsing::command& program) {
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
                     fmt::join(verbs_of(program), "|"), case_block(checkout, program));
}

}  // namespace

void add_completion(parsing::command& program) {
  parsing::command& verb = program.verb("completion", "Print what completes the command line in your shell");
  verb.footer(
      "Example: streamlings completion bash\n"
      "bash: ./streamlings completion bash > ~/.local/share/bash-completion/completions/streamlings\n"
      "zsh:  ./streamlings completion zsh > ~/.streamlings.zsh, and in ~/.zshrc, behind compinit:\n"
      "      source ~/.streamlings.zsh");
  const auto shell = std::make_shared<std::string>();
  verb.option("shell", *shell, "bash or zsh").required().one_of({"bash", "zsh"});
  verb.does([shell, &program] {
    const course::checkout checkout = course::checkout::open();
    fmt::print("{}", *shell == "bash" ? bash_script(checkout, program) : zsh_script(checkout, program));
    return 0;
  });
}

}  // namespace runner
