// unpacking.h: what streamlings-unpack prints: for each file "word path_bytes content_bytes\n", the path, the content.
#pragma once

#include <cstddef>
#include <string_view>

namespace runner {

/// Files above this are not read. The longest answer of the course has 5 KB.
inline constexpr std::size_t max_file_bytes = std::size_t{1} << 20;
/// Of all files in an archive, by what it says itself and by what comes out of it.
inline constexpr std::size_t max_unpacked_bytes = std::size_t{256} << 20;

/// A file that was asked for, with its content.
inline constexpr std::string_view frame_of_file = "file";
/// One that is too large to be read.
inline constexpr std::string_view frame_of_large_file = "large";
/// A link, a folder or a device with the name of a file that was asked for.
inline constexpr std::string_view frame_of_other = "other";
/// A path that leads out of the archive; the last frame.
inline constexpr std::string_view frame_of_unsafe_path = "unsafe";
/// The archive holds too much; the path says of what. The last frame.
inline constexpr std::string_view frame_of_too_much = "much";

}  // namespace runner
