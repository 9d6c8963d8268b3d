// boxed.h: an optional value that few entries of a recording have.
//
// Takes the room of a pointer where it is absent. Used as std::optional, which has room for the value in any case.
//
//     trace::boxed<std::string> name;
//     if (name) use(*name);
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace trace {

/// A value on the heap, or none. Copies have values of their own.
template <typename Value>
class boxed {
 public:
  using value_type = Value;

  boxed() = default;
  template <typename From = Value>
    requires std::convertible_to<From, Value> && (!std::same_as<std::remove_cvref_t<From>, boxed>)
  boxed(From&& value) : value_(std::make_unique<Value>(std::forward<From>(value))) {}  // NOLINT: as std::optional
  boxed(const boxed& other) : value_(other ? std::make_unique<Value>(*other) : nullptr) {}
  boxed(boxed&&) noexcept = default;
  boxed& operator=(const boxed& other) { return *this = boxed(other); }
  boxed& operator=(boxed&&) noexcept = default;
  template <typename From = Value>
    requires std::convertible_to<From, Value> && (!std::same_as<std::remove_cvref_t<From>, boxed>)
  boxed& operator=(From&& value) {
    return *this = boxed(std::forward<From>(value));
  }
  ~boxed() = default;

  template <typename... Arguments>
  Value& emplace(Arguments&&... arguments) {
    value_ = std::make_unique<Value>(std::forward<Arguments>(arguments)...);
    return *value_;
  }
  void reset() { value_.reset(); }

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  Value& operator*() { return *value_; }
  const Value& operator*() const { return *value_; }
  Value* operator->() { return value_.get(); }
  const Value* operator->() const { return value_.get(); }

  friend bool operator==(const boxed& one, const boxed& other) {
    return one.has_value() == other.has_value() && (!one || *one == *other);
  }

 private:
  std::unique_ptr<Value> value_;
};

}  // namespace trace
