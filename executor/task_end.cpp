#include "executor/task_end.hpp"

#include <string.h>

namespace stoker::executor {

namespace {

struct OutcomeText {
  std::string operator()(const Exited& x) const {
    return "exited with " + std::to_string(x.code);
  }
  std::string operator()(const Signalled& x) const {
    const auto* name = ::sigabbrev_np(x.signal);
    return "ended by signal " + std::to_string(x.signal)
           + (name ? std::string{" ("} + name + ")" : std::string{});
  }
  std::string operator()(const CouldNotStart& x) const {
    return std::string{x.in_directory ? "cannot enter '" : "cannot start '"}
           + x.path + "': " + ::strerror(x.error);
  }
  std::string operator()(const Killed& x) const {
    return "killed: " + x.reason;
  }
  std::string operator()(const InputFailed& x) const {
    return "its input failed: " + x.error.message;
  }
  std::string operator()(const OutputFailed& x) const {
    return "its output failed: " + x.error.message;
  }
};

} // namespace

bool succeeded(const TaskEnd& end) {
  return end.outcome == TaskOutcome{Exited{0}};
}

std::string to_string(const TaskOutcome& outcome) {
  return std::visit(OutcomeText{}, outcome);
}

} // namespace stoker::executor
