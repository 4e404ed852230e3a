#pragma once

// What `stoker job` shows: results, and how far its stages are.

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "embedding/job_session.hpp"
#include "tools/stoker/output_file.hpp"

namespace stoker {

struct JobOutputOptions {
  /// Say nothing but results and failures.
  bool quiet = false;

  /// One JSON object a line instead.
  bool json = false;

  /// Where masters are looked for.
  std::vector<MasterAddress> masters;
};

/// Results go to standard output. News go to standard error, with a line at the end of
/// how it went, and a bar of progress for each stage if that is a terminal.
class JobOutput {
public:
  /// @param job Outlives this.
  /// @param out,err Must outlive this object.
  JobOutput(JobOutputOptions options, const JobSpec& job, OutputFile& out,
            OutputFile& err);

  void news(const JobNews& x);

  /// A result, piece by piece, in order. Fails when it cannot be written.
  Status result(const TaskAttempt& id, std::string_view bytes);

  /// Called now and then.
  void progress(const std::map<StageId, StageProgress>& stages, int executors);

  /// Clears the bars, and says how it went.
  void finish(const JobEnded& end,
              const std::map<StageId, StageProgress>& stages);

private:
  using Clock = std::chrono::steady_clock;

  void show(const ResultArrived&) {
  }
  void show(const JobEnded&) {
  }
  void show(const OutputNews&) {
  }
  void show(const StageStarted& x);
  void show(const StageCompleted& x);
  void show(const AttemptFailed& x);
  void show(const OutputsLost& x);
  void show(const BarrierAttemptBegun& x);
  void show(const ApplicationNews& x);

  [[nodiscard]] std::string name_of(StageId id) const;
  [[nodiscard]] std::string bar(StageId id, const StageProgress& x) const;
  void print(const boost::json::object& event);
  void say(const std::string& text);
  void clear_bars();

  JobOutputOptions options_;
  const JobSpec& job_;
  OutputFile& out_;
  OutputFile& err_;
  bool terminal_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point drawn_;
  int lines_drawn_ = 0;
  bool told_to_wait_ = false;
  std::map<StageId, Clock::time_point> stage_started_;

  /// Failures that were not worth a line of their own.
  int failures_ = 0;
};

/// "[=====>    ]  3/10, 2 running, 1 failed, 4.5/s, 2 s left"
std::string progress_bar(const StageProgress& x, double seconds, int width);

} // namespace stoker
