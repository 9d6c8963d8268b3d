// message.h: what checker and exercise program say to each other: named scalars and named typed buffers.
//
// There is no struct for a lesson in the protocol. Here: the values and their bytes. Not here: how the bytes
// travel (channel.h) and who starts whom (launch.h, exercise.h).
//
//     exercise::message request;
//     request.set("elements", std::int64_t{1000});
//     request.set("input", std::vector<float>{1, 2, 3});
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "exercise/byte_pieces.h"

namespace exercise {

/// Begins the names of what the first call of a check's first run measured of the machine. All later calls are given it, or
/// "kernels ten times slower" would be calibrated away.
inline constexpr std::string_view calibrated_prefix = "calibrated.";

/// A single value.
using scalar = std::variant<std::int64_t, double, std::string>;
/// Many values of one type.
using buffer = std::variant<std::vector<std::uint8_t>, std::vector<std::int32_t>, std::vector<std::int64_t>,
                            std::vector<float>, std::vector<double>>;

/// A name was asked for that the message does not hold (or not with that type): a mistake in the lesson,
/// never of the learner.
class missing_name : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Named scalars and named typed buffers: a request, or an answer.
class message {
 public:
  /// Sets or replaces a scalar or a buffer.
  void set(const std::string& name, scalar value);
  /// @copydoc set(const std::string&, scalar)
  void set(const std::string& name, buffer value);

  /// The value of that name and type; throws missing_name. Marks the name as read.
  std::int64_t integer(const std::string& name) const;
  double number(const std::string& name) const;  ///< an integer is accepted too
  /// The same.
  const std::string& text(const std::string& name) const;
  /// The same for a buffer.
  template <typename Element>
  const std::vector<Element>& values(const std::string& name) const;

  /// Whether there is a scalar or a buffer of that name. Does not mark it as read.
  bool has(const std::string& name) const;
  /// Names nobody has read; used to find a lesson whose two halves disagree.
  std::vector<std::string> unread_names() const;

  /// The bytes of this message.
  std::string encode() const;
  /// The number of those bytes.
  std::size_t encoded_size() const;
  /// Adds them behind others. Buffers are not copied.
  void append_to(byte_pieces& bytes) const;
  /// The message of those bytes. Throws std::runtime_error on anything encode() did not write: every length
  /// is checked against the bytes that are there before it is believed.
  static message decode(std::string_view bytes);

  /// Takes over what `other` holds of what the first run measured of the machine ("calibrated.cycles").
  void take_calibration(const message& other);
  const std::map<std::string, scalar>& scalars() const { return scalars_; }

  bool operator==(const message& other) const;

 private:
  std::map<std::string, scalar> scalars_;
  std::map<std::string, std::shared_ptr<const buffer>>
      buffers_;  // never changed, so copies of a message share them
  mutable std::set<std::string> read_;
};

/// The bytes of several messages together.
byte_pieces encode_all(const std::vector<message>& messages);
/// The messages of those bytes. Throws as message::decode() does.
std::vector<message> decode_all(std::string_view bytes);

/// A number that stands for bytes which are too many to hand back: the same for the same bytes in both halves
/// and in every run; other bytes give another number, but for chance. Not made against those who look for two
/// that collide.
std::int64_t digest(const void* bytes, std::size_t count);

}  // namespace exercise
