#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulation/executor_connections.hpp"
#include "simulation/output_carrier.hpp"
#include "simulation/referee.hpp"
#include "simulation/scenario.hpp"
#include "simulation/simulation.hpp"

namespace stoker::simulation {

/// Everything that takes part in one run.
class World {
public:
  World(const Scenario& scenario, std::ostream* log);

  /// @throws Violation
  void run();

  [[nodiscard]] Outcome outcome() const;

private:
  void chaos();
  void heal();
  void let_everything_end();

  /// Lets time pass until `problem` returns nothing. Fails when `progress` has
  /// grown no more for `patience`.
  template <class Problem, class Progress>
  void wait_until_no(const char* what, Duration patience, Problem problem,
                     Progress progress);

  // -- items; world_items.cpp -------------------------------------------------

  void happen(const Item& item);
  bool load(const Item& item);
  bool disturb_workers(const Item& item);
  bool disturb_masters(const Item& item);
  bool disturb_disk(const Item& item);
  bool disturb_network(const Item& item);
  void start_application(const Item& item);
  void start_elastic(const Item& item);
  void burst(const Item& item);
  void add_application(ApplicationDescription description,
                       const std::optional<ApplicationProcess::Elastic>& x);
  bool disturb_readers(const Item& item);
  void look_for_what_waits();
  void isolate(const std::string& name, Duration lasts);

  // -- what has to be in the end; world_settling.cpp --------------------------

  [[nodiscard]] MasterProcess* leader() const;
  [[nodiscard]] std::optional<std::string> unsettled() const;
  [[nodiscard]] std::optional<std::string>
  missing_peer(const MasterStateResponse& state) const;
  [[nodiscard]] std::optional<std::string>
  false_entry(const MasterStateResponse& state) const;
  [[nodiscard]] std::optional<std::string>
  unknown_program(const MasterStateResponse& state) const;
  [[nodiscard]] std::optional<std::string> leftover() const;
  void check_that_elastic_ones_come_down() const;

  template <class T>
  static T& at(const std::vector<std::unique_ptr<T>>& xs, std::int64_t who) {
    return *xs[static_cast<std::size_t>(who) % xs.size()];
  }

  Scenario scenario_;
  EventQueue queue_;
  SharedDirectory directory_;
  Network network_;
  Referee referee_;
  std::vector<std::unique_ptr<MasterProcess>> masters_;
  std::vector<std::unique_ptr<WorkerProcess>> workers_;
  std::vector<std::unique_ptr<ApplicationProcess>> applications_;
  ExecutorConnections connections_;
  std::vector<MasterProcess*> all_masters_;
  OutputCarrier carrier_;
  std::unique_ptr<CommandLine> people_;
  int submissions_ = 0;
  Instant settled_;
  bool in_chaos_ = true;
};

} // namespace stoker::simulation
