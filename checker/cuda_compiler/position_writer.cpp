#include "cuda_compiler/position_writer.h"

#include <algorithm>

namespace cuda_compiler {

using parsing::source_file;
using parsing::token;
using parsing::token_kind;
using parsing::token_list;
namespace {

/// True when nothing may come between the two, which have no gap: `>` `>`, `&` `&`, a literal and its suffix.
bool belong_together(const token& left, const token& right) {
  if (left.kind == token_kind::quoted || left.kind == token_kind::number) return true;
  return left.kind == token_kind::punctuation && right.kind == token_kind::punctuation;
}

}  // namespace

position_writer::position_writer(const token_list& source) : source_(source) {
  text_.reserve(source.text.size() + source.text.size() / 8);
  if (source.tokens.empty()) return;
  // Whole lines: pragmas there hold for the file, whatever is written first.
  const token& first = source.tokens.front();
  const std::string_view head = source.text.substr(0, first.begin);
  if (const std::size_t line_end = head.rfind('\n'); line_end != head.npos)
    write_gap(first, head.substr(0, line_end + 1));
}

void position_writer::replaced(std::size_t index, std::string_view text) {
  const token& t = source_.tokens[index];
  const bool is_next = last_ == token_list::no_token ? index == 0 : last_ + 1 == index;
  std::string_view blanks = " ";
  bool is_joined = false;
  if (is_next) {
    const std::size_t gap_begin =
        index == 0 ? 0 : source_.tokens[index - 1].begin + source_.tokens[index - 1].text.size();
    const std::string_view gap = source_.text.substr(gap_begin, t.begin - gap_begin);
    const std::size_t line_end = gap.rfind('\n');
    if (line_end != gap.npos && index > 0) write_gap(t, gap.substr(0, line_end + 1));
    blanks = line_end != gap.npos ? gap.substr(line_end + 1) : gap;
    is_joined = gap.empty() && index > 0 && belong_together(source_.tokens[index - 1], t);
    if (is_behind_other_text_ && blanks.empty()) blanks = " ";
  }
  if (!is_joined || is_behind_other_text_) move_to(t, blanks);
  text_ += text;
  const std::size_t line_end = text.rfind('\n');  // a raw string may hold some
  line_ += static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  column_ = static_cast<int>(line_end == text.npos ? column_ + text.size() : text.size() - line_end);
  last_ = index;
  is_behind_other_text_ = false;
}

void position_writer::inserted(std::string_view text, std::size_t anchor) {
  move_to(source_.tokens[anchor], " ");
  appended(text);
}

void position_writer::appended(std::string_view text) {
  text_ += text;
  column_ += static_cast<int>(text.size());
  is_behind_other_text_ = true;
}

std::string position_writer::finish() {
  if (source_.tokens.empty()) return std::string(source_.text);
  const token& last = source_.tokens.back();
  text_ += source_.text.substr(last.begin + last.text.size());
  return std::move(text_);
}

/// Writes whole lines between two tokens and keeps count of where the compiler believes to be after them.
void position_writer::write_gap(const token& next, std::string_view gap) {
  text_ += gap;
  column_ = 1;
  const bool has_marker =
      gap.find("\n# ") != gap.npos || gap.substr(0, 2) == "# " || gap.find("\n#line") != gap.npos;
  if (has_marker) {
    file_ = next.file;
    line_ = next.text_line;
  } else {
    line_ += static_cast<int>(std::count(gap.begin(), gap.end(), '\n'));
  }
}

/// Goes to the place of a token; `blanks` is what separates it from the text before when its column is not known.
void position_writer::move_to(const token& place, std::string_view blanks) {
  if (file_ != place.file || line_ != place.line) start_line(place);
  if (place.column == 0 || source_.files[place.file].is_system_header) {
    text_ += blanks;
    column_ += static_cast<int>(blanks.size());
    return;
  }
  const int separator = column_ > 1 && !blanks.empty() ? 1 : 0;
  if (place.column < column_ + separator) start_line(place);
  text_.append(static_cast<std::size_t>(place.column - column_), ' ');
  column_ = place.column;
}

void position_writer::start_line(const token& place) {
  const source_file& file = source_.files[place.file];
  text_ += "\n# " + std::to_string(place.line) + ' ' + file.quoted_name;
  if (file.is_system_header) text_ += file.is_extern_c ? " 3 4" : " 3";
  text_ += '\n';
  file_ = place.file;
  line_ = place.line;
  column_ = 1;
}

}  // namespace cuda_compiler
