#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduling/master/events.hpp"
#include "scheduling/master/step_result.hpp"

namespace stoker {

// One line for people: the name, then each field that is set and not empty, as
// `field=value`. For traces, logs and failing tests.

std::string to_string(const Event& x);
std::string to_string(const OutgoingMessage& x);

/// Calls `line` with each thing that follows, as text, in the order in which it
/// is done: what is stored, the messages, the wake-up. The text is valid during
/// the call.
void for_each_line(const StepResult& x,
                   const std::function<void(std::string_view line)>& line);

/// The same, one line each.
std::vector<std::string> to_lines(const StepResult& x);

/// Names the record, with its state: "app-...-0001 RUNNING".
std::string to_string(const Change& x);

} // namespace stoker
