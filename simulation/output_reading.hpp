#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "messages/descriptions.hpp"
#include "messages/output.hpp"
#include "messages/result.hpp"
#include "scheduling/application/application_events.hpp"
#include "scheduling/application/output_progress.hpp"
#include "scheduling/application/run_progress.hpp"
#include "scheduling/common/wake_up.hpp"
#include "simulation/process.hpp"

namespace stoker::simulation {

class OutputReferee;

/// A run of instances whose reader takes output fast, slowly, or not at all for a time. It
/// has the product's RunProgress and OutputProgress, and imitates what is around them
/// (embedding/application_run.cpp, embedding/output_collector.cpp).
class OutputReading {
public:
  using OnAnswer = std::function<void(Result<OutputResponse>)>;
  using Ask = std::function<void(const RequestOutput& x, OnAnswer on_answer)>;

  /// @param ask Asks a worker, by way of the master.
  /// @param over Called when the run has to leave.
  OutputReading(Process& process, Instances instances, OutputReferee& referee,
                Ask ask, std::function<void()> over);

  // What the master says.
  void learn(const ApplicationConnected& x);
  void learn(const ExecutorAdded& x);
  void learn(const ExecutorUpdated& x);
  void learn(const ApplicationDead& x);

  /// From now on the reader takes at most `bytes_per_second` bytes in a second.
  /// @param lasts How long. Then it is as fast as before.
  void read_slowly(std::int64_t bytes_per_second, Duration lasts);

  /// From now on the reader takes nothing.
  /// @param lasts Nothing: for ever.
  void stop(std::optional<Duration> lasts);

  /// The reader takes all again, unless it has stopped for ever.
  void read_on();

  [[nodiscard]] bool stopped_for_ever() const noexcept {
    return stopped_for_ever_;
  }
  [[nodiscard]] bool is_over() const {
    return progress_.over() && open_.empty() && waiting_.empty();
  }

  /// Returns true if the run has to say that something is missing.
  [[nodiscard]] bool incomplete() const {
    return incomplete_ || !open_.empty();
  }
  [[nodiscard]] const RunProgress& progress() const noexcept {
    return progress_;
  }

private:
  void go_on();
  void answered(const WorkerId& worker, Result<OutputResponse> x);
  void hand_over(std::vector<OutputNews> news, bool lost = false);
  void take();
  struct Waiting {
    OutputNews news;

    /// It is about an executor that was lost.
    bool lost = false;
  };

  void deliver(const Waiting& x);
  void listen();
  void end_if_over();

  Process& process_;
  OutputReferee& referee_;
  Ask ask_;
  std::function<void()> over_;

  std::optional<AppId> app_id_;
  RunProgress progress_;
  OutputProgress output_;
  WakeUp wake_up_;

  /// What has come and was not taken by the reader, and how many bytes that are.
  std::deque<Waiting> waiting_;
  std::int64_t unconsumed_ = 0;

  /// Executors of which more may come. One that was lost and found again is here twice
  /// until its loss has been dealt with.
  std::multiset<int> open_;
  bool incomplete_ = false;

  // The reader.
  std::optional<std::int64_t> bytes_per_second_;
  std::uint64_t changes_ = 0;
  bool stopped_ = false;
  bool stopped_for_ever_ = false;
  bool takes_ = false;

  /// The application is over; and when it brought something last.
  bool dead_ = false;
  Instant heard_;
  bool has_ended_ = false;
};

} // namespace stoker::simulation
