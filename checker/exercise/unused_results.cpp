#include "exercise/unused_results.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "parsing/token.h"
#include "processes/files.h"

namespace exercise {
namespace {

bool is_launch(trace::api_function function) {
  return trace::traits_of(function).effect == trace::call_effect::launches_kernel;
}

/// A recording has one name for all functions that launch; the template cudaLaunchKernelEx is for cudaLaunchKernelExC.
bool is_name(const std::string& text, const trace::host_call& call) {
  if (!is_launch(call.function)) return text == trace::name_of(call);
  return is_launch(trace::function_named(text)) || is_launch(trace::function_named(text + "C"));
}

/// The source text of one file.
class statements {
 public:
  explicit statements(const std::string& path)
      : text_(processes::content_of(path).value_or("")), list_(parsing::read_tokens(text_)) {}
  statements(const statements&) = delete;
  statements& operator=(const statements&) = delete;

  /// Whether all calls of the function on the line are statements of their own; nothing when there is none.
  std::optional<bool> are_calls(const trace::host_call& made) const {
    std::optional<bool> are_statements;
    for (std::size_t i = 0; i + 1 < list_.tokens.size(); ++i) {
      const std::size_t end = list_.partners[i + 1];
      if (end == none || !token(i + 1).is("(") || !is_name(std::string(token(i).text), made)) continue;
      const auto first = static_cast<std::uint32_t>(token(i).line);
      const auto last = static_cast<std::uint32_t>(token(end).line);
      if (made.where.line < first || made.where.line > last) continue;
      const bool is_statement =
          begins_statement(i) && end + 1 < list_.tokens.size() && token(end + 1).is(";");
      are_statements = are_statements.value_or(true) && is_statement;
    }
    return are_statements;
  }

 private:
  static constexpr std::size_t none = parsing::token_list::no_token;

  const parsing::token& token(std::size_t index) const { return list_.tokens[index]; }
  bool is_any_of(std::size_t index, std::initializer_list<std::string_view> words) const {
    return std::find(words.begin(), words.end(), token(index).text) != words.end();
  }

  bool begins_statement(std::size_t index) const {
    if (index == 0 || !is_in_braces(index)) return false;
    const std::size_t before = index - 1;
    if (is_any_of(before, {";", "{", "}", "else", "do"})) return true;
    const std::size_t open = token(before).is(")") ? list_.partners[before] : none;
    return open != none && open > 0 && is_any_of(open - 1, {"if", "for", "while", "constexpr"});
  }

  /// False between the parentheses of a call or of `for`.
  bool is_in_braces(std::size_t index) const {
    while (index-- > 0) {
      const std::size_t partner = list_.partners[index];
      if (partner == none) continue;
      if (partner > index) return token(index).is("{");
      index = partner;
    }
    return true;
  }

  std::string text_;
  parsing::token_list list_;
};

}  // namespace

void mark_unused_results(trace::recording& recording) {
  std::map<std::uint32_t, statements> files;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string_view>, bool> known;
  for (trace::host_call& call : recording.calls) {
    if (call.error_code == 0) continue;
    const auto [entry, is_new] =
        known.try_emplace({call.where.file, call.where.line, trace::name_of(call)}, is_launch(call.function));
    if (is_new && recording.is_own(call.where)) {
      const auto file = files.try_emplace(call.where.file, recording.files.at(call.where.file).path).first;
      entry->second = file->second.are_calls(call).value_or(is_launch(call.function));
    }
    call.is_result_unused = entry->second;
  }
}

}  // namespace exercise
