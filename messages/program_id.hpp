#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "messages/ids.hpp"

namespace stoker {

/// A program that a worker runs: an executor or a driver.
using ProgramId = std::variant<ExecutorId, DriverId>;

/// `app-20261121074600-0001/0` or `driver-20261121074600-0001`.
inline std::string to_string(const ProgramId& x) {
  return std::visit([](const auto& id) -> std::string { return to_string(id); },
                    x);
}

/// The inverse of to_string: what contains a '/' names an executor. Nothing if
/// the text is empty, or if no number follows the last '/'.
inline std::optional<ProgramId> parse_program_id(std::string_view text) {
  if (text.empty())
    return std::nullopt;
  auto slash = text.rfind('/');
  if (slash == std::string_view::npos)
    return DriverId{std::string{text}};
  auto digits = text.substr(slash + 1);
  ExecutorId result{AppId{std::string{text.substr(0, slash)}}, 0};
  auto [end, error] = std::from_chars(
      digits.data(), digits.data() + digits.size(), result.exec_id);
  if (error != std::errc{} || end != digits.data() + digits.size())
    return std::nullopt;
  return result;
}

} // namespace stoker
