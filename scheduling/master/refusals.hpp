#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scheduling/master/events.hpp"
#include "scheduling/master/step_result.hpp"

namespace stoker {

/// Somebody was not accepted: nothing is stored of it, and only he is told.
struct Refusal {
  /// "worker", "application" or "driver".
  std::string_view kind;

  /// For an operator's log, as EventLine::fields.
  std::string fields;

  friend bool operator==(const Refusal&, const Refusal&) = default;
};

/// Whether a step has refused who asked for it.
std::optional<Refusal> refusal_in(const Event& event, const StepResult& result);

} // namespace stoker
