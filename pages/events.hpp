#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pages/table.hpp"

namespace stoker::pages {

/// A line of what happened.
struct EventRow {
  std::uint64_t number = 0;
  std::int64_t at_ms = 0;
  std::string event;

  /// As EventLine has them: the first ones name what it is of.
  std::string fields;
  std::string decision;
  bool is_warning = false;
};

Table events_table(const std::vector<EventRow>& events, Paging paging);

} // namespace stoker::pages
