#include "cuda_compiler/host_calls.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "cuda_compiler/declarations.h"

namespace cuda_compiler {
namespace {

/// CUDA's own functions for numbers; a program may add one with other parameters.
constexpr std::array<std::string_view, 28> number_functions = {
    "abs",  "acos", "asin",  "atan",  "atan2", "ceil", "clamp", "cos",  "cosh", "exp",
    "fabs", "fma",  "floor", "fmax",  "fmin",  "fmod", "hypot", "log",  "max",  "min",
    "norm", "pow",  "round", "rsqrt", "sin",   "sqrt", "tan",   "trunc"};
constexpr std::array<std::string_view, 6> words_in_front = {"return", "else", "do", "case", "and", "or"};

class host_call_finder : private declaration_reader {
 public:
  explicit host_call_finder(const parsing::token_list& source) : declaration_reader(source) {}

  std::vector<host_call> find(const std::vector<std::size_t>& bodies) {
    read(0, size());
    std::erase_if(host_functions_, [&](const auto& entry) { return others_.contains(entry.first); });
    if (host_functions_.empty()) return {};
    remove_names_of_others();
    std::vector<host_call> found;
    for (const std::size_t open : bodies) {
      if (!functions_.contains(open)) continue;
      for (std::size_t i = open; i < partner(open); ++i) {
        const auto function = host_functions_.find(at(i).text);
        if (function != host_functions_.end() && is_call(i)) found.push_back({i, function->second});
      }
    }
    return found;
  }

 private:
  /// The functions of a namespace, and of those in it.
  void read(std::size_t begin, std::size_t end) {
    for (const declared_item& one : declarations(begin, end)) {
      const std::size_t head = std::min(one.open, one.end);
      const bool is_type = has(one.begin, head, "struct") || has(one.begin, head, "class") ||
                           has(one.begin, head, "union") || has(one.begin, head, "enum");
      if (one.is_container) {
        if (!is_type) read(one.open + 1, partner(one.open));
        continue;
      }
      const std::size_t name = name_of(one.begin, head);
      if (name == none) continue;
      names_.insert(name);
      if (is_function(one) && !is(name - 1, "::")) functions_.insert(one.open);
      if (!is_plain(one, name)) {
        others_.insert(at(name).text);
      } else if (is_function(one)) {
        host_functions_.try_emplace(at(name).text, name);
      }
    }
  }

  /// The word in front of the parameters.
  std::size_t name_of(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
      if (is(i, "template") && is(i + 1, "<")) {
        const std::size_t behind = behind_angle(i + 1);
        if (behind == none) return none;
        i = behind - 1;
      } else if (is(i, "=")) {
        return none;
      } else if (is(i + 1, "(") && is_word(i) && !is_attribute(i)) {
        return i;
      }
      i = group_end(i);
    }
    return none;
  }

  /// For the host, by its words; not a template, a member, or one of a system header.
  bool is_plain(const declared_item& one, std::size_t name) const {
    const std::size_t head = std::min(one.open, one.end);
    return side_of(one) == side::host && !is_constant_expression(one) && !has(one.begin, head, "template") &&
           !has(one.begin, head, "operator") && !has(one.begin, head, "auto") &&
           !has(one.begin, head, "device") && !is(name - 1, "::") && !is(name - 1, "~") &&
           !source_.files[at(name).file].is_system_header && !is_of_cuda(at(name).text);
  }

  static bool is_of_cuda(std::string_view name) {
    return name.starts_with("make_") || name.starts_with("atomic") || name.starts_with("__") ||
           std::find(number_functions.begin(), number_functions.end(), name) != number_functions.end();
  }

  /// Names that somewhere stand for something else: a variable, a member, a parameter.
  void remove_names_of_others() {
    for (std::size_t i = 1; i < size() && !host_functions_.empty(); ++i) {
      if (!is_word(i)) continue;
      const auto known = host_functions_.find(at(i).text);
      if (known == host_functions_.end()) continue;
      const bool is_declared = is_word(i - 1) || is(i - 1, ">") || is(i - 1, "*") || is(i - 1, "&") ||
                               is(i - 1, "&&") || is(i - 1, "...");
      const bool is_other = is(i + 1, "(")
                                ? is_declared && !is_call(i) && !names_.contains(i)
                                : is(i - 1, "[") || is(i + 1, "]") || is(i + 1, "[") || is(i + 1, "=") ||
                                      is(i + 1, "{") || is(i + 1, "<") || (is_declared && !is_address(i));
      if (is_other) host_functions_.erase(known);
    }
  }

  /// `(&f)`, `= f`, `return f`: not what declares it.
  bool is_address(std::size_t i) const {
    if (is(i - 1, "&")) return !is_word(i - 2) && !is(i - 2, ">") && !is(i - 2, "*");
    return is_one_of(at(i - 1), words_in_front);
  }

  bool is_call(std::size_t i) const {
    if (!is(i + 1, "(") || is(i - 1, ".") || is(i - 1, "->") || is(i - 1, "::") || is(i - 1, ">"))
      return false;
    if (is_word(i - 1)) return is_one_of(at(i - 1), words_in_front);
    // `T* f(x);` and `const T* f(x);` declare a pointer.
    const bool is_pointer = (is(i - 1, "*") || is(i - 1, "&")) && is_word(i - 2) &&
                            (is(i - 3, ";") || is(i - 3, "{") || is(i - 3, "}") ||
                             (is_word(i - 3) && !is_one_of(at(i - 3), words_in_front)));
    return !is_pointer && !is(i - 2, "decltype") && !is(i - 2, "sizeof");
  }

  std::map<std::string_view, std::size_t> host_functions_;  ///< by name: the name in its definition
  std::set<std::string_view> others_;                       ///< names of functions that are not such
  std::set<std::size_t> functions_;                         ///< the '{' of all functions of namespaces
  std::set<std::size_t> names_;                             ///< where functions of namespaces are declared
};

}  // namespace

std::vector<host_call> find_host_calls(const parsing::token_list& source,
                                       const std::vector<std::size_t>& bodies) {
  return bodies.empty() ? std::vector<host_call>() : host_call_finder(source).find(bodies);
}

}  // namespace cuda_compiler
