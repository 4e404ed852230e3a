#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "messages/describe.hpp"

namespace stoker {

/// A number of one kind of thing, counted from 0. A strong type: a stage's number
/// cannot be passed where a job's is expected.
template <class Tag>
struct Number {
  std::int32_t value = 0;

  friend auto operator<=>(const Number&, const Number&) = default;

  template <class Inspector>
  friend auto inspect(Inspector& f, Number& x) {
    return f(x.value);
  }
};

template <class Tag>
std::string to_string(Number<Tag> x) {
  return std::to_string(x.value);
}

/// Jobs and stages count up in each application; numbers are not used again.
using JobId = Number<struct JobTag>;
using StageId = Number<struct StageTag>;

/// One try at one task of a stage, and the output that it leaves. Attempts count up
/// from 0 for each task, whatever became of those before, so that what is said of
/// an earlier one is never taken for a later one's.
struct TaskAttempt {
  StageId stage;

  /// Of the task in its stage, from 0.
  std::int32_t task = 0;
  std::int32_t attempt = 0;

  friend auto operator<=>(const TaskAttempt&, const TaskAttempt&) = default;
};
BOOST_DESCRIBE_STRUCT(TaskAttempt, (), (stage, task, attempt))

/// "stage 3 task 17 attempt 0"
inline std::string to_string(const TaskAttempt& x) {
  return "stage " + to_string(x.stage) + " task " + std::to_string(x.task)
         + " attempt " + std::to_string(x.attempt);
}

} // namespace stoker

template <class Tag>
struct std::hash<stoker::Number<Tag>> {
  std::size_t operator()(stoker::Number<Tag> x) const noexcept {
    return std::hash<std::int32_t>{}(x.value);
  }
};
