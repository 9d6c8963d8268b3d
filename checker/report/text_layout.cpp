#include "report/text_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace report {
namespace {

bool continues_a_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// Bytes that the first `columns` columns of the text take.
std::size_t bytes_of_columns(std::string_view text, int columns) {
  std::size_t position = 0;
  while (columns > 0 && position < text.size()) {
    ++position;
    while (position < text.size() && continues_a_character(text[position])) ++position;
    --columns;
  }
  return position;
}

void wrap_line(std::string_view line, int width, std::vector<std::string>& lines) {
  while (width_of(line) > width) {
    const std::size_t fits = bytes_of_columns(line, width);
    const std::size_t space = line.rfind(' ', fits);
    const bool breaks_at_space = space != std::string_view::npos && line.find_first_not_of(' ') < space;
    const std::string_view head = line.substr(0, breaks_at_space ? space : fits);
    lines.emplace_back(head.substr(0, head.find_last_not_of(' ') + 1));
    line.remove_prefix(breaks_at_space ? space : fits);
    if (breaks_at_space) line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  }
  lines.emplace_back(line);
}

/// Length of the well-formed UTF-8 character at the beginning of the text; 0 when there is none.
std::size_t character_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  const std::string_view rest = text.substr(1, length - 1);
  return std::all_of(rest.begin(), rest.end(), continues_a_character) ? length : 0;
}

/// Length of the terminal escape sequence at the beginning of the text (which begins with ESC).
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2 || text[1] != '[') return std::min<std::size_t>(text.size(), 2);
  const auto last =
      std::find_if(text.begin() + 2, text.end(), [](char byte) { return byte >= '@' && byte <= '~'; });
  return static_cast<std::size_t>(last - text.begin()) + (last == text.end() ? 0 : 1);
}

}  // namespace

int width_of(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !continues_a_character(byte); }));
}

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

std::string fitted(std::string_view text, int width) {
  const int columns = width_of(text);
  if (columns <= width) return std::string(text) + std::string(width - columns, ' ');
  if (width < 3) return std::string(text.substr(0, bytes_of_columns(text, width)));
  return std::string(text.substr(0, bytes_of_columns(text, width - 2))) + "..";
}

std::vector<std::string> wrap(std::string_view text, int width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t line_break = text.find('\n');
    wrap_line(text.substr(0, line_break), std::max(width, 1), lines);
    if (line_break == std::string_view::npos) break;
    text.remove_prefix(line_break + 1);
  }
  return lines;
}

std::string hanging(std::string_view lead, std::string_view text, int width) {
  const int indent = width_of(lead);
  std::string result;
  for (const std::string& line : wrap(text, width - indent)) {
    result += result.empty() ? std::string(lead) : std::string(indent, ' ');
    result += line + "\n";
  }
  return result;
}

std::string escaped(std::string_view text) {
  std::string result;
  int column = 0;
  while (!text.empty()) {
    const char byte = text.front();
    std::size_t taken = 1;
    if (byte == '\n') {
      result += byte;
      column = -1;
    } else if (byte == '\t') {
      const int spaces = 8 - column % 8;
      result.append(spaces, ' ');
      column += spaces - 1;
    } else if (byte == '\x1b') {
      taken = escape_length(text);
      --column;
    } else if (byte == '\r') {
      --column;
    } else if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f) {
      result += '?';
    } else if (const std::size_t length = character_length(text); length > 0) {
      result += text.substr(0, length);
      taken = length;
    } else {
      result += '?';
    }
    ++column;
    text.remove_prefix(taken);
  }
  return result;
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-=./,:";
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) return std::string(text);
  std::string word = "'";
  for (const char letter : text) word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return word + "'";
}

std::string duration_words(std::chrono::nanoseconds duration) {
  struct unit {
    double nanoseconds;
    const char* name;
  };
  constexpr std::array<unit, 4> units{{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}};
  const auto count = static_cast<double>(duration.count());
  for (const unit& candidate : units) {
    const double value = count / candidate.nanoseconds;
    // 999.6 us would round to the four digits "1000 us": it is 1 ms.
    if (std::abs(value) < 0.9995 && candidate.nanoseconds > 1) continue;
    const int decimals = candidate.nanoseconds == 1 ? 0 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    std::string digits = fmt::format("{:.{}f}", value, decimals);
    if (digits.find('.') != std::string::npos) {
      digits.erase(digits.find_last_not_of('0') + 1);
      if (digits.back() == '.') digits.pop_back();
    }
    return digits + " " + candidate.name;
  }
  return "0 ns";
}

std::vector<long long> percent_of_sum(const std::vector<std::chrono::nanoseconds>& parts) {
  std::vector<long long> percents(parts.size());
  const std::chrono::nanoseconds sum =
      std::accumulate(parts.begin(), parts.end(), std::chrono::nanoseconds(0));
  if (sum.count() == 0) return percents;
  std::vector<double> remainders;
  std::vector<std::size_t> order;
  long long left = 100;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double exact = 100.0 * static_cast<double>(parts[i].count()) / static_cast<double>(sum.count());
    percents[i] = static_cast<long long>(std::floor(exact));
    remainders.push_back(exact - std::floor(exact));
    order.push_back(i);
    left -= percents[i];
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t one, std::size_t two) { return remainders[one] > remainders[two]; });
  for (std::size_t i = 0; i < order.size() && left > 0; ++i, --left) ++percents[order[i]];
  return percents;
}

}  // namespace report
