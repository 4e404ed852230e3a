#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messages/errc.hpp"
#include "messages/executor.hpp"
#include "messages/instant.hpp"
#include "messages/output.hpp"

namespace stoker {

/// Something about the output of an executor.
struct OutputNews {
  int exec_id = 0;
  bool standard_error = false;
  std::string data;

  /// Bytes before `data` that the executor wrote and that were not kept.
  std::int64_t dropped = 0;

  /// Why the executor waits to write more.
  std::optional<std::string> problem;

  /// Nothing more comes of this executor, of neither stream.
  bool closed = false;

  /// Of `closed`: why something is missing at the end.
  std::optional<std::string> loss;
};

/// How much of what its executors write an application has, and what to ask for
/// next. One request at a time is under way to each worker, for all of its
/// executors: it waits there until there is something to tell. A request that only names
/// executors which are not read any more is answered at once.
class OutputProgress {
public:
  /// What a worker may take to tell that there is nothing new.
  static constexpr Duration wait = std::chrono::seconds{10};

  /// What a worker may take to register again that has told of an executor: until
  /// then its master believes it to be lost. As long as a broken connection may last
  /// by default (`stoker.reconnect.timeout`).
  static constexpr Duration return_patience = std::chrono::seconds{13};

  /// A worker that comes back may keep output that is not read any more. After this time the
  /// application names it: before, the master may find the executors again.
  static constexpr Duration unread_after = return_patience;

  /// How long each of these executors is named: by then it has ended.
  static constexpr Duration unread_for = std::chrono::seconds{30};

  /// The longest pause between requests to a worker that is away and has nothing to read.
  static constexpr Duration longest_unread_pause = std::chrono::minutes{5};

  void is_application(const AppId& id);

  void started(int exec_id, const WorkerId& worker);

  /// The executor's program runs, or ran: the worker has output of it.
  void ran(int exec_id);

  /// The master has said so.
  std::vector<OutputNews> ended(int exec_id, ExecutorState state);

  /// One that was lost, as the master has said, was not: what it has written
  /// since, or will write, is asked for again.
  std::vector<OutputNews> found_again(Instant now, int exec_id);

  /// The application is over, and the master tells nothing more of its executors: the
  /// workers' word counts.
  void application_is_over();

  /// Gives up all that is not complete, as lost.
  std::vector<OutputNews> give_up(const std::string& why);

  /// What to ask for now.
  /// @param room How many bytes the answers to all requests under way may have.
  std::vector<RequestOutput> next_requests(Instant now, std::int64_t room);

  std::vector<OutputNews> answered(Instant now, const WorkerId& worker,
                                   OutputResponse answer);

  /// @param code Errc::not_found: the worker is lost.
  std::vector<OutputNews> failed(Instant now, const WorkerId& worker, Errc code,
                                 const std::string& why);

  /// When to ask `next_requests` again although nothing has happened.
  [[nodiscard]] std::optional<Instant> due(Instant now) const;

private:
  struct Stream {
    std::int64_t offset = 0;
    bool complete = false;
    std::optional<std::string> loss;
  };

  struct Executor {
    WorkerId worker;

    /// Standard output, standard error.
    std::array<Stream, 2> streams;

    /// Set when the master has said that it has ended.
    std::optional<ExecutorState> end;

    /// What has never run has written nothing.
    bool ran = false;
    std::optional<std::string> problem;

    /// Of one that was lost: its worker may not have registered again yet.
    std::optional<Instant> found_again;
  };

  struct Worker {
    /// Whose output is not complete.
    std::set<int> executors;

    /// The executor that a request begins with, when not all have room in one.
    int next = 0;

    /// Complete, but the worker does not know it.
    std::set<int> taken;

    /// Executors that were lost with the worker, or whose output was given up. If the worker
    /// comes back, it keeps their output, lets others wait that run there, and does not leave
    /// once it is decommissioned. Each with the time when the worker was told first that
    /// nothing more is read.
    std::map<int, std::optional<Instant>> unread;

    /// The executor of these that a request begins with.
    int next_unread = 0;

    /// When the worker answered first after its return.
    std::optional<Instant> back_since;

    /// When to ask it next if there is nothing to read.
    std::optional<Instant> unread_due;
    Duration unread_pause = wait;

    /// The executors of `unread` that the request under way names.
    std::vector<int> named;

    /// Of the request that is under way, if one is: bytes that the answer may
    /// have.
    std::optional<std::int64_t> asked;

    /// Set after a failure.
    std::optional<Instant> not_before;
    Duration pause{};
  };

  using Workers = std::map<WorkerId, Worker>;

  [[nodiscard]] RequestOutput request_to(Instant now,
                                         Workers::value_type& worker,
                                         std::int64_t limit) const;
  void name_unread(Instant now, Worker& worker, RequestOutput& request) const;
  [[nodiscard]] static bool is_read(const Worker& x);

  /// Returns when a worker can be asked. Returns std::nullopt if it can be asked at once.
  [[nodiscard]] static std::optional<Instant> due_of(const Worker& x);
  void take(OutputPart& part, std::vector<OutputNews>& news);
  static void heard_unread(Instant now, Worker& worker);
  void close(int exec_id, std::optional<std::string> loss,
             std::vector<OutputNews>& news);
  static void pause(Instant now, Worker& worker);
  void remember_unread(const WorkerId& id, int exec_id);

  /// Has a worker asked when it can be.
  void ask(const WorkerId& id);

  AppId app_id_;
  bool application_is_over_ = false;
  std::map<int, Executor> executors_;

  /// Those that were lost, as far as they were read.
  std::map<int, Executor> lost_;
  Workers workers_;

  /// Workers to ask, now or after their pause: of those no request is under way.
  std::set<WorkerId> to_ask_;

  /// The sum of what answers may bring.
  std::int64_t bytes_asked_ = 0;
};

} // namespace stoker
