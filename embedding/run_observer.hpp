#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "scheduling/application/application_events.hpp"
#include "scheduling/jobs/job_events.hpp"

namespace stoker {

/// How far the instances of an application are.
struct RunCounts {
  int count = 0;
  int done = 0;

  /// Have failed for good, while the others go on.
  int gave_up = 0;
  int running = 0;

  /// Nothing more will happen; and why: it has failed, was removed, or the like.
  bool over = false;
  bool failed = false;
};

/// Sees instances of an application run. Called on the thread that waits for their end.
class RunObserver {
public:
  virtual ~RunObserver() = default;

  /// What the application learns about itself, without what it knew before.
  virtual void news(const ApplicationNews& x) {
    static_cast<void>(x);
  }

  /// An instance ended otherwise than it should.
  virtual void failed(int index, const std::string& why) {
    static_cast<void>(index);
    static_cast<void>(why);
  }

  /// Of instances that begin together: they do.
  virtual void attempt_begun(const BarrierAttemptBegun& x) {
    static_cast<void>(x);
  }

  /// Of instances that begin together: one ended otherwise than it should, and with it the
  /// attempt.
  /// @param again All are started again.
  virtual void attempt_failed(const AttemptFailed& x, bool again) {
    static_cast<void>(x);
    static_cast<void>(again);
  }

  /// What instance `index` wrote, as it comes. One that takes its time makes the
  /// instances wait when they are far ahead, unless output may be dropped.
  virtual void output(int index, bool standard_error, std::string_view data) {
    static_cast<void>(index);
    static_cast<void>(standard_error);
    static_cast<void>(data);
  }

  /// Nothing more comes of what the instance wrote, unless it is started again.
  virtual void output_ended(int index) {
    static_cast<void>(index);
  }

  /// So many bytes of what it wrote were dropped, here.
  virtual void output_dropped(int index, bool standard_error,
                              std::int64_t bytes) {
    static_cast<void>(index);
    static_cast<void>(standard_error);
    static_cast<void>(bytes);
  }

  /// Why it waits to write more, or why the end of its output is missing.
  virtual void output_problem(int index, const std::string& why) {
    static_cast<void>(index);
    static_cast<void>(why);
  }

  /// No more output of it comes. Called in the order of the instances that start one by one;
  /// those that begin together all end with the run.
  virtual void output_complete(int index) {
    static_cast<void>(index);
  }

  /// Called now and then.
  virtual void progress(const RunCounts&) {
  }
};

struct RunOutcome {
  /// `finished`: no instance is left. `stopped`: interrupted before that.
  EndReason reason = EndReason::finished;

  /// As for a process: 0, or what the command that failed ended with.
  int exit_status = 0;

  /// In one line; empty if all instances are done, or it was stopped. If it has finished:
  /// which instances failed while the others went on.
  std::string error;

  /// Some output could not be brought, and was not to be dropped.
  bool output_incomplete = false;

  /// No master could be told of its end: what runs is ended when one misses it.
  bool is_left_running = false;
};

} // namespace stoker
