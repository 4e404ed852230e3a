#pragma once

#include <boost/json.hpp>

namespace stoker {

/// Replaces the values of all environment variables in a message's JSON, which
/// may be secrets. For everything that people read: logs and traces. Decisions
/// do not depend on them, so a log without them replays as it was.
inline void hide_secrets(boost::json::value& x) {
  if (auto* array = x.if_array()) {
    for (auto& element : *array)
      hide_secrets(element);
    return;
  }
  auto* object = x.if_object();
  if (object == nullptr)
    return;
  for (auto& [name, value] : *object) {
    auto* variables = name == "environment" ? value.if_object() : nullptr;
    if (variables == nullptr)
      hide_secrets(value);
    else
      for (auto& variable : *variables)
        variable.value() = "(hidden)";
  }
}

} // namespace stoker
