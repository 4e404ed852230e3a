#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace stoker {

/// Fields of a line in a log, in order: NAME=VALUE, with spaces between. Values with spaces
/// are in quotes; none can look like other fields, or like another line. What is not set is
/// left out.
class LogFields {
public:
  LogFields&& add(const char* name, const std::string& value) &&;
  LogFields&& add(const char* name, std::int64_t value) && {
    return std::move(*this).add(name, std::to_string(value));
  }
  template <class T>
  LogFields&& add(const char* name, const std::optional<T>& value) && {
    return value ? std::move(*this).add(name, *value) : std::move(*this);
  }
  LogFields&& add_unless_empty(const char* name, const std::string& value) && {
    return value.empty() ? std::move(*this) : std::move(*this).add(name, value);
  }

  [[nodiscard]] std::string text() && {
    return std::move(text_);
  }

private:
  std::string text_;
};

} // namespace stoker
