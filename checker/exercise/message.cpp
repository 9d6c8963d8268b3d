#include "exercise/message.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace exercise {
namespace {

constexpr std::string_view format_word = "streamlings message 1\n";

template <typename Number>
void put_number(byte_pieces& bytes, Number value) {
  bytes.add({reinterpret_cast<const char*>(&value), sizeof value});
}

void put_text(byte_pieces& bytes, std::string_view text) {
  put_number<std::uint64_t>(bytes, text.size());
  bytes.add(text);
}

template <typename Element>
std::size_t encoded_bytes(const std::vector<Element>& elements) {
  return sizeof(std::uint64_t) + elements.size() * sizeof(Element);
}
std::size_t encoded_bytes(const std::string& text) { return sizeof(std::uint64_t) + text.size(); }
std::size_t encoded_bytes(std::int64_t value) { return sizeof value; }
std::size_t encoded_bytes(double value) { return sizeof value; }

void put_value(byte_pieces& bytes, const scalar& value) {
  struct put {
    byte_pieces& bytes;
    void operator()(std::int64_t number) const { put_number(bytes, number); }
    void operator()(double number) const { put_number(bytes, number); }
    void operator()(const std::string& text) const { put_text(bytes, text); }
  };
  std::visit(put{bytes}, value);
}

void put_value(byte_pieces& bytes, const std::shared_ptr<const buffer>& value) {
  const auto put = [&](const auto& elements) {
    put_number<std::uint64_t>(bytes, elements.size());
    bytes.add({reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof elements[0]}, value);
  };
  std::visit(put, *value);
}

/// Takes values from the front of some bytes and never believes a length before it has looked at what is left.
class byte_reader {
 public:
  explicit byte_reader(std::string_view bytes) : rest_(bytes) {}

  bool is_at_end() const { return rest_.empty(); }

  std::string_view take(std::size_t length) {
    if (length > rest_.size()) throw std::runtime_error("message is cut off");
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }

  template <typename Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  std::string text() { return std::string(take(number<std::uint64_t>())); }

  void read(std::int64_t& value) { value = number<std::int64_t>(); }
  void read(double& value) { value = number<double>(); }
  void read(std::string& value) { value = text(); }

  template <typename Element>
  void read(std::vector<Element>& elements) {
    const auto count = number<std::uint64_t>();
    if (count > rest_.size() / sizeof(Element)) throw std::runtime_error("message is cut off");
    const std::string_view bytes = take(count * sizeof(Element));
    elements.resize(count);
    if (count > 0) std::memcpy(elements.data(), bytes.data(), bytes.size());
  }

 private:
  std::string_view rest_;
};

template <typename Variant, std::size_t Index = 0>
Variant read_alternative(byte_reader& reader, std::size_t index) {
  if constexpr (Index == std::variant_size_v<Variant>) {
    throw std::runtime_error("message holds a value of unknown type");
  } else if (index != Index) {
    return read_alternative<Variant, Index + 1>(reader, index);
  } else {
    std::variant_alternative_t<Index, Variant> value{};
    reader.read(value);
    return Variant(std::in_place_index<Index>, std::move(value));
  }
}

const scalar& held_by(const scalar& value) { return value; }
const buffer& held_by(const std::shared_ptr<const buffer>& value) { return *value; }

template <typename Entries>
std::size_t encoded_bytes_of_all(const Entries& entries) {
  std::size_t bytes = sizeof(std::uint64_t);
  for (const auto& [name, value] : entries) {
    bytes += encoded_bytes(name) + sizeof(std::uint8_t);
    bytes += std::visit([](const auto& element) { return encoded_bytes(element); }, held_by(value));
  }
  return bytes;
}

template <typename Entries>
void put_entries(byte_pieces& bytes, const Entries& entries) {
  put_number<std::uint64_t>(bytes, entries.size());
  for (const auto& [name, value] : entries) {
    put_text(bytes, name);
    put_number<std::uint8_t>(bytes, static_cast<std::uint8_t>(held_by(value).index()));
    put_value(bytes, value);
  }
}

/// Calls set(name, value) for each entry.
template <typename Variant, typename Set>
void read_entries(byte_reader& reader, Set set) {
  std::string last_name;
  const auto count = reader.number<std::uint64_t>();
  for (std::uint64_t entry = 0; entry < count; ++entry) {
    const std::string name = reader.text();
    if (entry > 0 && name <= last_name) throw std::runtime_error("message names are not in order");
    const auto index = reader.number<std::uint8_t>();
    set(name, read_alternative<Variant>(reader, index));
    last_name = name;
  }
}

template <typename Value>
const Value* scalar_of(const std::map<std::string, scalar>& scalars, const std::string& name) {
  const auto found = scalars.find(name);
  return found == scalars.end() ? nullptr : std::get_if<Value>(&found->second);
}

}  // namespace

void message::set(const std::string& name, scalar value) { scalars_[name] = std::move(value); }

