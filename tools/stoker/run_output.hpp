#pragma once

// What `stoker run` shows: the instances' output, and how far they are.

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "embedding/run_observer.hpp"
#include "embedding/stop_signal.hpp"
#include "messages/result.hpp"
#include "network/address.hpp"
#include "tools/stoker/output_file.hpp"
#include "tools/stoker/output_order.hpp"
#include "tools/stoker/unfinished_line.hpp"

namespace stoker {

struct RunOutputOptions {
  /// Put "[index] " in front of each line.
  bool label = false;

  /// Say nothing but what the instances say.
  bool quiet = false;

  /// One JSON object a line instead.
  bool json = false;

  /// Where masters are looked for.
  std::vector<MasterAddress> masters;

  /// Write the output of the instances in the order of their indexes.
  bool keep_order = false;

  /// The directory in which output waits for its turn.
  std::string spool_directory;

  /// They start after others.
  bool has_dependencies = false;

  /// What is typed for them stands where a line of progress would.
  bool reads_terminal = false;

  /// Several instances write: a line is written when its end has come, so that lines of
  /// different instances do not mix.
  bool whole_lines = false;
};

/// What `stoker run` ends with.
struct RunEnd {
  int exit_status = 0;

  /// In one line; empty: its instances have ended well.
  std::string why;
};

/// The command's own exit status where that says how the run went.
RunEnd end_of_run(const RunOutcome& outcome);

/// Output goes to where it was written to, standard output or standard error;
/// news go to standard error, and a line of progress if that is a terminal.
class RunOutput : public RunObserver {
public:
  /// @param out,err Must outlive this object.
  RunOutput(RunOutputOptions options, OutputFile& out, OutputFile& err);

  /// Called once with why output cannot be written: it is of no use to go on.
  std::function<void(const std::string& why)> on_error;

  void news(const ApplicationNews& x) override;
  void failed(int index, const std::string& why) override;
  void attempt_begun(const BarrierAttemptBegun& x) override;
  void attempt_failed(const AttemptFailed& x, bool again) override;
  void output(int index, bool standard_error, std::string_view data) override;
  void output_ended(int index) override;
  void output_dropped(int index, bool standard_error,
                      std::int64_t bytes) override;
  void output_problem(int index, const std::string& why) override;
  void output_complete(int index) override;
  void progress(const RunCounts& x) override;

  /// Writes what still waits and lines that were left without an end, and clears the progress.
  /// @return Fails with `Errc::full` or `Errc::io` if output was lost because it could not wait.
  Status finish(const RunOutcome& outcome);

  /// Something could not be written because its reader did not read.
  [[nodiscard]] bool is_cut_off() const noexcept {
    return is_cut_off_;
  }

private:
  void show(const ApplicationConnected& x);
  void show(const ApplicationDisconnected& x);
  void show(const ApplicationSearches& x);
  void show(const ExecutorAdded& x);
  void show(const ExecutorUpdated& x);

  /// The outcome says why the application is dead; the loss of a worker alone
  /// means nothing to users.
  template <class Other>
  void show(const Other&) {
  }

  /// Writes what an instance has written, whose turn it is.
  void write_output(int index, bool standard_error, std::string_view data);
  void labelled(int index, bool standard_error, std::string_view data);
  void by_lines(int index, bool standard_error, std::string_view data);
  void write_unfinished(int index, bool standard_error);

  /// Writes whole lines, or a part that is left without an end. Begins a new line if another
  /// instance has written such a part.
  void write_part(int index, bool standard_error, std::string_view data);
  void write(bool standard_error, std::string_view data);

  /// Ends the run if output is lost, and remembers why.
  void require_kept(const Status& kept);

  /// Writes lines of an instance that were left without an end.
  void end_lines(int index);
  void print(const boost::json::object& event);

  /// News, where they are wanted.
  void say(const std::string& news);

  /// What has to be known even where news are not wanted.
  void warn(const std::string& news);
  void say_pending();
  void clear_progress();

  RunOutputOptions options_;
  OutputFile& out_;
  OutputFile& err_;

  /// Unset: output is written as it comes.
  std::optional<OutputOrder> order_;

  /// The first output that could not wait.
  Status kept_;
  bool terminal_;
  bool shows_progress_ = false;
  bool is_cut_off_ = false;
  std::string last_progress_;
  std::chrono::steady_clock::time_point started_;
  bool told_to_wait_ = false;

  /// A master knows of the run at present.
  bool is_connected_ = false;

  /// About an instance that failed. Not said when it turns out to be the end of
  /// the run, whose error says the same.
  std::string pending_;
  std::chrono::steady_clock::time_point pending_since_;

  /// Lines without their ends so far, by instance and stream.
  std::map<std::pair<int, bool>, std::string> unfinished_;

  /// The same of lines without labels.
  std::map<std::pair<int, bool>, UnfinishedLine> unlabelled_;

  /// The instance whose line was left without an end, of standard output and standard error.
  /// One for both if they are the same file.
  std::array<std::optional<int>, 2> open_lines_;
  bool is_one_file_ = false;
  bool told_of_parts_ = false;
};

} // namespace stoker
