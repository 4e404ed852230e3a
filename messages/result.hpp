#pragma once

#include <cassert>
#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "messages/errc.hpp"

namespace stoker {

/// Why something was not done. Callers decide by the code and show the message.
struct Error {
  Errc code = Errc::failed;

  /// One line for people: what was attempted, what is wrong, what to do.
  std::string message;

  friend bool operator==(const Error&, const Error&) = default;
};

/// What a function returns that may fail: its value, or an Error. A function
/// without a value returns a Status, of which `{}` is success.
template <class T>
class [[nodiscard]] Result {
  using Value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

public:
  Result() requires std::is_void_v<T>
  = default;

  template <class U>
  requires std::convertible_to<U, Value> &&(
      !std::same_as<std::remove_cvref_t<U>,
                    Error>)&&(!std::same_as<std::remove_cvref_t<U>, Result>)
      // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): constrained
      Result(U&& value)
      : content_(std::in_place_index<0>, std::forward<U>(value)) {
  }

  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {
    assert(std::get<1>(content_).code != Errc::none);
  }

  /// Whether it succeeded.
  [[nodiscard]] explicit operator bool() const noexcept {
    return content_.index() == 0;
  }

  /// The value.
  /// @pre it succeeded
  [[nodiscard]] Value& operator*() & noexcept {
    assert(*this);
    return *std::get_if<0>(&content_);
  }
  [[nodiscard]] const Value& operator*() const& noexcept {
    assert(*this);
    return *std::get_if<0>(&content_);
  }
  [[nodiscard]] Value&& operator*() && noexcept {
    assert(*this);
    return std::move(*std::get_if<0>(&content_));
  }
  [[nodiscard]] Value* operator->() noexcept {
    return &**this;
  }
  [[nodiscard]] const Value* operator->() const noexcept {
    return &**this;
  }

  /// @pre it failed
  [[nodiscard]] const Error& error() const& noexcept {
    assert(!*this);
    return *std::get_if<1>(&content_);
  }
  [[nodiscard]] Error&& error() && noexcept {
    assert(!*this);
    return std::move(*std::get_if<1>(&content_));
  }

  /// Its code; `Errc::none` of what succeeded.
  [[nodiscard]] Errc code() const noexcept {
    return *this ? Errc::none : error().code;
  }

private:
  std::variant<Value, Error> content_;
};

using Status = Result<void>;

/// Of a request, or of a configuration, that must not be.
/// @param problem one line that says what is wrong
inline Error invalid(std::string problem) {
  return {Errc::invalid_request, std::move(problem)};
}

} // namespace stoker
