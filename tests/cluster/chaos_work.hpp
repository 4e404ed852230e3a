#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scheduling/common/random.hpp"
#include "tests/cluster/chaos_cluster.hpp"
#include "tests/cluster/chaos_lines.hpp"

namespace stoker::test {

/// Users of a cluster in trouble, and what they were promised: a model of what
/// was acknowledged, against which the cluster is checked.
class ChaosWork {
public:
  ChaosWork(ChaosCluster& cluster, std::uint64_t seed);

  /// Looks after commands that have ended, and starts others now and then.
  void step(std::chrono::milliseconds now);

  /// Starts nothing new from now on.
  void wind_down();

  /// Whether all has ended that was started, and the cluster is well. Kills
  /// what would never end.
  [[nodiscard]] bool is_done();

  /// Compares what was promised with what is there at the end.
  void check_promises();

  /// What was not as it should be, for people.
  [[nodiscard]] const std::vector<std::string>& broken() const noexcept {
    return broken_;
  }

  /// What has been done, for people.
  [[nodiscard]] std::string summary() const;

private:
  /// `stoker run` with instances that write when they start and end.
  struct Run {
    std::string name;
    int instances = 0;
    Process* client = nullptr;
    /// When the client is killed, where it is.
    std::optional<std::chrono::milliseconds> abandoned;
    bool ended = false;
  };

  /// `stoker submit`.
  struct Submission {
    std::string name;
    bool supervised = false;
    /// Runs until it is killed.
    bool lasting = false;
    Process* client = nullptr;
    bool answered = false;
    /// If it was acknowledged.
    std::string id;
    /// Somebody has asked for its end.
    bool to_be_killed = false;
    /// And it was promised.
    bool killed = false;
  };

  struct Kill {
    std::string id;
    Process* client = nullptr;
  };

  /// `stoker status`, with what was known when it was started.
  struct Look {
    Process* client = nullptr;
    ChaosCluster::Clock::time_point begin;
    std::set<std::string> acknowledged;
    std::map<std::string, std::string> ends;
  };

  void start_something(std::chrono::milliseconds now);
  void start_run(std::chrono::milliseconds now);
  void start_submission();
  void start_kill();
  void start_look();

  void look_after_runs(std::chrono::milliseconds now);
  void look_after_submissions();
  void look_after_kills();
  void look_after_looks();
  void judge(const Look& look);

  void check_run(const Run& run);
  void check_submission(const Submission& x, const boost::json::object& state);
  [[nodiscard]] bool may_be_lost(const std::vector<ChaosLine>& lines,
                                 const boost::json::value& driver) const;
  void check_twice(const Run& run, const ChaosLine& line,
                   const std::vector<ChaosLine>& lines);

  [[nodiscard]] std::string pause(int from_ms, int to_ms);
  [[nodiscard]] std::size_t clients();

  ChaosCluster& cluster_;
  Random random_;
  std::chrono::milliseconds next_{};
  bool winding_down_ = false;
  int names_ = 0;
  std::vector<Run> runs_;
  std::vector<Submission> submissions_;
  std::vector<Kill> kills_;
  std::vector<Look> looks_;
  /// How drivers have ended, as far as somebody was told.
  std::map<std::string, std::string> ends_;
  std::vector<std::string> broken_;
  /// What submissions were told that were not acknowledged.
  std::vector<std::string> refused_;
  int looked_ = 0;
  int killed_ = 0;
  int excused_ = 0;
};

} // namespace stoker::test
