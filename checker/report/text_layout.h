// text_layout.h: text layout: wrapping, padding, escaping, quoting and durations.
//
// Widths are columns; one UTF-8 code point counts as one column. Not here: the sentences (wording/, verdict_text.h).
//
//     for (const std::string& line : report::wrap("a long sentence ...", 60)) fmt::print("    {}\n", line);
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace report {

/// The width of text without control characters.
int width_of(std::string_view text);

/// The text up to its first line break.
std::string first_line(std::string_view text);

/// The text padded with spaces to `width` columns; longer text is cut and ends with "..".
std::string fitted(std::string_view text, int width);

/// The lines of the text, broken at spaces so that none is wider than `width`; a longer word is broken. Line breaks are
/// kept. Empty text gives no line.
std::vector<std::string> wrap(std::string_view text, int width);

/// The text on lines of at most `width` columns: the first line after `lead`, further ones indented as far.
std::string hanging(std::string_view lead, std::string_view text, int width);

/// The text with tabs as spaces and with control characters, escape sequences and bytes that are not UTF-8 replaced, so
/// that a terminal does not act on them. Line breaks are kept.
std::string escaped(std::string_view text);

/// The text as one word for a shell.
std::string shell_word(std::string_view text);

/// "1.24 ms", "620 us", "850 ns": three digits and the unit that fits.
std::string duration_words(std::chrono::nanoseconds duration);

/// The parts in whole percent of their sum. These add up to 100: what is rounded up has the largest remainders. All are 0
/// when the sum is.
std::vector<long long> percent_of_sum(const std::vector<std::chrono::nanoseconds>& parts);

}  // namespace report
