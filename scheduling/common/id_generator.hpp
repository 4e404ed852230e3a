#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scheduling/common/instant.hpp"

namespace stoker {

/// Makes ids as Spark's master does: `app-20261121074600-0001`.
class IdGenerator {
public:
  /// For the second of `now`; `number` counts up and has at least four digits.
  std::string make(std::string_view kind, Instant now, std::uint32_t number);

private:
  // What ids of one second have in common.
  std::string date_;
  std::optional<std::chrono::sys_seconds> date_of_;
};

} // namespace stoker
