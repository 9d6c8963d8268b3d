#include "cuda_compiler/constructs.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "cuda_compiler/host_calls.h"
#include "cuda_compiler/navigator.h"
#include "cuda_compiler/shared_declaration.h"

namespace cuda_compiler {

using parsing::token;
using parsing::token_kind;
using parsing::token_list;
namespace {

/// Words whose parenthesis is no parameter list.
constexpr std::array<std::string_view, 10> words_with_group = {
    "__launch_bounds__", "__maxnreg__", "__cluster_dims__", "__block_size__", "__attribute__",
    "__attribute",       "alignas",     "__align__",        "decltype",       "noexcept"};
constexpr std::array<std::string_view, 14> statement_words = {
    "return", "else",  "do",        "if",       "while",    "for",  "case",
    "switch", "throw", "co_return", "co_await", "co_yield", "goto", "default"};

constexpr std::array<std::string_view, 10> value_types = {"unsigned", "signed", "char",   "short", "int",
                                                          "long",     "float",  "double", "bool",  "wchar_t"};

/// What follows a qualifier such as __device__: a function, a lambda, or a variable.
struct declaration {
  bool is_function = false;
  bool is_host_too = false;
  bool is_constexpr = false;
  std::size_t name = navigator::none;
  std::size_t parameters = navigator::none;  ///< '(' (or '{' of a lambda without)
  std::size_t body = navigator::none;        ///< '{'; none for a declaration
};

class finder : private navigator {
 public:
  explicit finder(const token_list& source) : navigator(source) {}

  constructs find() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const token& t = tokens_[i];
      if (t.kind == token_kind::identifier) {
        identifier(i);
      } else if (t.is("<") && is(i + 1, "<") && is(i + 2, "<")) {
        if (find_launch(i)) i += 2;
      }
    }
    for (std::size_t i : shared_words_) add_shared(i);
    for (std::size_t i : variable_words_) add_variables(i);
    add_instances();
    add_host_calls();
    // Host code without the CUDA headers, as text or compiled, lacks what such a loop becomes.
    if (source_.text.find("wait_for_clock") != std::string_view::npos ||
        source_.text.find("#pragma GCC pch_preprocess") != std::string_view::npos)
      found_.clock_loops = find_clock_loops(*this);
    return std::move(found_);
  }

 private:
  void identifier(std::size_t i) {
    const token& t = tokens_[i];
    if (t.text.substr(0, 2) == "__") return double_underscore(i);
    if (t.is("asm")) return inline_assembly(i);
    if (t.is("throw") || t.is("try")) return exception(i);
    if (!source_.files[t.file].is_system_header) texture(i);
  }

  void double_underscore(std::size_t i) {
    const token& t = tokens_[i];
    if (t.is("__global__")) {
      drop(i, 1);
      const declaration declared = read_declaration(i);
      if (!declared.is_function) return;
      add_body(declared,
               declared.name == navigator::none ? "kernel" : std::string(tokens_[declared.name].text));
      if (has_result(declared)) mistake(i, "a __global__ function must return void");
    } else if (t.is("__device__")) {
      drop(i, 1);
      device_word(i);
    } else if (t.is("__host__") || t.is("__grid_constant__")) {
      drop(i, 1);
    } else if (t.is("__launch_bounds__") || t.is("__maxnreg__")) {
      drop(i, group_length(i));
    } else if (t.is("__cluster_dims__") || t.is("__block_size__")) {
      unsupported(i, std::string(t.text), "thread block clusters are not modelled; launch plain blocks");
    } else if (t.is("__constant__") || t.is("__managed__")) {
      drop(i, 1);
      if (!read_declaration(i).is_constexpr) variable_words_.push_back(i);
    } else if (t.is("__shared__")) {
      shared_words_.push_back(i);
    } else if (t.is("__forceinline__")) {
      found_.words.push_back({i, 1,
                              is_inline_already(i) ? "__attribute__((always_inline))"
                                                   : "inline __attribute__((always_inline))"});
    } else if (t.is("__noinline__") && !is_in_attribute(i)) {
      found_.words.push_back({i, 1, "__attribute__((noinline))"});
    } else if (t.is("__align__") && group_length(i) > 1) {
      found_.words.push_back({i, 1, "__attribute__((aligned"});
      found_.words.push_back({partner(i + 1), 1, ")))"});
    } else if (t.is("__asm__") || t.is("__asm")) {
      inline_assembly(i);
    }
  }

