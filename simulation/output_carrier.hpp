#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "messages/output.hpp"
#include "messages/result.hpp"
#include "simulation/dice.hpp"
#include "simulation/network.hpp"

namespace stoker::simulation {

class ApplicationProcess;
class MasterProcess;
class WorkerProcess;

/// Carries an application's questions for output to a worker, by way of the master that
/// leads, and the answers back. They travel over the connections that both have to that
/// master. A question reaches the worker after all that the master has told it before, such as
/// the order to start the executor. Apart from that, they may overtake other messages. What is on
/// its way when a connection breaks is lost.
class OutputCarrier {
public:
  using OnAnswer = std::function<void(Result<OutputResponse>)>;
  using Workers = std::vector<std::unique_ptr<WorkerProcess>>;

  OutputCarrier(EventQueue& queue, std::uint64_t seed, Network& network,
                const std::vector<MasterProcess*>& masters,
                const Workers& workers)
      : queue_(queue), dice_(seed, "output"), network_(network),
        masters_(masters), workers_(workers) {
  }

  /// Calls back once, or not at all.
  void ask(ApplicationProcess& from, const RequestOutput& x,
           const OnAnswer& on_answer);

private:
  struct Question;
  using QuestionPtr = std::shared_ptr<Question>;

  void reach_master(const QuestionPtr& x);
  void reach_worker(const QuestionPtr& x);
  void answer(const QuestionPtr& x, Result<OutputResponse> answer);
  void later(std::function<void()> what);

  EventQueue& queue_;
  Dice dice_;
  Network& network_;
  const std::vector<MasterProcess*>& masters_;
  const Workers& workers_;
};

} // namespace stoker::simulation
