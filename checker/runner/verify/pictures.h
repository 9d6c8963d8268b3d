// pictures.h: the timelines in the pages of the course, which are drawn from real runs.
//
// A picture stands between "<!-- timeline: NAME -->" (text) or "<!-- drawing: NAME -->" (an image) and
// "<!-- end -->", each on a line of its own.
//
//     const std::string redrawn = runner::with_pictures(page, draw);
//     runner::first_difference(page, redrawn);   // nothing when the pictures are those of the runs
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace runner {

/// A text timeline, or an image beside the page.
enum class picture_form { text, image };

/// Draws the picture NAME: a text timeline, or the line of Markdown that shows the image; nothing to keep the
/// picture as it is.
using draw_function = std::function<std::optional<std::string>(const std::string& name, picture_form form)>;

/// The page with every picture drawn anew, text as a fenced block. Throws std::runtime_error with the line
/// when a picture has no end.
std::string with_pictures(std::string_view page, const draw_function& draw);

/// True when two SVG drawings are equal except for numbers that differ by at most 1: compilers count the work
/// of a kernel a little differently, which moves its bar by less than a pixel.
bool is_same_drawing(std::string_view left, std::string_view right);

/// The first different line of two texts.
struct line_difference {
  int line = 0;       ///< from 1
  std::string left;   ///< "" when the left text has ended before
  std::string right;  ///< "" when the right text has ended before
};

/// The first line in which the texts differ; nothing when they are equal.
std::optional<line_difference> first_difference(std::string_view left, std::string_view right);

}  // namespace runner
