#pragma once

#include <map>
#include <optional>
#include <vector>

#include "scheduling/jobs/executor_times.hpp"
#include "scheduling/jobs/jobs_config.hpp"

namespace stoker {

/// Who has said when that it is there, and who stands still.
///
/// Invariant: an executor is expected to speak, or is to be ended, or neither.
class SilentExecutors {
public:
  /// It speaks from now on. One that is to be ended stays so.
  void expect(int exec_id, Instant now);

  /// It has spoken. Of others than those that are expected to, this changes nothing.
  void hear(int exec_id, Instant now);

  /// It is not expected to speak any more: it was lost otherwise.
  void forget(int exec_id);

  /// The master has told of its end.
  void ended(int exec_id);

  /// Those that have been silent for too long by now. They are to be ended.
  ///
  /// If this is asked much later than was due, whoever asks stood still itself, and has not
  /// read yet what was said meanwhile: then nobody is, and all have the whole time again.
  std::vector<int> take_silent(const HeartbeatConfig& config, Instant now);

  /// Those that are to be ended, and of which that is due to be said, once more.
  std::vector<int> take_due(const HeartbeatConfig& config, Instant now);

  /// When the next one is taken if nothing else happens.
  [[nodiscard]] std::optional<Instant>
  next(const HeartbeatConfig& config) const;

  /// When each was heard that is expected to speak.
  [[nodiscard]] const std::map<int, Instant>& heard() const noexcept {
    return heard_.all();
  }

private:
  ExecutorTimes heard_;

  /// When it is to be said again that they are to be ended.
  ExecutorTimes to_end_;
};

} // namespace stoker