  void drop(std::size_t begin, std::size_t count) { found_.words.push_back({begin, count, ""}); }

  bool is_in_attribute(std::size_t i) const {
    return i > 0 && (tokens_[i - 1].is("(") || tokens_[i - 1].is(","));
  }

  bool is_inline_already(std::size_t i) const {
    const auto is_inline = [&](std::size_t k) {
      return tokens_[k].is("inline") || tokens_[k].is("__inline__");
    };
    for (std::size_t k = i; k-- > 0 && is_word(k);) {
      if (is_inline(k)) return true;
    }
    for (std::size_t k = i + 1; is_word(k); ++k) {
      if (is_inline(k)) return true;
    }
    return false;
  }

  void unsupported(std::size_t i, std::string construct, std::string message) {
    const token& t = tokens_[i];
    found_.errors.push_back({source_.files[t.file].name(), t.line, std::move(construct), std::move(message)});
  }

  void mistake(std::size_t i, std::string message) { unsupported(i, "", std::move(message)); }

  /// Whether the type in front of the name is a builtin one, or a pointer or reference. Other names may stand for void.
  bool has_result(const declaration& declared) const {
    constexpr std::array<std::string_view, 6> specifiers = {"__global__", "static",          "inline",
                                                            "extern",     "__forceinline__", "const"};
    if (declared.name == navigator::none) return false;
    for (std::size_t k = declared.name; k-- > 0;) {
      const bool is_group = (tokens_[k].is(")") || tokens_[k].is("]")) && partner(k) != navigator::none;
      if (is_group) {
        k = partner(k);
      } else if (!is_one_of(tokens_[k], specifiers) && !is_one_of(tokens_[k], words_with_group)) {
        return tokens_[k].is("*") || tokens_[k].is("&") || is_one_of(tokens_[k], value_types);
      }
    }
    return false;
  }

  void device_word(std::size_t i) {
    const declaration declared = read_declaration(i);
    if (declared.is_function) return add_body(declared, "");
    // A constexpr variable is read-only and folded by the compiler: the word alone can go.
    if (declared.is_constexpr || has_memory_word(i)) return;
    variable_words_.push_back(i);
  }

  /// __device__ next to __constant__, __managed__ or __shared__: that word decides.
  bool has_memory_word(std::size_t i) const {
    const auto decides = [&](std::size_t k) {
      return tokens_[k].is("__constant__") || tokens_[k].is("__managed__") || tokens_[k].is("__shared__");
    };
    for (std::size_t k = i; k-- > 0 && is_word(k);) {
      if (decides(k)) return true;
    }
    for (std::size_t k = i + 1; is_word(k); ++k) {
      if (decides(k)) return true;
    }
    return false;
  }

  void add_body(const declaration& declared, const std::string& kernel_name) {
    if (declared.body == navigator::none || partner(declared.body) == navigator::none) return;
    const bool is_known = std::any_of(found_.bodies.begin(), found_.bodies.end(),
                                      [&](const device_body& body) { return body.open == declared.body; });
    if (is_known) return;
    found_.bodies.push_back({declared.body, partner(declared.body), declared.parameters, declared.is_host_too,
                             kernel_name, is_template(declared.body)});
    if (kernel_name.empty()) return;
    found_.bodies.back().references = references(declared.parameters);
    found_.bodies.back().parameters = parameters(declared.parameters);
  }

