#pragma once

// What `stoker top` shows of a cluster; pure.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/administration.hpp"

namespace stoker {

enum class TopOrder { cores, memory, name };

struct TopView {
  /// Most of it first; by name from a to z.
  TopOrder order = TopOrder::cores;

  /// What fits, in cells of a line and lines. Unset: all there is.
  std::optional<std::size_t> width;
  std::optional<std::size_t> height;

  /// Milliseconds since 1970.
  std::int64_t now_ms = 0;

  /// Why applications wait, as far as somebody has asked.
  std::map<AppId, std::string> reasons;

  /// Why what is shown is not the present state; empty: it is.
  std::string problem;

  /// What keys do; empty: there are none.
  std::string hint;
};

/// Lines without their ends, as many as fit: what is used in all, then workers, then what is
/// there of applications and drivers. Each part gets its share of the lines; where columns do
/// not fit, those that matter least are shortened or left out. What is left of the lines says
/// why applications wait.
std::vector<std::string> top_lines(const MasterStateResponse& state,
                                   const TopView& view);

/// "[#####-----]", so many characters between brackets.
std::string usage_bar(std::int64_t used, std::int64_t total, std::size_t width);

} // namespace stoker
