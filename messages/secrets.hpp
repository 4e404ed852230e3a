#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stoker {

/// What becomes of values that may be secrets. They are hidden wherever people
/// read: in logs, traces and answers. Decisions do not depend on them, so a log
/// without them replays as it was. They are kept in records that a program is
/// started from. Which ones they are, see `Field::is_secret`.
enum class Secrets { hidden, kept };

/// What stands for a secret.
inline constexpr std::string_view hidden_value = "(hidden)";

/// The same names, without the values.
inline std::map<std::string, std::string>
hide_values(std::map<std::string, std::string> x) {
  for (auto& [name, value] : x)
    value = hidden_value;
  return x;
}

/// The same options, without what stands behind the '='.
inline std::vector<std::string> hide_values(std::vector<std::string> x) {
  for (auto& option : x)
    if (auto end = option.find('='); end != std::string::npos)
      option.replace(end + 1, std::string::npos, hidden_value);
  return x;
}

} // namespace stoker
