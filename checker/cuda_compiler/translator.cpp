#include "cuda_compiler/translator.h"

#include <algorithm>
#include <unordered_map>

#include "cuda_compiler/position_writer.h"

namespace cuda_compiler {

using parsing::read_tokens;
using parsing::token;
using parsing::token_kind;
using parsing::token_list;
namespace {

/// Writes the translated text. A construct is begun when its first token is reached; ranges inside it are
/// written by the same function, so constructs nest freely.
class rewriter {
 public:
  rewriter(const token_list& source, const constructs& found) : source_(source), found_(found), out_(source) {
    for (const replaced_words& words : found.words) words_.emplace(words.begin, &words);
    for (const device_body& body : found.bodies) bodies_.emplace(body.open, &body);
    for (const shared_declaration& shared : found.shared) shared_.emplace(shared.begin, &shared);
    for (const device_variables& variables : found.variables) {
      variables_.emplace(variables.declaration.begin, &variables);
    }
    for (const clock_loop& loop : found.clock_loops) clock_loops_.emplace(loop.begin, &loop);
    for (const launch& launch : found.launches) {
      launches_.emplace(launch.open, &launch);
      if (launch.needs_parentheses) parenthesized_.emplace(launch.callee, &launch);
    }
  }

  std::string rewrite() {
    range(0, source_.tokens.size());
    return out_.finish();
  }

 private:
  template <typename Construct>
  using by_token = std::unordered_map<std::size_t, const Construct*>;

  template <typename Construct>
  static const Construct* construct_at(const by_token<Construct>& constructs, std::size_t i) {
    const auto found = constructs.find(i);
    return found == constructs.end() ? nullptr : found->second;
  }

  void range(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end;) i = construct(i);
  }

  /// Writes what begins at token `i` and returns the index behind it.
  std::size_t construct(std::size_t i) {
    const token& t = source_.tokens[i];
    if (t.kind == token_kind::punctuation && t.is("{")) {
      if (const device_body* body = construct_at(bodies_, i)) return device_code(*body);
    }
    if (t.kind == token_kind::punctuation && t.is("<")) {
      if (const launch* found = construct_at(launches_, i)) return launched(*found);
    }
    if (parenthesized_.count(i) != 0) out_.inserted("(", i);
    if (const clock_loop* loop = construct_at(clock_loops_, i)) out_.inserted(tries_of(*loop), i);
    if (const shared_declaration* shared = construct_at(shared_, i)) return shared_variables(*shared);
    if (const device_variables* variables = construct_at(variables_, i)) {
      return variables->declaration.is_dynamic ? known_variables(*variables) : defined_variables(*variables);
    }
    if (const replaced_words* words = construct_at(words_, i)) {
      out_.replaced(i, words->replacement);
      for (std::size_t k = i + 1; k < i + words->count; ++k) out_.replaced(k, "");
      return i + words->count;
    }
    out_.original(i);
    return i + 1;
  }

  /// `{ body }` of a kernel becomes `{ ::virtual_gpu::kernel("name", new auto([=]() mutable { body })); }`:
  /// the arguments are copied once, into the closure on the heap, and live until the launch has returned. The body is inlined
  /// where it is called, so that reading an argument is no access.
  std::size_t device_code(const device_body& body) {
    const bool is_kernel = !body.kernel_name.empty();
    if (is_kernel) {
      std::string closure = "[=";
      for (const std::string& name : body.references) closure += ", &" + name;
      out_.inserted("{ ::virtual_gpu::kernel(\"" + body.kernel_name + "\", new auto(" + closure +
                        "] [[gnu::always_inline]] () mutable",
                    body.open);
    }
    out_.original(body.open);
    for (const shared_declaration& shared : found_.shared) {
      if (shared.is_in_function || shared.end > body.open) continue;
      for (const shared_declarator& declarator : shared.declarators) {
        if (is_used(declarator, body)) {
          out_.appended(" " + dynamic_type(shared, declarator, source_.tokens[declarator.name].text) + " = " +
                        dynamic_value(shared, declarator) + ";");
        }
      }
    }
    range(body.open + 1, body.close);
    out_.original(body.close);
    if (is_kernel) out_.appended(")" + values_of(body) + "); }" + registration(body));
    return body.close + 1;
  }