  /// The names of all parameters. `open` is the '('.
  std::optional<std::vector<std::string>> parameters(std::size_t open) const {
    std::vector<std::string> names;
    const std::size_t close = partner(open);
    const bool has_none = close == open + 1 || (close == open + 2 && is(open + 1, "void"));
    for (std::size_t begin = open + 1; begin < close && !has_none;) {
      std::size_t end = begin;
      while (end < close && !tokens_[end].is(",")) {
        if (tokens_[end].is("(") || tokens_[end].is("...") || tokens_[end].is("&")) return std::nullopt;
        const std::size_t behind = tokens_[end].is("<") ? behind_angle(end) : group_end(end) + 1;
        if (behind == navigator::none) return std::nullopt;
        end = std::min(behind, close);
      }
      const std::string name = parameter_name(begin, end);
      if (name.empty()) return std::nullopt;
      names.push_back(name);
      begin = end + 1;
    }
    return names;
  }

  /// The name in the declaration of a parameter, a type and a name; "" where there may be none.
  std::string parameter_name(std::size_t begin, std::size_t end) const {
    constexpr std::array<std::string_view, 7> qualifiers = {"const", "volatile", "struct",      "class",
                                                            "enum",  "typename", "__restrict__"};
    std::size_t name = navigator::none;
    bool has_type = false;
    for (std::size_t k = begin; k < end && !tokens_[k].is("=");) {
      if (!tokens_[k].is("[")) {  // an array, or an attribute
        has_type = has_type || (name != navigator::none && !is_one_of(tokens_[name], qualifiers));
        name = k;
      }
      k = tokens_[k].is("<") ? behind_angle(k) : group_end(k) + 1;
    }
    const bool is_named = name != navigator::none && has_type &&
                          tokens_[name].kind == token_kind::identifier && !is(name - 1, "::") &&
                          !is_one_of(tokens_[name], qualifiers) && !is_one_of(tokens_[name], value_types) &&
                          !tokens_[name].is("auto") && !tokens_[name].is("void");
    return is_named ? std::string(tokens_[name].text) : "";
  }

