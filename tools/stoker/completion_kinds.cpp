#include "tools/stoker/completion_kinds.hpp"

namespace stoker {

std::string completion_kind(const DescribedValue& value) {
  switch (value.kind) {
  case ValueKind::none:
    return "none";
  case ValueKind::text:
    return "text";
  case ValueKind::file:
    return "file";
  case ValueKind::directory:
    return "directory";
  case ValueKind::choice:
  case ValueKind::choices: {
    std::string result
        = value.kind == ValueKind::choice ? "choice:" : "choices:";
    for (const auto& x : value.choices)
      result += (&x == &value.choices.front() ? "" : ",") + x;
    return result;
  }
  case ValueKind::application:
    return "application";
  case ValueKind::live_application:
    return "live-application";
  case ValueKind::worker:
    return "worker";
  case ValueKind::id:
    return "id";
  case ValueKind::live_id:
    return "live";
  case ValueKind::output_id:
    return "output";
  case ValueKind::variable:
    return "variable";
  case ValueKind::shown:
    return "shown";
  case ValueKind::command:
    return "command";
  }
  return "text";
}

} // namespace stoker