  /// In front of a loop that waits for the clock: it may be run more than once, to leave out its rounds.
  static std::string tries_of(const clock_loop& loop) {
    std::string variables;
    for (const std::string& name : loop.assigned) variables += (variables.empty() ? "" : ", ") + name;
    return "for (auto virtual_gpu_wait = ::virtual_gpu::wait_for_clock(" + variables +
           "); virtual_gpu_wait.is_tried(); virtual_gpu_wait.end_try(" + variables + "))";
  }

  bool has_name_of_its_own(const device_body& body) const {
    const auto is_namesake = [&](const device_body& other) { return other.kernel_name == body.kernel_name; };
    return !body.is_template && std::count_if(found_.bodies.begin(), found_.bodies.end(), is_namesake) == 1;
  }

  /// Its address and its parameters, with their names, for the recording and for a node of a graph that tells them.
  std::string values_of(const device_body& body) const {
    if (!has_name_of_its_own(body) || !body.parameters) return "";
    std::string names;
    std::string values;
    for (const std::string& name : *body.parameters) {
      if (name == body.kernel_name) return "";
      names += (names.empty() ? "" : ",") + name;
      values += ", " + name;
    }
    return ", &" + body.kernel_name + ", \"" + names + "\"" + values;
  }

  /// Makes the kernel known by its address, when its name alone says which it is.
  std::string registration(const device_body& body) const {
    if (!has_name_of_its_own(body)) return "";
    return " [[maybe_unused]] static const bool virtual_gpu_kernel_" + std::to_string(body.open) +
           " = ::virtual_gpu::know(\"" + body.kernel_name + "\", &" + body.kernel_name + ");";
  }

  /// True when the body names a dynamic shared array of the namespace, and no parameter of the same name
  /// hides it.
  bool is_used(const shared_declarator& declarator, const device_body& body) const {
    const auto has_name = [&](std::size_t begin, std::size_t end) {
      return std::any_of(source_.tokens.begin() + begin, source_.tokens.begin() + end,
                         [&](const token& t) { return t.is(source_.tokens[declarator.name].text); });
    };
    return has_name(body.open, body.close) && !has_name(body.first, body.open);
  }

  /// `k<<<g, b>>>(x)` becomes `k(x), ::virtual_gpu::launch(g, b)`.
  std::size_t launched(const launch& found) {
    range(found.arguments_open, found.arguments_close + 1);
    out_.inserted(", ::virtual_gpu::launch(", found.open);
    range(found.open + 3, found.close);
    out_.appended(found.needs_parentheses ? "))" : ")");
    out_.continue_behind(found.arguments_close);
    return found.arguments_close + 1;
  }

  std::size_t shared_variables(const shared_declaration& shared) {
    if (!shared.is_dynamic) return static_shared(shared);
    if (shared.is_in_function) {
      for (const shared_declarator& declarator : shared.declarators) {
        const std::string name(source_.tokens[declarator.name].text);
        out_.inserted(
            dynamic_type(shared, declarator, name) + " = " + dynamic_value(shared, declarator) + ";",
            shared.begin);
      }
    }
    out_.continue_behind(shared.end);
    return shared.end + 1;
  }

  /// The declaration becomes members of a struct of the block, and references to them.
  std::size_t static_shared(const shared_declaration& shared) {
    const std::string number = std::to_string(++shared_count_);
    const std::string type = "virtual_gpu_shared_" + number;
    const std::string object = "virtual_gpu_shared_object_" + number;
    out_.inserted("struct " + type + " {", shared.begin);
    for (std::size_t i = shared.begin; i < shared.end;) {
      if (is_dropped(shared, i)) {
        out_.replaced(i++, "");
      } else if (const replaced_words* words = construct_at(words_, i)) {
        out_.replaced(i, words->replacement);
        i += words->count;
      } else {
        out_.original(i++);
      }
    }
    out_.original(shared.end);
    std::string references = " }; auto& " + object + " = ::virtual_gpu::shared<" + type +
                             ">(); static_cast<void>(" + object + ");";
    for (const shared_declarator& declarator : shared.declarators) {
      const std::string name(source_.tokens[declarator.name].text);
      references += " auto& " + name + " = " + object + "." + name + ";";
    }
    out_.appended(references);
    return shared.end + 1;
  }

