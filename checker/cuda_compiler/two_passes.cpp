#include "cuda_compiler/two_passes.h"

#include <algorithm>
#include <cstddef>

#include "cuda_compiler/declarations.h"

namespace cuda_compiler {

using parsing::read_tokens;
using parsing::source_file;
using parsing::token;
using parsing::token_list;
namespace {

constexpr std::size_t none = navigator::none;

/// One of the two texts.
class pass : public declaration_reader {
 public:
  explicit pass(const token_list& source) : declaration_reader(source) {}

  std::string words(std::size_t begin, std::size_t end) const {
    std::string text;
    for (std::size_t i = begin; i < end; ++i) text.append(tokens_[i].text) += ' ';
    return text;
  }

  std::size_t begin_of(std::size_t i) const { return i < size() ? at(i).begin : source_.text.size(); }
  std::size_t end_of(std::size_t i) const { return at(i).begin + at(i).text.size(); }
  std::string_view text(std::size_t begin, std::size_t end) const {
    return source_.text.substr(begin, end - begin);
  }
  /// A line marker, after which text has the place of that token.
  std::string marker(std::size_t i) const {
    const source_file& file = source_.files[static_cast<std::size_t>(at(i).file)];
    return "\n# " + std::to_string(at(i).text_line) + ' ' + file.quoted_name +
           (file.is_system_header ? " 3" : "") + '\n';
  }
  std::string file_of(std::size_t i) const {
    return source_.files[static_cast<std::size_t>(at(i).file)].name();
  }
};

class merger {
 public:
  merger(const token_list& device, const token_list& host) : device_(device), host_(host) {}

  merged_passes merge() {
    declarations({0, device_.size()}, {0, host_.size()});
    if (!errors_.empty()) return {"", std::move(errors_)};
    text_ += device_.text(copied_, device_.begin_of(device_.size()));
    return {std::move(text_), {}};
  }

 private:
  struct token_range {
    std::size_t begin;
    std::size_t end;
  };

  void declarations(token_range in_device, token_range in_host) {
    const auto of_device = device_.declarations(in_device.begin, in_device.end);
    const auto of_host = host_.declarations(in_host.begin, in_host.end);
    std::size_t i = 0, j = 0;
    while (i < of_device.size() || j < of_host.size()) {
      if (i < of_device.size() && j < of_host.size() && are_equal(of_device[i], of_host[j])) {
        ++i, ++j;
        continue;
      }
      const auto [next_i, next_j] = next_equal(of_device, i, of_host, j);
      differing({of_device.begin() + static_cast<std::ptrdiff_t>(i),
                 of_device.begin() + static_cast<std::ptrdiff_t>(next_i)},
                {of_host.begin() + static_cast<std::ptrdiff_t>(j),
                 of_host.begin() + static_cast<std::ptrdiff_t>(next_j)},
                next_i < of_device.size() ? of_device[next_i].begin : in_device.end);
      i = next_i, j = next_j;
    }
  }

  bool are_equal(const declared_item& one, const declared_item& other) const {
    if (one.end - one.begin != other.end - other.begin) return false;
    for (std::size_t k = 0; k < one.end - one.begin; ++k) {
      if (device_.at(one.begin + k).text != host_.at(other.begin + k).text) return false;
    }
    return true;
  }

  /// The nearest declarations that both have, or the ends.
  std::pair<std::size_t, std::size_t> next_equal(const std::vector<declared_item>& of_device, std::size_t i,
                                                 const std::vector<declared_item>& of_host,
                                                 std::size_t j) const {
    const std::size_t left_i = of_device.size() - i, left_j = of_host.size() - j;
    for (std::size_t distance = 1; distance < left_i + left_j; ++distance) {
      for (std::size_t k = distance > left_j ? distance - left_j : 0; k <= std::min(distance, left_i); ++k) {
        if (k < left_i && distance - k < left_j && are_equal(of_device[i + k], of_host[j + distance - k]))
          return {i + k, j + distance - k};
      }
    }
    return {of_device.size(), of_host.size()};
  }

  bool have_same_head(const declared_item& one, const declared_item& other) const {
    return one.open != none && other.open != none && one.is_container == other.is_container &&
           device_.words(one.begin, one.open) == host_.words(other.begin, other.open);
  }

  /// Declarations between two that both passes have. `behind`: the device's token after them.
  void differing(std::vector<declared_item> of_device, std::vector<declared_item> of_host,
                 std::size_t behind) {
    for (const declared_item& one : of_device) {
      const auto same = std::find_if(of_host.begin(), of_host.end(),
                                     [&](const declared_item& other) { return have_same_head(one, other); });
      if (same == of_host.end()) {
        if (device_.side_of(one) != side::device) refuse(device_, one.begin);
        continue;
      }
      two_bodies(one, *same);
      of_host.erase(same);
    }
    for (const declared_item& one : of_host) of_host_only(one, behind);
  }

  void two_bodies(const declared_item& one, const declared_item& other) {
    const std::size_t close = device_.partner(one.open), other_close = host_.partner(other.open);
    if (one.is_container) {
      if (device_.words(close, one.end) != host_.words(other_close, other.end)) refuse(device_, one.begin);
      return declarations({one.open + 1, close}, {other.open + 1, other_close});
    }
    const side runs = device_.side_of(one);
    if (runs == side::device) return;
    if (device_.is_constant_expression(one)) return refuse(device_, one.open);
    const std::string host_body =
        host_.marker(other.open) +
        std::string(host_.text(host_.begin_of(other.open), host_.end_of(other_close)));
    if (runs == side::both) {
      copy_until(device_.begin_of(one.open));
      text_ += "{ if (::virtual_gpu::is_in_kernel()) ";
      copy_until(device_.end_of(close));
      text_ += " else" + host_body + " }" + device_.marker(close);
      return;
    }
    // A lambda of the device in a function of the host would need both.
    if (host_.has(other.open, other_close, "__device__")) return refuse(device_, one.open);
    copy_until(device_.begin_of(one.open));
    text_ += host_body + device_.marker(close);
    copied_ = device_.end_of(close);
  }

  void of_host_only(const declared_item& one, std::size_t behind) {
    const bool is_of_kernel = host_.has(one.begin, std::min(one.open, one.end), "__global__");
    const side runs = host_.side_of(one);
    if (runs == side::device && !is_of_kernel) return;
    if (runs != side::host || !host_.is_function(one) || host_.is_constant_expression(one))
      return refuse(host_, one.begin);
    copy_until(device_.begin_of(behind));
    text_ += host_.marker(one.begin) +
             std::string(host_.text(host_.begin_of(one.begin), host_.end_of(one.end - 1)));
    text_ += behind < device_.size() ? device_.marker(behind) : "\n";
  }

  void copy_until(std::size_t end) {
    text_ += device_.text(copied_, end);
    copied_ = end;
  }

  void refuse(const pass& where, std::size_t token) {
    errors_.push_back(
        {where.file_of(token), where.at(token).line, "this use of __CUDA_ARCH__",
         "host and device would see different declarations here; test it inside the bodies of functions that "
         "are not constexpr"});
  }

  const pass device_;
  const pass host_;
  std::string text_;
  std::size_t copied_ = 0;  // of the device's text
  std::vector<translation_error> errors_;
};

}  // namespace

merged_passes merge_passes(std::string_view device, std::string_view host) {
  const token_list of_device = read_tokens(device), of_host = read_tokens(host);
  return merger(of_device, of_host).merge();
}

}  // namespace cuda_compiler
