#pragma once

#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "storage/message_log_format.hpp"
#include "storage/task_log_format.hpp"

namespace stoker {

/// What of a message log to show.
struct LogFilter {
  /// Ids; empty: everything.
  std::set<std::string> names;

  /// Numbers of steps.
  std::uint64_t from = 1;
  std::uint64_t to = UINT64_MAX;
};

/// Shows the steps of a log that say something of those who are named: by their
/// ids, and by the endpoints that they turn out to have; in a task scheduler's log,
/// by the executors of a worker.
class LogPrinter {
public:
  LogPrinter(std::ostream& out, LogFilter filter, bool json)
      : out_(out), filter_(std::move(filter)), json_(json) {
  }

  /// Steps are told in order, all of them.
  void print(const LoggedStep& step);
  void print(const LoggedJobsStep& step);

  /// Whether one of them was what the filter asks for.
  [[nodiscard]] bool has_shown() const {
    return has_shown_;
  }

private:
  void learn_endpoints(const LoggedStep& step);
  void learn_endpoints(const LoggedJobsStep& step);

  template <class Step>
  void print_step(const Step& step);
  [[nodiscard]] bool names_any(std::string_view text) const;

  std::ostream& out_;
  LogFilter filter_;
  bool json_;
  bool has_shown_ = false;
  /// Or "exec_id=3".
  std::set<std::string> endpoints_;
};

/// Whether `text` has `name` as a word of its own, not as a part of another id.
bool has_word(std::string_view text, std::string_view name);

} // namespace stoker
