#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <caf/scoped_actor.hpp>

#include "actors/interfaces.hpp"
#include "embedding/output_collector.hpp"
#include "embedding/run_observer.hpp"
#include "network/actor_network.hpp"

namespace stoker {

/// Brings what an application's executors write, by an OUTPUT COLLECTOR. Its owner says
/// what the master says of executors, and hands what comes back to it. Used by one thread.
class ExecutorOutputs {
public:
  /// @param sink Gets what comes, on another thread; must not block.
  /// @param failed Called when the collector fails, on another thread.
  /// @param may_drop What is dropped is not missing.
  ExecutorOutputs(ActorNetwork& network, const AppClientActor& client,
                  std::function<void(std::vector<OutputNews>)> sink,
                  const std::function<void(const std::string&)>& failed,
                  bool may_drop);
  ~ExecutorOutputs();

  ExecutorOutputs(const ExecutorOutputs&) = delete;
  ExecutorOutputs& operator=(const ExecutorOutputs&) = delete;

  void is_application(const AppId& id);

  /// @pre it was not told of before
  void added(const ExecutorAdded& x);

  /// @pre it was told of, and this is news
  /// @param was_lost Until now: its worker came back.
  void updated(const ExecutorUpdated& x, bool was_lost);

  /// The master tells nothing more of executors: what they still write is read from
  /// their workers.
  void application_is_over();

  /// What has not been brought counts as lost.
  /// @param why In one line.
  void give_up(const std::string& why);

  /// Tells the observer what the sink has got.
  /// @param index Of the instance that has written it.
  void deliver(const OutputNews& x, int index, RunObserver& observer);

  /// Nothing more comes of any executor, as far as is known.
  [[nodiscard]] bool all_brought() const;

  /// The executors of which more may come.
  [[nodiscard]] const std::multiset<int>& open() const noexcept {
    return open_;
  }

  /// Something is missing of what was delivered.
  [[nodiscard]] bool incomplete() const noexcept {
    return incomplete_;
  }

private:
  caf::scoped_actor self_;
  OutputCollectorActor collector_;

  /// Executors of which more may come. One that was lost and found again is here twice
  /// until its loss has been dealt with.
  std::multiset<int> open_;
  bool may_drop_;
  bool incomplete_ = false;
  std::shared_ptr<std::atomic<bool>> failed_
      = std::make_shared<std::atomic<bool>>(false);
};

} // namespace stoker
