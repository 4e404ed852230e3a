#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/expected.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include "messages/caf_error.hpp"
#include "messages/registry.hpp"
#include "tests/support/catch.hpp"

namespace stoker::test {

/// An actor system without threads: actors run when a test says so, and time
/// stands still until a test moves it. Test fixtures derive from this class.
class DeterministicSystem {
public:
  DeterministicSystem()
      : system(config_),
        scheduler(dynamic_cast<caf::scheduler::test_coordinator&>(
            system.scheduler())),
        self(system, true) {
    // What actors log is for people who run a cluster.
    spdlog::set_level(spdlog::level::off);
  }

  /// Ends all actors. An actor that has itself woken again and again is held
  /// by the clock, and the system would wait for it forever.
  ~DeterministicSystem() {
    for (const auto& x : spawned_)
      caf::anon_send_exit(x, caf::exit_reason::kill);
    spawned_.clear();
    scheduler.run();
    scheduler.clock().cancel_all();
    scheduler.run();
  }

  DeterministicSystem(const DeterministicSystem&) = delete;
  DeterministicSystem& operator=(const DeterministicSystem&) = delete;

  /// Spawns an actor that this fixture ends.
  template <class... Ts>
  auto spawn(Ts&&... xs) {
    auto handle = system.spawn(std::forward<Ts>(xs)...);
    spawned_.push_back(caf::actor_cast<caf::strong_actor_ptr>(handle));
    scheduler.run();
    return handle;
  }

  /// Lets an actor disappear, as a process that is killed.
  template <class Handle>
  void kill(const Handle& x) {
    caf::anon_send_exit(x, caf::exit_reason::kill);
    scheduler.run();
  }

  /// Moves time on in small steps and lets actors run after each: one large
  /// step would fire a timer that renews itself only once.
  void advance(std::chrono::milliseconds total,
               std::chrono::milliseconds step
               = std::chrono::milliseconds{100}) {
    for (; total > total.zero(); total -= step) {
      scheduler.advance_time(std::min(step, total));
      scheduler.run();
    }
  }

  /// How many timers and timeouts are under way.
  [[nodiscard]] std::size_t pending_timers() const {
    return scheduler.clock().schedule().size();
  }

  /// A request that is under way.
  template <class Response>
  class Pending {
  public:
    [[nodiscard]] bool answered() const {
      return *result_ != nullptr;
    }
    [[nodiscard]] const caf::expected<Response>& answer() const {
      REQUIRE(answered());
      return **result_;
    }

  private:
    friend class DeterministicSystem;
    std::shared_ptr<std::unique_ptr<caf::expected<Response>>> result_
        = std::make_shared<std::unique_ptr<caf::expected<Response>>>();
  };

  /// Sends a request from an actor of its own, which runs with the next thing.
  template <class Response, class Handle, class Request>
  Pending<Response> begin_request(const Handle& target, const Request& x) {
    Pending<Response> pending;
    auto note = [result = pending.result_](caf::expected<Response> y) {
      *result = std::make_unique<caf::expected<Response>>(std::move(y));
    };
    // With an argument: without any, CAF 0.17.6 binds a reference to null.
    auto asker = [=](caf::event_based_actor* me, const Request& question) {
      me->request(target, caf::infinite, question)
          .then([note](Response& y) { note(std::move(y)); },
                [note](caf::error& e) { note(std::move(e)); });
    };
    spawned_.push_back(
        caf::actor_cast<caf::strong_actor_ptr>(system.spawn(asker, x)));
    return pending;
  }

  /// The same, and lets all actors run.
  template <class Response, class Handle, class Request>
  Pending<Response> request(const Handle& target, const Request& x) {
    auto pending = begin_request<Response>(target, x);
    scheduler.run();
    return pending;
  }

  /// Sends a request and returns the answer, which has to be there once all
  /// actors are idle.
  template <class Response, class Handle, class Request>
  caf::expected<Response> ask(const Handle& target, const Request& x) {
    return request<Response>(target, x).answer();
  }

private:
  struct Config : caf::actor_system_config {
    Config() {
      register_messages(*this);
      set("scheduler.policy", caf::atom("testing"));
      set("logger.verbosity", caf::atom("quiet"));
    }
  };

  Config config_;

public:
  caf::actor_system system;
  caf::scheduler::test_coordinator& scheduler;
  caf::scoped_actor self;

private:
  std::vector<caf::strong_actor_ptr> spawned_;
};

/// Whether `x` failed with `code`.
template <class T>
bool failed_with(const caf::expected<T>& x, Errc code) {
  return !x && x.error() == caf::make_error(code);
}

} // namespace stoker::test
