#pragma once

#include <string>

#include "scheduling/master/effects.hpp"
#include "scheduling/master/events.hpp"

namespace stoker {

// One line for people: the name, then each field that is set and not empty, as
// `field=value`. For traces, logs and failing tests.

std::string to_string(const Event& x);
std::string to_string(const Effect& x);

/// Adds what `to_string` returns.
void append_text(std::string& out, const Effect& x);

/// Names the record, with its state: "app-...-0001 RUNNING".
std::string to_string(const Change& x);

} // namespace stoker
