#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "messages/describe.hpp"

namespace stoker {

/// Where the tasks of an application's stages had better run.
struct LocalityHints {
  /// Tasks that prefer any host.
  std::int64_t tasks = 0;

  /// Per host the number of tasks that prefer it. A task may prefer several.
  std::map<std::string, std::int64_t> by_host;

  friend bool operator==(const LocalityHints&, const LocalityHints&) = default;
};
BOOST_DESCRIBE_STRUCT(LocalityHints, (), (tasks, by_host))

} // namespace stoker
