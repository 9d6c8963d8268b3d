// csv.h: comma-separated values (RFC 4180), as spreadsheets read and write them.
//
//     const runner::csv_table roster = runner::read_csv(file);
//     std::string line = runner::csv_line({"student", "points"});
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runner {

/// A header and rows, each as long as the header.
struct csv_table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;

  /// The index of the first column of one of these names, in any case of letters.
  std::optional<std::size_t> column(const std::vector<std::string_view>& names) const;
};

/// Reads a table. Commas or semicolons separate, whichever the header has; a byte order mark and empty lines are skipped, short
/// rows are filled with "". Throws cannot_do with the line of what is wrong.
csv_table parse_csv(std::string_view text);
/// Throws cannot_do, also with the name of the file.
csv_table read_csv(const std::filesystem::path& file);

/// The fields, quoted where necessary, with a newline. A field that a spreadsheet would take for a formula begins with '.
std::string csv_line(const std::vector<std::string>& fields);

/// Text for people from bytes of any kind: what is not UTF-8 becomes U+FFFD, control characters become spaces.
std::string printable(std::string_view bytes);

}  // namespace runner
