#pragma once

// What `stoker run` shows: the instances' output, and how far they are.

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "embedding/application_run.hpp"
#include "tools/stoker/stop_signal.hpp"

namespace stoker {

struct RunOutputOptions {
  /// Put "[index] " in front of each line.
  bool label = false;

  /// Say nothing but what the instances say.
  bool quiet = false;

  /// One JSON object a line instead.
  bool json = false;
};

/// Output goes to where it was written to, standard output or standard error;
/// news go to standard error, and a line of progress if that is a terminal.
class RunOutput : public RunObserver {
public:
  explicit RunOutput(RunOutputOptions options);

  void news(const ApplicationNews& x, const RunProgress& progress) override;
  void output(int index, bool standard_error, std::string_view data) override;
  void progress(const RunProgress& x) override;

  /// Writes lines that were left without an end, and clears the progress.
  void finish(const RunOutcome& outcome);

private:
  void show(const ApplicationConnected& x, const RunProgress& progress);
  void show(const ApplicationDisconnected& x, const RunProgress& progress);
  void show(const ApplicationSearches& x, const RunProgress& progress);
  void show(const ExecutorAdded& x, const RunProgress& progress);
  void show(const ExecutorUpdated& x, const RunProgress& progress);

  /// The outcome says why the application is dead; the loss of a worker alone
  /// means nothing to users.
  template <class Other>
  void show(const Other&, const RunProgress&) {
  }

  void labelled(int index, bool standard_error, std::string_view data);
  void say(const std::string& news);
  void say_pending();
  void clear_progress();

  RunOutputOptions options_;
  bool terminal_;
  bool shows_progress_ = false;
  std::string last_progress_;
  std::chrono::steady_clock::time_point started_;
  bool told_to_wait_ = false;

  /// About an instance that failed. Not said when it turns out to be the end of
  /// the run, whose error says the same.
  std::string pending_;

  /// Lines without their ends so far, by instance and stream.
  std::map<std::pair<int, bool>, std::string> unfinished_;
};

} // namespace stoker
