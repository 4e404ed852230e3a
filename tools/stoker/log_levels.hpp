#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <spdlog/common.h>

#include "messages/result.hpp"

namespace stoker {

/// From which level on lines of a log are written, by what they are of. A part is the
/// name of an event, or how names begin up to a '-': "spark" is that of "spark-driver".
class LogLevels {
public:
  using Level = spdlog::level::level_enum;

  /// The same for all.
  explicit LogLevels(Level all = spdlog::level::info) : all_(all) {
  }

  /// "warn", "warn,spark=info,executor=off": a level for all, others for parts. Fails with
  /// one line, also where no event is of a part.
  static Result<LogLevels> parse(std::string_view text, Level all);

  /// That of the longest part that an event is of.
  /// @param event empty: of none
  [[nodiscard]] Level of(std::string_view event) const;

  /// The lowest of all.
  [[nodiscard]] Level lowest() const;

private:
  Level all_;
  std::map<std::string, Level, std::less<>> parts_;
};

/// The event that stands in brackets in front of a line; empty: there is none.
std::string_view event_of(std::string_view line);

} // namespace stoker
