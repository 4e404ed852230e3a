#include "simulation/output_carrier.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "scheduling/master/snapshot.hpp"
#include "simulation/application_process.hpp"
#include "simulation/master_process.hpp"
#include "simulation/worker_process.hpp"

namespace stoker::simulation {

/// With all whose connections it uses.
struct OutputCarrier::Question {
  ApplicationProcess* application = nullptr;
  std::uint64_t application_life = 0;
  MasterProcess* master = nullptr;
  std::uint64_t master_life = 0;
  WorkerProcess* worker = nullptr;
  Instant since;
  RequestOutput request;
  OnAnswer on_answer;
};

void OutputCarrier::later(std::function<void()> what) {
  queue_.after(dice_.lasting(Duration{1}, Duration{40}), std::move(what));
}

void OutputCarrier::ask(ApplicationProcess& from, const RequestOutput& x,
                        const OnAnswer& on_answer) {
  auto i = std::find_if(masters_.begin(), masters_.end(), [&](const auto* y) {
    return from.connected_to(*y) && !network_.is_cut(from, *y);
  });
  if (i == masters_.end())
    return;
  auto question = std::make_shared<Question>(
      Question{&from, from.life(), *i, (*i)->life(), nullptr, queue_.now(), x,
               on_answer});
  later([this, question] {
    question->master->run(question->master_life,
                          [this, question] { reach_master(question); });
  });
}

void OutputCarrier::reach_master(const QuestionPtr& x) {
  const auto& master = *x->master;
  if (!master.leading())
    return answer(x, Error{Errc::no_answer, "the master stands by"});
  const auto& id = x->request.worker_id;
  if (!find_output_holder(master.cluster().state(), id))
    return answer(x, Error{Errc::not_found, "worker " + id.value + " is lost"});
  auto i = std::find_if(workers_.begin(), workers_.end(), [&](const auto& y) {
    return y->config().id == id && y->connected_since(master)
           && !network_.is_cut(*y, master);
  });
  if (i == workers_.end())
    return answer(x, Error{Errc::not_running,
                           "worker " + id.value + " is not connected"});
  x->worker = i->get();
  x->since = queue_.now();
  std::weak_ptr<Link> link{x->worker->link()};
  later([this, x, link] {
    if (auto open = link.lock())
      network_.follow(open, Side::peer, [this, x] { reach_worker(x); });
  });
}

void OutputCarrier::reach_worker(const QuestionPtr& x) {
  auto& worker = *x->worker;
  if (worker.ends())
    return;
  worker.read_output(x->request, [this, x](OutputResponse y) {
    later([this, x, y = std::move(y)] {
      auto connected = x->worker->connected_since(*x->master);
      if (connected && *connected <= x->since
          && !network_.is_cut(*x->worker, *x->master))
        x->master->run(x->master_life, [this, x, y] { answer(x, y); });
    });
  });
}

void OutputCarrier::answer(const QuestionPtr& x,
                           Result<OutputResponse> answer) {
  later([this, x, answer = std::move(answer)] {
    if (x->application->connected_to(*x->master)
        && !network_.is_cut(*x->application, *x->master))
      x->application->run(x->application_life,
                          [x, answer] { x->on_answer(answer); });
  });
}

} // namespace stoker::simulation
