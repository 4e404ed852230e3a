#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messages/executor.hpp"
#include "messages/leader_epoch.hpp"
#include "messages/states.hpp"
#include "scheduling/allocation/executor_failures.hpp"
#include "scheduling/allocation/preferred_hosts.hpp"

namespace stoker {

/// How the book is kept. The defaults are the product's.
struct ExecutorRequestsConfig {
  /// How long an executor's failure counts [spark.executor.failuresValidityInterval].
  /// Unset: for good.
  std::optional<Duration> failures_validity;

  /// Tasks that an executor runs at once, at least 1: spark.executor.cores /
  /// spark.task.cpus.
  int slots = 1;

  /// An executor that comes unasked runs as well: its work would be lost.
  bool gives_none_back = false;

  /// Keeps the book as YARN's allocator does, to compare with it. Then
  /// - what is pending follows the wish only in `update_requests`, not at once;
  /// - an executor that comes while enough run, though one was asked for, is neither
  ///   counted nor given back;
  /// - an end that is reported again counts as another failure.
  bool as_yarn = false;
};

/// What an application wants of the master, and what has become of it: the book that
/// stands between whoever decides how many executors there should be and the master.
///
///     request_total      granted             kill             ended
///     -------------> pending ---> running ---------> released ------>
///                            \         \----------------------------> over
///                             \--> released (more than wanted) ----->
///
/// An executor's number is never used again, so that whatever is said of one that is
/// over changes nothing. Requests and kills are sent to the leader that is known, and
/// again to the next one, or when the connection broke, until they are answered or
/// have had their effect: both may be repeated without harm.
///
/// Invariants: each executor is running or released, and in no other book; pending is
/// at least 0; unless `as_yarn`, pending + running is the larger one of the wish and
/// running.
class ExecutorRequests {
public:
  /// @param total The wish at the start.
  ExecutorRequests(const ExecutorRequestsConfig& config, int total);

  // -- what is wanted ---------------------------------------------------------

  /// So many executors are wanted in all, at least 0. A lower wish ends none.
  /// @param local Replaces what was said before; unset: that stays.
  /// @param gang Fewer executors than so many are of no use; unset: as before.
  /// @returns Whether the number is another than before.
  bool request_total(int total, std::optional<LocalityHints> local = {},
                     std::optional<int> gang = {});

  /// Lets what is pending follow the wish. Only `as_yarn` this has to be called.
  void update_requests();

  /// What became of a kill.
  struct Kill {
    /// Counted as running before.
    std::vector<int> released;

    /// Told to end before, and not ended yet.
    std::vector<int> released_before;

    /// Not known, or over. Nothing follows.
    std::vector<int> unknown;
  };

  /// These are to end, and do not count as running any more. The wish stays.
  Kill kill(const std::vector<int>& exec_ids);

  /// The application ends: failures do not count from now on.
  void shut_down() {
    shuts_down_ = true;
  }

  // -- what the master says ---------------------------------------------------

  /// What becomes of an executor that has come.
  enum class Grant {
    runs,

    /// Nobody asked for it, or enough run: it is to end.
    given_back,

    /// It is known already, or over.
    known,

    /// Only `as_yarn`: one was asked for, but enough run. Nobody knows of it.
    left_alone,
  };

  /// The master has given the application an executor, or says so again.
  Grant granted(int exec_id, const std::string& host);

  enum class End {
    /// It was told to end.
    expected,

    /// Nobody has told it to.
    unexpected,

    /// It is not known, or over.
    unknown,
  };

  /// An executor has ended.
  /// @param is_failure As `is_failure` below says.
  End ended(Instant now, int exec_id, bool is_failure);

  // -- the leader -------------------------------------------------------------

  /// This leader is followed from now on, over a new connection. All that may not have
  /// been heard is to be sent again, and the leader's list of executors begins. One of
  /// an earlier epoch changes nothing.
  /// @returns Whether it is followed.
  bool leader_is(LeaderEpoch epoch);

  /// All executors have been named by `granted` since `leader_is`: those that were not
  /// are over.
  /// @returns Those that nobody has told to end.
  std::vector<int> list_is_complete(LeaderEpoch epoch);