  /// An instance of a kernel's template that is used as a value: its address is made known, as that of other kernels is.
  void add_instances() {
    std::set<std::string_view> templates;
    for (const device_body& body : found_.bodies) {
      if (body.is_template && !body.kernel_name.empty()) templates.insert(body.kernel_name);
    }
    if (templates.empty()) return;
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
      if (!templates.contains(tokens_[i].text) || !is(i + 1, "<")) continue;
      const std::size_t end = behind_angle(i + 1);
      if (end == navigator::none || !(is(end, ")") || is(end, ",") || is(end, ";"))) continue;
      std::size_t first = i;
      while (first >= 2 && tokens_[first - 1].is("::") && tokens_[first - 2].kind == token_kind::identifier)
        first -= 2;
      if (first >= 1 && tokens_[first - 1].is("&")) --first;
      constexpr std::array<std::string_view, 5> in_front = {")", "(", ",", "=", "return"};
      const bool is_value = first >= 1 && std::find(in_front.begin(), in_front.end(),
                                                    tokens_[first - 1].text) != in_front.end();
      if (!is_value) continue;
      std::string known = "::virtual_gpu::known(\"" + std::string(tokens_[i].text) + "\", ";
      found_.words.push_back({first, 1, known.append(tokens_[first].text)});
      found_.words.push_back({end - 1, 1, ">)"});
    }
  }

  /// The names of the parameters that are references, those of packs with their dots. `open` is the '('.
  std::vector<std::string> references(std::size_t open) const {
    std::vector<std::string> names;
    for (std::size_t k = open + 1; k < partner(open); ++k) {
      std::size_t name = navigator::none;
      if (tokens_[k].is("&")) {
        name = k + 1;
      } else if (tokens_[k].is("(")) {
        if (is(k + 1, "&")) name = k + 2;  // of an array
        k = group_end(k);
      } else if (tokens_[k].is("=")) {  // a default argument
        while (!tokens_[k + 1].is(",") && k + 1 < partner(open)) k = group_end(k + 1);
      } else if (tokens_[k].is("<") && behind_angle(k) != navigator::none) {
        k = behind_angle(k) - 1;
      }
      const bool is_pack = name != navigator::none && is(name, "...");
      while (name != navigator::none && (is(name, "...") || is(name, "__restrict__"))) ++name;
      if (name != navigator::none && tokens_[name].kind == token_kind::identifier) {
        names.push_back(std::string(tokens_[name].text) + (is_pack ? "..." : ""));
      }
    }
    return names;
  }

  /// Whether the function with that body is a template, or a specialization of one.
  bool is_template(std::size_t body) const {
    for (std::size_t k = body; k-- > 0;) {
      if (tokens_[k].is("template")) return true;
      if (tokens_[k].is(";") || tokens_[k].is("{")) return false;
      if (tokens_[k].is("}") && (partner(k) == navigator::none || !is(partner(k) - 1, "="))) return false;
    }
    return false;
  }

  declaration read_declaration(std::size_t qualifier) const {
    declaration declared;
    for (std::size_t k = qualifier; k-- > 0 && (is_word(k) || tokens_[k].is(")") || tokens_[k].is("]"));) {
      look_at_word(k, declared);
      if (!is_word(k)) break;
    }
    for (std::size_t k = qualifier + 1; k < tokens_.size();) {
      const token& t = tokens_[k];
      look_at_word(k, declared);
      if (is_one_of(t, words_with_group)) {
        k += group_length(k);
      } else if (t.is("operator")) {
        declared.name = k++;
        if (is(k, "(")) k += 2;
        while (k < tokens_.size() && !tokens_[k].is("(") && !tokens_[k].is(";")) ++k;
      } else if (t.is("<")) {
        k = behind_angle(k);
        if (k == navigator::none) return declared;
      } else if (t.is("[") && is(k + 1, "[") && partner(k) != navigator::none) {
        k = partner(k) + 1;
      } else if (t.is("(")) {
        declared.is_function = true;
        declared.parameters = k;
        declared.body = find_body(partner(k));
        return declared;
      } else if (t.is("{") && is_lambda(qualifier)) {
        declared.is_function = true;
        declared.parameters = declared.body = k;
        return declared;
      } else if (t.is("=") || t.is("[") || t.is("{") || t.is(";") || t.is("}") || t.is(")") || t.is(",")) {
        return declared;
      } else {
        if (t.kind == token_kind::identifier) declared.name = k;
        ++k;
      }
    }
    return declared;
  }

  void look_at_word(std::size_t i, declaration& declared) const {
    if (tokens_[i].is("__host__")) declared.is_host_too = true;
    if (tokens_[i].is("constexpr")) declared.is_constexpr = true;
  }

  bool is_lambda(std::size_t qualifier) const {
    std::size_t k = qualifier;
    while (k-- > 0 && (tokens_[k].is("__host__") || tokens_[k].is("__device__"))) {
    }
    return k < tokens_.size() && tokens_[k].is("]");
  }

  /// The '{' of the function whose parameters end at `parameters_end`, behind constructor initialisers; or none.
  std::size_t find_body(std::size_t parameters_end) const {
    if (parameters_end == navigator::none) return navigator::none;
    bool in_initialisers = false;
    for (std::size_t k = parameters_end + 1; k < tokens_.size(); ++k) {
      const token& t = tokens_[k];
      if (t.is(";") || t.is("=") || t.is("}") || t.is(")")) return navigator::none;
      if (t.is(":")) in_initialisers = true;
      if (t.is("{") && !(in_initialisers && (is_word(k - 1) || tokens_[k - 1].is(">")))) return k;
      k = group_end(k);
    }
    return navigator::none;
  }

  void inline_assembly(std::size_t i) {
    if (is_in_device_code(i)) {
      unsupported(i, "inline PTX (asm)", "write the same in CUDA C++; only real hardware executes PTX");
    }
  }

  /// @see CUDA C++ Programming Guide, "C++ Language Support", "Exception Handling"
  void exception(std::size_t i) {
    const bool is_for_device_alone = std::any_of(
        found_.bodies.begin(), found_.bodies.end(),
        [&](const device_body& body) { return body.open < i && i < body.close && !body.runs_on_host; });
    if (is_for_device_alone)
      mistake(i, "`" + std::string(tokens_[i].text) +
                     "` in code for the device: exceptions are for host code only");
  }

  /// @see CUDA C++ Programming Guide, "Function Execution Space Specifiers"
  void add_host_calls() {
    std::vector<std::size_t> bodies;
    for (const device_body& body : found_.bodies) {
      if (!body.runs_on_host) bodies.push_back(body.open);
    }
    for (const host_call& call : find_host_calls(source_, bodies)) {
      const token& function = tokens_[call.function];
      const bool is_same_file = function.file == tokens_[call.name].file;
      const std::string place = is_same_file ? "line " : source_.files[function.file].name() + ':';
      mistake(call.name, "code for the device cannot call `" + std::string(function.text) +
                             "`, a function for the host (" + place + std::to_string(function.line) +
                             "): declare that as __host__ __device__");
    }
  }

  bool is_in_device_code(std::size_t i) const {
    return std::any_of(found_.bodies.begin(), found_.bodies.end(),
                       [&](const device_body& body) { return body.open < i && i < body.close; });
  }

  void texture(std::size_t i) {
    constexpr std::array<std::string_view, 4> shapes = {"1D", "2D", "3D", "Cubemap"};
    const std::string_view text = tokens_[i].text;
    // `texture<float> t;`, but not `texture < n`.
    const bool is_template =
        (text == "texture" || text == "surface") && is(i + 1, "<") && is_word(behind_angle(i + 1));
    const bool is_type = text == "cudaTextureObject_t" || text == "cudaSurfaceObject_t" || is_template;
    std::string_view shape = text;
    shape.remove_prefix(std::min<std::size_t>(shape.size(), text.substr(0, 3) == "tex" ? 3 : 4));
    const bool is_fetch =
        (text.substr(0, 3) == "tex" || text.substr(0, 4) == "surf") && (is(i + 1, "(") || is(i + 1, "<")) &&
        std::any_of(shapes.begin(), shapes.end(),
                    [&](std::string_view known) { return shape.substr(0, known.size()) == known; });
    if (!is_type && !is_fetch) return;
    unsupported(i, "a texture or surface (" + std::string(text) + ")", "read the data through a pointer");
  }

  bool find_launch(std::size_t open) {
    if (open == 0 || tokens_[open - 1].is("operator")) return false;
    bool has_close = false;
    for (std::size_t k = open + 3; k < tokens_.size() && !is_end(k); ++k) {
      const bool is_close = tokens_[k].is(">") && is(k + 1, ">") && is(k + 2, ">") && is(k + 3, "(") &&
                            partner(k + 3) != navigator::none;
      if (is_close && has_comma(open + 3, k)) return add_launch(open, k);
      has_close = has_close || is_close;
      k = group_end(k);
    }
    if (has_close)
      mistake(open,
              "a launch needs the number of blocks and the number of threads of each: <<<blocks, threads>>>");
    return has_close;
  }

  /// A launch has two configuration arguments or more, or a pack of them; this tells `>>>` from the end of nested template
  /// arguments.
  bool has_comma(std::size_t begin, std::size_t end) const {
    for (std::size_t k = begin; k < end; ++k) {
      if (tokens_[k].is(",") || tokens_[k].is("...")) return true;
      k = group_end(k);
    }
    return false;
  }

  bool add_launch(std::size_t open, std::size_t close) {
    const std::size_t callee = find_callee(open);
    const std::size_t end = partner(close + 3);
    const bool in_conditional = callee > 0 && tokens_[callee - 1].is(":");
    const bool in_fold = (is(end + 1, ",") && is(end + 2, "...")) ||
                         (callee > 1 && tokens_[callee - 1].is(",") && tokens_[callee - 2].is("..."));
    found_.launches.push_back({callee, open, close, close + 3, end, in_conditional || in_fold});
    for (const device_body& body : found_.bodies) {
      if (body.open < open && open < body.close && !body.runs_on_host) {
        unsupported(open, "a launch inside a kernel (dynamic parallelism)", "launch from host code");
        break;
      }
    }
    return true;
  }

  /// The first token of the expression that ends before `end`: `a::b<c>`, `object.member`, `(pointer)`, `get()(x)`.
  std::size_t find_callee(std::size_t end) const {
    std::size_t begin = end;
    bool needs_operand = true;
    while (begin > 0) {
      const std::size_t k = begin - 1;
      const token& t = tokens_[k];
      if (t.is("::") || t.is(".") || (t.is("->")) || t.is("template")) {
        needs_operand = true;
        begin = k;
      } else if (!needs_operand) {
        return begin;
      } else if (t.is(">")) {
        begin = angle_begin(k);
      } else if ((t.is(")") || t.is("]")) && partner(k) != navigator::none) {
        begin = partner(k);
        needs_operand = begin > 0 && (is_operand_word(begin - 1) || tokens_[begin - 1].is(")") ||
                                      tokens_[begin - 1].is(">"));
        if (needs_operand && tokens_[begin - 1].is(")") && is_condition(begin - 1)) return begin;
      } else if (is_operand_word(k)) {
        begin = k;
        needs_operand = false;
      } else {
        return begin;
      }
    }
    return begin;
  }

  bool is_operand_word(std::size_t i) const { return is_word(i) && !is_one_of(tokens_[i], statement_words); }

  /// `if (...)`, `while (...)`, `for (...)`: this ')' ends no operand.
  bool is_condition(std::size_t close) const {
    const std::size_t open = partner(close);
    return open != navigator::none && open > 0 && is_word(open - 1) &&
           is_one_of(tokens_[open - 1], statement_words);
  }

  std::size_t angle_begin(std::size_t close) const {
    int depth = 0;
    for (std::size_t k = close;; --k) {
      if (tokens_[k].is(">")) ++depth;
      if (tokens_[k].is("<") && --depth == 0) return k;
      if (k == 0 || tokens_[k].is(";") || tokens_[k].is("{")) return close;
      if (partner(k) != navigator::none && partner(k) < k) k = partner(k);
      if (k == 0) return close;
    }
  }

  void add_shared(std::size_t word) {
    std::optional<shared_declaration> declared = read_shared_declaration(*this, word);
    if (!declared) return drop(word, 1);
    declared->is_in_function = is_in_device_code(word);
    if (!declared->is_dynamic && !declared->is_in_function) {
      return unsupported(word, "a __shared__ variable outside a function", "declare it inside the kernel");
    }
    std::erase_if(found_.words, [&](const replaced_words& words) {
      return declared->is_dynamic && words.begin >= declared->begin && words.begin < declared->end;
    });
    found_.shared.push_back(std::move(*declared));
  }

  void add_variables(std::size_t word) {
    const std::string named = "a " + std::string(tokens_[word].text) + " variable";
    std::optional<shared_declaration> declared = read_shared_declaration(*this, word);
    if (!declared) return;
    bool is_local = false;
    for (std::size_t k = declared->begin; k < word || is_word(k); ++k) {
      is_local = is_local || is(k, "static") || is(k, "inline");
      if (is(k, "inline")) declared->dropped.push_back(k);
      if (is(k, "template"))
        return unsupported(word, named + " template", "define one variable for each type");
      if (is(k, "extern") && k + 1 < tokens_.size() && tokens_[k + 1].kind == token_kind::quoted)
        return unsupported(word, named + " with C linkage", "leave out extern \"C\"");
    }
    if (is_in_device_code(word) && !is_local) {
      return unsupported(word, named + " inside a function", "define it outside, or make it static");
    }
    found_.variables.push_back({std::move(*declared), tokens_[word].text, is_local});
  }

  constructs found_;
  std::vector<std::size_t> shared_words_;
  std::vector<std::size_t> variable_words_;
};

}  // namespace

constructs find_constructs(const token_list& source) { return finder(source).find(); }

}  // namespace cuda_compiler
