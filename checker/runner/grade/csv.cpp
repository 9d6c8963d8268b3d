#include "runner/grade/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "processes/cannot_do.h"
#include "processes/files.h"

namespace runner {
namespace {

/// One table, from its first character to its last.
class csv_reader {
 public:
  explicit csv_reader(std::string_view text) : text_(text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
    const std::string_view first_line = text_.substr(0, text_.find('\n'));
    if (first_line.find(',') == first_line.npos && first_line.find(';') != first_line.npos) separator_ = ';';
  }

  csv_table table() {
    csv_table read;
    while (position_ < text_.size()) {
      const int line = line_;
      std::vector<std::string> row = next_row();
      if (row.size() == 1 && row.front().empty()) continue;
      if (read.header.empty()) {
        read.header = std::move(row);
        continue;
      }
      if (row.size() > read.header.size())
        throw processes::cannot_do(
            fmt::format("line {} has {} fields, the header {}.", line, row.size(), read.header.size()));
      row.resize(read.header.size());
      read.rows.push_back(std::move(row));
    }
    if (read.header.empty()) throw processes::cannot_do("there is no header.");
    return read;
  }

 private:
  std::vector<std::string> next_row() {
    std::vector<std::string> row;
    do {
      row.push_back(next_field());
    } while (take(separator_));
    take('\r');
    if (position_ < text_.size() && !take('\n'))
      throw processes::cannot_do(fmt::format("line {} goes on behind a quote.", line_));
    ++line_;
    return row;
  }

  std::string next_field() {
    if (!take('"')) {
      const std::size_t end =
          std::min(text_.find_first_of(std::string{separator_, '\r', '\n'}, position_), text_.size());
      const std::string field(text_.substr(position_, end - position_));
      position_ = end;
      return field;
    }
    std::string field;
    const int line = line_;
    while (position_ < text_.size()) {
      if (take('"')) {
        if (!take('"')) return field;
        field += '"';
        continue;
      }
      line_ += text_[position_] == '\n';
      field += text_[position_++];
    }
    throw processes::cannot_do(fmt::format("the quote of line {} does not end.", line));
  }

  bool take(char wanted) {
    if (position_ >= text_.size() || text_[position_] != wanted) return false;
    ++position_;
    return true;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  int line_ = 1;
  char separator_ = ',';
};

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return std::tolower(letter); });
  return lower;
}

/// The length of the UTF-8 character there; 0 when there is none.
std::size_t character_at(std::string_view bytes, std::size_t position) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[position + i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || position + length > bytes.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (first == 0xE0 && byte(1) < 0xA0) return 0;  // overlong
  if (first == 0xED && byte(1) > 0x9F) return 0;  // surrogates
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

}  // namespace

std::optional<std::size_t> csv_table::column(const std::vector<std::string_view>& names) const {
  for (const std::string_view name : names) {
    const auto found = std::find_if(header.begin(), header.end(),
                                    [&](const std::string& title) { return in_lower_case(title) == name; });
    if (found != header.end()) return found - header.begin();
  }
  return std::nullopt;
}

csv_table parse_csv(std::string_view text) { return csv_reader(text).table(); }

csv_table read_csv(const std::filesystem::path& file) {
  try {
    return parse_csv(processes::read_whole(file));
  } catch (const std::runtime_error& reason) {
    throw processes::cannot_do(fmt::format("{}: {}", file.string(), reason.what()));
  }
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    if (&field != &fields.front()) line += ',';
    // OWASP ASVS 1.2.10: spreadsheets take these for the beginning of a formula.
    const bool is_formula =
        !field.empty() && std::string_view("=+-@\t\r").find(field.front()) != std::string_view::npos;
    const std::string text = is_formula ? "'" + field : field;
    if (text.find_first_of(",;\"\r\n") == text.npos) {
      line += text;
      continue;
    }
    line += '"';
    for (const char letter : text) line.append(letter == '"' ? 2 : 1, letter);
    line += '"';
  }
  return line + '\n';
}

std::string printable(std::string_view bytes) {
  std::string text;
  for (std::size_t position = 0; position < bytes.size();) {
    const std::size_t length = character_at(bytes, position);
    if (length == 0) {
      text += "\xEF\xBF\xBD";
      ++position;
    } else if (length == 1 && std::iscntrl(static_cast<unsigned char>(bytes[position]))) {
      text += ' ';
      ++position;
    } else {
      text += bytes.substr(position, length);
      position += length;
    }
  }
  return text;
}

}  // namespace runner