  /// The connection to the leader is gone: nothing can be sent.
  void leader_is_lost() {
    has_leader_ = false;
  }

  // -- what is to be sent -----------------------------------------------------

  /// To be sent as RequestExecutors. `number` counts up, whoever leads.
  struct Request {
    std::uint64_t number = 0;
    LeaderEpoch epoch;
    int total = 0;

    /// How many executors are wanted on which hosts in all, those that are there
    /// included. Unset: nobody has said where tasks had better run.
    std::optional<std::map<std::string, int>> hosts;

    /// Fewer executors are of no use. Unset: they never were.
    std::optional<int> gang;
  };

  /// What the leader is to be told of the wish; nothing if it was, or there is no
  /// leader. Counts as sent then.
  std::optional<Request> take_request();

  /// The leader's answer; none in time is as good as `false`. An answer to an earlier
  /// request, or of an earlier leader, changes nothing.
  /// @returns Whether it counts. One that was refused is there to be sent again.
  bool request_answered(const Request& request, bool accepted);

  /// Whether the leader has acknowledged the wish as it stands.
  [[nodiscard]] bool is_acknowledged() const noexcept {
    return acknowledged_;
  }

  /// To be sent as KillExecutors.
  struct Kills {
    LeaderEpoch epoch;
    std::vector<int> exec_ids;
  };

  /// Executors that the leader is to be told to end; nothing if it was told of all, or
  /// there is no leader. They count as told then.
  std::optional<Kills> take_kills();

  /// The leader's answer. Refused: those that ran before run on, and the others are to
  /// be sent again. An answer of an earlier leader changes nothing. Without an answer it
  /// is not known what became of it: the next `leader_is` lets it be sent again.
  /// @returns Whether it counts.
  bool kills_answered(const Kills& kills, bool accepted);

  // -- figures ----------------------------------------------------------------

  struct Executor {
    std::string host;

    /// It is to end.
    bool released = false;

    /// It has run. Others were given back as they came.
    bool has_run = true;

    /// The present leader knows that it is to end.
    bool kill_sent = false;

    /// The present leader has named it.
    bool named = true;
  };

  /// Those that are not over, by number.
  [[nodiscard]] const std::map<int, Executor>& executors() const noexcept {
    return executors_;
  }

  [[nodiscard]] int wanted() const noexcept {
    return total_;
  }

  /// Asked for and not there.
  [[nodiscard]] int pending() const noexcept {
    return pending_;
  }
  [[nodiscard]] int running() const noexcept {
    return running_;
  }

  /// Told to end, and not ended as far as is known.
  [[nodiscard]] int released() const noexcept {
    return static_cast<int>(executors_.size()) - running_;
  }

  /// Failures that count.
  [[nodiscard]] int failures(Instant now) const {
    return failures_.count(now);
  }

  /// Executors that have ended without having been told to, ever.
  [[nodiscard]] int unexpected_ends() const noexcept {
    return unexpected_ends_;
  }

  /// What is not as it should be, in one line.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  void follow_wish();
  void release(Executor& x);
  void end(std::map<int, Executor>::iterator i);
  [[nodiscard]] bool is_over(int exec_id) const;
  void note_over(int exec_id);
  [[nodiscard]] std::map<std::string, int> running_on_hosts() const;

  ExecutorRequestsConfig config_;
  int total_;
  std::optional<LocalityHints> local_;
  std::optional<int> gang_;
  int pending_ = 0;
  int running_ = 0;
  std::map<int, Executor> executors_;
  ExecutorFailures failures_;
  int unexpected_ends_ = 0;
  bool shuts_down_ = false;

  /// All below `over_below_` are over, and these.
  int over_below_ = 0;
  std::set<int> over_;

  LeaderEpoch epoch_;
  bool has_leader_ = false;
  bool list_is_open_ = false;

  /// Whether the leader was sent the wish as it stands, and has acknowledged it.
  bool sent_ = false;
  bool acknowledged_ = false;
  std::uint64_t requests_ = 0;
};

/// Whether an end counts as an executor's failure: by itself with another exit code
/// than 0, also by a signal, or without having run. Not if its worker was lost or
/// leaves, which ends it for the application as well, or somebody has asked for it.
bool is_failure(const ExecutorUpdated& x);

} // namespace stoker
