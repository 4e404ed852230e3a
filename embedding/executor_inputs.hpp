#pragma once

#include <functional>
#include <memory>
#include <string>

#include <caf/scoped_actor.hpp>

#include "actors/interfaces.hpp"
#include "embedding/input_feeder.hpp"
#include "embedding/seekable_input.hpp"
#include "network/actor_network.hpp"

namespace stoker {

/// Writes an input to executors of an application, by an INPUT FEEDER. Its owner says what
/// the master says of them. Used by one thread.
class ExecutorInputs {
public:
  /// @param failed Told, on another thread, why the input cannot be read or written.
  ExecutorInputs(ActorNetwork& network, const AppClientActor& client,
                 std::shared_ptr<SeekableInput> source,
                 const std::function<void(const std::string&)>& failed);
  ~ExecutorInputs();

  ExecutorInputs(const ExecutorInputs&) = delete;
  ExecutorInputs& operator=(const ExecutorInputs&) = delete;

  void is_application(const AppId& id);

  /// It reads the input from its start.
  /// @pre it was not told of before
  void added(const ExecutorAdded& x);

  /// One that was not added is ignored.
  /// @pre this is news
  /// @param was_lost Until now: its worker came back.
  void updated(const ExecutorUpdated& x, bool was_lost);

private:
  caf::scoped_actor self_;
  InputFeederActor feeder_;
};

} // namespace stoker
