// sweep.h: the times of a lesson's function over many settings of two parameters.
//
// Not here: how it is drawn (sweep_text.h, sweep_svg.h).
//
//     const report::sweep_point* best = report::fastest_of(measured);
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace report {

/// A value for each of the two parameters.
using setting = std::array<int, 2>;

/// One run of a sweep.
struct sweep_point {
  report::setting setting{};
  std::chrono::nanoseconds time{0};  ///< of the learner's part
  bool is_right = true;              ///< false: wrong result
  bool operator==(const sweep_point&) const = default;
};

/// Time against two parameters, for one file on one GPU.
struct sweep {
  int lesson = 0;
  std::string title;                       ///< of the lesson
  std::string source;                      ///< the file, relative to the checkout when inside it
  std::string source_hash;                 ///< content_hash() of it
  std::string profile;                     ///< of the virtual GPU
  std::uint64_t seed = 0;                  ///< of the inputs
  std::string function;                    ///< "add_in_chunks()"
  std::array<std::string, 2> parameters;   ///< what they count: "streams", "chunks"
  std::optional<setting> chosen;           ///< by the file itself, when the lesson lets it choose
  std::chrono::nanoseconds serial{0};      ///< the same work, one step after another
  std::chrono::nanoseconds attainable{0};  ///< by the pipeline law at its best number of chunks
  std::vector<sweep_point> points;         ///< in the order in which they ran
  bool operator==(const sweep&) const = default;
};

/// The different values of that parameter (0 or 1), ascending.
std::vector<int> values_of(const sweep& sweep, std::size_t parameter);

/// nullptr when no point has that setting.
const sweep_point* point_at(const sweep& sweep, const setting& where);

/// The fastest point with a right result, of equal ones that with the smallest values; nullptr when no result is right.
const sweep_point* fastest_of(const sweep& sweep);
/// Among the points with that value of that parameter.
const sweep_point* fastest_of(const sweep& sweep, std::size_t parameter, int value);

/// At most `max_count` of the values, ascending. The smallest, the largest and `wanted` are kept first, then powers of
/// two, then the smallest of the others.
std::vector<int> selected_values(const std::vector<int>& values, std::size_t max_count,
                                 const std::vector<int>& wanted);

/// "4 streams", "1 stream".
std::string value_words(const sweep& sweep, std::size_t parameter, int value);
/// "4 streams, 8 chunks".
std::string setting_words(const sweep& sweep, const setting& setting);

/// The optimum beside the serial and the attainable time, the file's own choice, wrong results.
std::vector<std::string> sweep_sentences(const sweep& sweep);

/// Adds the points of another sweep. Throws std::invalid_argument unless file, function and GPU are the same.
void add_points(sweep& to, const sweep& from);

}  // namespace report