void message::set(const std::string& name, buffer value) {
  buffers_[name] = std::make_shared<const buffer>(std::move(value));
}

template <typename Element>
const std::vector<Element>& message::values(const std::string& name) const {
  const auto found = buffers_.find(name);
  if (found == buffers_.end() || !std::holds_alternative<std::vector<Element>>(*found->second)) {
    throw missing_name("no buffer named '" + name + "' of the asked type");
  }
  read_.insert(name);
  return std::get<std::vector<Element>>(*found->second);
}

template const std::vector<std::uint8_t>& message::values(const std::string& name) const;
template const std::vector<std::int32_t>& message::values(const std::string& name) const;
template const std::vector<std::int64_t>& message::values(const std::string& name) const;
template const std::vector<float>& message::values(const std::string& name) const;
template const std::vector<double>& message::values(const std::string& name) const;

std::int64_t message::integer(const std::string& name) const {
  const auto* value = scalar_of<std::int64_t>(scalars_, name);
  if (value == nullptr) throw missing_name("no integer named '" + name + "'");
  read_.insert(name);
  return *value;
}

double message::number(const std::string& name) const {
  if (const auto* whole = scalar_of<std::int64_t>(scalars_, name)) {
    read_.insert(name);
    return static_cast<double>(*whole);
  }
  const auto* value = scalar_of<double>(scalars_, name);
  if (value == nullptr) throw missing_name("no number named '" + name + "'");
  read_.insert(name);
  return *value;
}

const std::string& message::text(const std::string& name) const {
  const auto* value = scalar_of<std::string>(scalars_, name);
  if (value == nullptr) throw missing_name("no text named '" + name + "'");
  read_.insert(name);
  return *value;
}

bool message::has(const std::string& name) const {
  return scalars_.count(name) != 0 || buffers_.count(name) != 0;
}

std::vector<std::string> message::unread_names() const {
  std::set<std::string> unread;
  for (const auto& [name, value] : scalars_) unread.insert(name);
  for (const auto& [name, value] : buffers_) unread.insert(name);
  for (const std::string& name : read_) unread.erase(name);
  return {unread.begin(), unread.end()};
}

void message::take_calibration(const message& other) {
  for (const auto& [name, value] : other.scalars_) {
    if (name.rfind(calibrated_prefix, 0) == 0) scalars_[name] = value;
  }
}

bool message::operator==(const message& other) const {
  const auto is_same = [](const auto& one, const auto& two) {
    return one.first == two.first && *one.second == *two.second;
  };
  return scalars_ == other.scalars_ &&
         std::equal(buffers_.begin(), buffers_.end(), other.buffers_.begin(), other.buffers_.end(), is_same);
}

std::string message::encode() const {
  byte_pieces bytes;
  append_to(bytes);
  return bytes.joined();
}

std::size_t message::encoded_size() const {
  return format_word.size() + encoded_bytes_of_all(scalars_) + encoded_bytes_of_all(buffers_);
}

void message::append_to(byte_pieces& bytes) const {
  bytes.add(format_word);
  put_entries(bytes, scalars_);
  put_entries(bytes, buffers_);
}

message message::decode(std::string_view bytes) {
  byte_reader reader(bytes);
  if (reader.take(format_word.size()) != format_word)
    throw std::runtime_error("these bytes are not a message");
  message decoded;
  const auto set = [&](const std::string& name, auto value) { decoded.set(name, std::move(value)); };
  read_entries<scalar>(reader, set);
  read_entries<buffer>(reader, set);
  if (!reader.is_at_end()) throw std::runtime_error("message is followed by other bytes");
  return decoded;
}

byte_pieces encode_all(const std::vector<message>& messages) {
  byte_pieces bytes;
  for (const message& one : messages) {
    put_number<std::uint64_t>(bytes, one.encoded_size());
    one.append_to(bytes);
  }
  return bytes;
}

std::vector<message> decode_all(std::string_view bytes) {
  std::vector<message> messages;
  byte_reader reader(bytes);
  while (!reader.is_at_end())
    messages.push_back(message::decode(reader.take(reader.number<std::uint64_t>())));
  return messages;
}

// FNV-1a, with eight bytes a step instead of one.
std::int64_t digest(const void* bytes, std::size_t count) {
  constexpr std::uint64_t offset_basis = 0xcbf29ce484222325, prime = 0x100000001b3;
  const auto* next = static_cast<const unsigned char*>(bytes);
  std::uint64_t state = offset_basis ^ count;
  while (count > 0) {
    const std::size_t length = std::min<std::size_t>(count, 8);
    std::uint64_t word = 0;
    std::memcpy(&word, next, length);
    state = (state ^ word) * prime;
    state ^= state >> 32;  // or the high bytes of a word would only reach high bits
    next += length;
    count -= length;
  }
  return static_cast<std::int64_t>(state);
}

}  // namespace exercise
