#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/algorithm/string/join.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/typed_actor.hpp>

#include "actors/defaults.hpp"
#include "actors/interfaces.hpp"
#include "messages/caf_error.hpp"
#include "network/actor_network.hpp"

namespace stoker {

/// Whether asking twice does no more than asking once.
template <class Request>
bool is_repeatable(const Request& x) {
  if constexpr (std::is_same_v<Request, RequestSubmitDriver>)
    return !x.submission.empty();
  else
    return true;
}

/// Puts requests to the active master and waits for the answers: for command
/// lines and tests, where an actor would be in the way. Blocks.
class MasterClient {
public:
  /// @param patience How long to look for an active master, from the beginning, or since the
  /// connection to one broke, each time that one does.
  MasterClient(ActorNetwork& network, std::vector<MasterAddress> masters,
               std::chrono::milliseconds patience);

  /// Called once when a search takes longer than its first attempt, until one is found.
  std::function<void(const std::string& reason)> on_wait;

  /// Fails with `Errc::not_alive` when no master could be reached or none is
  /// active, with `Errc::no_answer` when the request may have been carried out,
  /// or as the master says.
  template <class Answer, class Request>
  Result<Answer> ask(const Request& request) {
    auto deadline = Clock::now() + patience_;
    std::optional<Error> last;
    std::optional<Answer> standby;
    for (auto pause = first_pause;;
         pause = std::min(pause * 2, longest_pause)) {
      std::set<std::string> reasons;
      for (std::size_t tries = 0; tries < masters_.size(); ++tries) {
        auto result = ask_present<Answer>(request, deadline);
        // It had waited for an answer, and not for a master.
        auto is_broken = std::exchange(is_broken_, false);
        told_ = told_ && !result && !is_broken;
        if (result && !from_standby(*result))
          return result;
        if (is_broken)
          deadline = Clock::now() + patience_;
        if (result) {
          // Better than nothing, when no other is found.
          standby = *std::move(result);
        } else {
          last = std::move(result).error();
          if (!may_ask_again(request, last->code))
            return *std::move(last);
          reasons.insert(last->message);
        }
        leave();
      }
      // One that is dead does not hide why the others are of no use.
      if (last)
        last->message = boost::algorithm::join(reasons, "; ");
      if (standby)
        return *std::move(standby);
      if (!wait(deadline, pause, last->message))
        return *std::move(last);
    }
  }

private:
  static constexpr std::chrono::milliseconds first_pause{100};
  static constexpr std::chrono::milliseconds longest_pause{2000};
  static constexpr std::chrono::seconds answer_timeout{15};
  static_assert(answer_timeout >= defaults::plan_answer_timeout);

  /// Whether the answer is a standby's, while others may know more.
  template <class Answer>
  [[nodiscard]] bool from_standby(const Answer& answer) const {
    if constexpr (std::is_same_v<Answer, MasterStateResponse>)
      return masters_.size() > 1 && answer.status == RecoveryState::STANDBY;
    else
      return false;
  }

  template <class Request>
  static bool may_ask_again(const Request& request, Errc code) {
    return code == Errc::not_alive
           || (code == Errc::no_answer && is_repeatable(request));
  }

  using Clock = std::chrono::steady_clock;

  /// Connects if need be.
  Status connect(Clock::time_point deadline);
  void leave();

  /// Returns false when the time is up.
  bool wait(Clock::time_point deadline, std::chrono::milliseconds pause,
            const std::string& reason);

  [[nodiscard]] Error to_error(const caf::error& e) const;
  [[nodiscard]] Error no_answer() const;

  template <class Answer, class Request>
  Result<Answer> ask_present(const Request& request,
                             Clock::time_point deadline) {
    if (auto status = connect(deadline); !status)
      return std::move(status).error();
    auto promise = std::make_shared<std::promise<Result<Answer>>>();
    auto answer = promise->get_future();
    // An actor of its own hears that the connection broke, too.
    network_.system().spawn([this, promise, master = master_,
                             request](caf::event_based_actor* self) {
      self->monitor(master);
      self->set_down_handler([=, this](const caf::down_msg&) {
        is_broken_ = true;
        promise->set_value(no_answer());
        self->quit();
      });
      self->request(master, answer_timeout, request)
          .then(
              [=](Answer& x) {
                promise->set_value(std::move(x));
                self->quit();
              },
              [=, this](caf::error& e) {
                promise->set_value(to_error(e));
                self->quit();
              });
    });
    return answer.get();
  }

  ActorNetwork& network_;
  std::vector<MasterAddress> masters_;
  std::chrono::milliseconds patience_;
  std::size_t current_ = 0;
  MasterActor master_;

  /// The connection broke while an answer was waited for.
  bool is_broken_ = false;
  bool told_ = false;
};

} // namespace stoker