  /// `__device__ T a[N] = ..., b;` becomes the values that they begin with, and references to memory of the device.
  std::size_t defined_variables(const device_variables& variables) {
    const shared_declaration& declaration = variables.declaration;
    out_.inserted("static", declaration.begin);
    declared_tokens(declaration, "virtual_gpu_value_", "");
    out_.original(declaration.end);
    const std::string make = variables.memory == "__managed__"    ? "managed"
                             : variables.memory == "__constant__" ? "constant"
                                                                  : "on_device";
    const std::string storage = variables.is_local ? "static " : "";
    for (const shared_declarator& declarator : declaration.declarators) {
      const std::string name(source_.tokens[declarator.name].text);
      // The type by name, not auto: an `extern` declaration may stand before.
      const std::string value = "virtual_gpu_value_" + name;
      out_.appended(" " + storage + "decltype(" + value + ")& " + name + " = ::virtual_gpu::" + make + "(\"" +
                    name + "\", " + value + ");");
    }
    return declaration.end + 1;
  }

  /// `extern __device__ T a[N];` becomes `extern T (&a)[N];`.
  std::size_t known_variables(const device_variables& variables) {
    out_.inserted("extern", variables.declaration.begin);
    declared_tokens(variables.declaration, "(&", ")");
    out_.original(variables.declaration.end);
    return variables.declaration.end + 1;
  }

  /// The declaration up to its ';', with something around each name.
  void declared_tokens(const shared_declaration& declaration, const std::string& before,
                       const std::string& behind) {
    for (std::size_t i = declaration.begin; i < declaration.end;) {
      const bool is_name =
          std::any_of(declaration.declarators.begin(), declaration.declarators.end(),
                      [i](const shared_declarator& declarator) { return declarator.name == i; });
      if (is_dropped(declaration, i)) {
        out_.replaced(i++, "");
      } else if (is_name) {
        out_.replaced(i, before + std::string(source_.tokens[i].text) + behind);
        ++i;
      } else if (const replaced_words* words = construct_at(words_, i)) {
        out_.replaced(i, words->replacement);
        i += words->count;
      } else {
        out_.original(i++);
      }
    }
  }

  static bool is_dropped(const shared_declaration& shared, std::size_t i) {
    return std::find(shared.dropped.begin(), shared.dropped.end(), i) != shared.dropped.end();
  }

  std::string words_between(const shared_declaration& shared, std::size_t begin, std::size_t end) const {
    std::string words;
    for (std::size_t i = begin; i < end; ++i) {
      if (!is_dropped(shared, i)) words.append(source_.tokens[i].text) += ' ';
    }
    return words;
  }

  /// `T* const name`, or `T (* const name)[n]` for an array of arrays; without a name the same as a type.
  std::string dynamic_type(const shared_declaration& shared, const shared_declarator& declarator,
                           std::string_view name) const {
    const std::string element = words_between(shared, shared.begin, shared.declarators.front().begin) +
                                words_between(shared, declarator.begin, declarator.name);
    std::size_t bounds = declarator.name + 1;
    if (source_.tokens[bounds].is("[") && source_.partners[bounds] != token_list::no_token) {
      bounds = source_.partners[bounds] + 1;
    }
    const std::string inner = words_between(shared, bounds, std::max(bounds, declarator.end + 1));
    const std::string pointer = name.empty() ? "*" : "* const " + std::string(name);
    return inner.empty() ? element + pointer : element + "(" + pointer + ")" + inner;
  }

  std::string dynamic_value(const shared_declaration& shared, const shared_declarator& declarator) const {
    return "static_cast<" + dynamic_type(shared, declarator, "") + ">(::virtual_gpu::dynamic_shared())";
  }

  const token_list& source_;
  const constructs& found_;
  position_writer out_;
  by_token<replaced_words> words_;
  by_token<device_body> bodies_;
  by_token<shared_declaration> shared_;
  by_token<device_variables> variables_;
  by_token<clock_loop> clock_loops_;
  by_token<launch> launches_;
  by_token<launch> parenthesized_;
  int shared_count_ = 0;
};

}  // namespace

translation translate(std::string_view preprocessed, const source_reader& read) {
  token_list source = read_tokens(preprocessed);
  if (read) restore_columns(source, read);
  constructs found = find_constructs(source);
  if (!found.errors.empty()) return {"", std::move(found.errors)};
  return {rewriter(source, found).rewrite(), {}};
}

}  // namespace cuda_compiler
