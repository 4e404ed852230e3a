#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <caf/event_based_actor.hpp>
#include <caf/typed_actor.hpp>

#include "actors/defaults.hpp"
#include "actors/interfaces.hpp"
#include "messages/caf_error.hpp"
#include "network/actor_network.hpp"
#include "scheduling/leadership/outbox.hpp"
#include "scheduling/registration/failed_round.hpp"

namespace stoker {

/// Whether asking twice does no more than asking once.
template <class Request>
bool is_repeatable(const Request& x) {
  if constexpr (std::is_same_v<Request, RequestSubmitDriver>)
    return !x.submission.empty();
  else
    return true;
}

/// Whether it says in `wait_ms` how long its answer may wait.
template <class Request>
concept WaitingRequest = requires(Request x) {
  x.wait_ms;
};

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

  /// When nobody waits any longer. Whatever hangs, `ask` ends a quarter of a second after it
  /// at the latest, or after the last answer, if that came later: who has more to ask then is
  /// answered by a master that does not hang. Unset: patience alone ends a search.
  std::optional<std::chrono::steady_clock::time_point> deadline;

  /// Nothing that listens at the only address, one of this machine, is no reason to look for a
  /// master further: none has been there yet.
  bool needs_listener = false;

  /// Fails with `Errc::not_alive`, `Errc::no_listener`, `Errc::refused` or `Errc::untrusted` when
  /// no master could be reached, lets us in or is active, with `Errc::no_answer` when the request
  /// may have been carried out, or as the master says.
  ///
  /// What a standby says of a cluster is better than nothing: it does if no leader is found in
  /// time, or if there is no other master.
  template <class Answer, class Request>
  Result<Answer> ask(const Request& request) {
    return search<Answer>(request, true);
  }

  /// The same, and a standby's word never does: it knows of nothing that there is.
  Result<MasterStateResponse> ask_leader(const RequestMasterState& request) {
    return search<MasterStateResponse>(request, false);
  }

private:
  static constexpr std::chrono::milliseconds first_pause{100};
  static constexpr std::chrono::milliseconds longest_pause{2000};
  static constexpr std::chrono::seconds answer_timeout{15};
  static_assert(answer_timeout >= defaults::plan_answer_timeout);

  /// How much later than the deadline an answer may come that waits until then.
  static constexpr std::chrono::milliseconds late_answer{250};

  template <class Answer, class Request>
  Result<Answer> search(const Request& request, bool takes_standby) {
    auto until = Clock::now() + patience_;
    auto waits_for_answer = may_wait(request);
    for (auto pause = first_pause;;
         pause = std::min(pause * 2, longest_pause)) {
      FailedRound round;
      std::optional<Error> last;
      std::optional<Answer> standby;
      for (std::size_t tries = 0; tries < masters_.size(); ++tries) {
        auto result
            = ask_present<Answer>(request, until, masters_.size() - tries);
        // It had waited for an answer, and not for a master.
        auto is_broken = std::exchange(is_broken_, false);
        auto is_found = result
                        && (!is_of_standby(*result)
                            || (takes_standby && masters_.size() == 1));
        told_ = told_ && !is_found && !is_broken;
        if (result)
          answered_ = Clock::now();
        if (is_found)
          return result;
        // That no answer comes it hears when its time is up, and then looks for a master.
        auto is_late = !result && result.code() == Errc::no_answer
                       && std::exchange(waits_for_answer, false);
        if (is_broken || is_late)
          until = Clock::now() + patience_;
        if (result) {
          if (takes_standby)
            standby = *std::move(result);
          last = not_alive();
        } else {
          last = std::move(result).error();
        }
        if (!may_ask_again(request, last->code))
          return *std::move(last);
        round.add(last->message, failure_of(last->code));
        leave();
      }
      // One that is dead does not hide why the others are of no use.
      last->message = round.reasons();
      if (is_hopeless(round, last->code))
        return *std::move(last);
      // One that stands by may be about to lead.
      if (wait(until, pause, last->message))
        continue;
      // Who lets us not in may lead, and no standby knows.
      if (!standby || round.has_refusal())
        return *std::move(last);
      told_ = false;
      return *std::move(standby);
    }
  }

  /// Whether it comes from a master that knows of nothing.
  template <class Answer>
  static bool is_of_standby(const Answer& answer) {
    if constexpr (std::is_same_v<Answer, MasterStateResponse>)
      return answer.status == RecoveryState::STANDBY;
    else
      return false;
  }

  template <class Request>
  static bool may_ask_again(const Request& request, Errc code) {
    return code == Errc::not_alive || code == Errc::no_listener
           || code == Errc::refused || code == Errc::untrusted
           || (code == Errc::no_answer && is_repeatable(request));
  }

  /// Whether a master may take its time for the answer.
  template <class Request>
  static bool may_wait([[maybe_unused]] const Request& request) {
    if constexpr (WaitingRequest<Request>)
      return request.wait_ms > 0;
    else
      return false;
  }

  using Clock = std::chrono::steady_clock;

  static MasterFailure failure_of(Errc code);

  /// Whether no master was there so far, and trying again would not help.
  /// @param last Of the last master of the round.
  [[nodiscard]] bool is_hopeless(const FailedRound& round, Errc last) const;

  /// Connects if need be.
  Status connect(Clock::time_point until, std::size_t untried);
  void leave();

  /// Returns false when the time is up.
  bool wait(Clock::time_point until, std::chrono::milliseconds pause,
            const std::string& reason);

  /// Until the deadline, and not negative. @pre there is one
  [[nodiscard]] std::chrono::milliseconds time_left() const;

  /// What each of so many masters may take at most, so that one that hangs leaves time for
  /// the others. Never zero. @pre there is a deadline
  [[nodiscard]] std::chrono::milliseconds share_of(std::size_t masters) const;

  /// The request as it is to be asked now.
  template <class Request>
  [[nodiscard]] Request in_time(Request x) const {
    if constexpr (WaitingRequest<Request>)
      if (deadline)
        x.wait_ms = std::min<std::int64_t>(x.wait_ms, time_left().count());
    return x;
  }

  /// How long an answer is awaited, which may wait itself.
  /// @param x As it is asked.
  /// @param untried How many masters there are to ask, with this one.
  template <class Request>
  [[nodiscard]] std::chrono::milliseconds
  answer_time([[maybe_unused]] const Request& x, std::size_t untried) const {
    if (!deadline)
      return answer_timeout;
    auto result = share_of(untried);
    if constexpr (WaitingRequest<Request>)
      if (x.wait_ms > 0)
        result = waiting_time(std::chrono::milliseconds{x.wait_ms}, untried);
    return std::min<std::chrono::milliseconds>(answer_timeout, result);
  }

  /// The same of an answer that waits: a wait is no sign that a master hangs.
  /// @pre there is a deadline
  [[nodiscard]] std::chrono::milliseconds
  waiting_time(std::chrono::milliseconds wait, std::size_t untried) const;

  [[nodiscard]] Error to_error(const caf::error& e) const;
  [[nodiscard]] Error no_answer() const;

  template <class Answer, class Request>
  Result<Answer> ask_present(const Request& request, Clock::time_point until,
                             std::size_t untried) {
    if (auto status = connect(until, untried); !status)
      return std::move(status).error();
    auto promise = std::make_shared<std::promise<Result<Answer>>>();
    auto answer = promise->get_future();
    auto asked = in_time(request);
    // An actor of its own hears that the connection broke, too.
    network_.system().spawn([this, promise, master = master_,
                             timeout = answer_time(asked, untried),
                             asked](caf::event_based_actor* self) {
      self->monitor(master);
      self->set_down_handler([=, this](const caf::down_msg&) {
        is_broken_ = true;
        promise->set_value(no_answer());
        self->quit();
      });
      self->request(master, timeout, asked)
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

  /// When the last answer came.
  Clock::time_point answered_;

  /// The connection broke while an answer was waited for.
  bool is_broken_ = false;
  bool told_ = false;
};

} // namespace stoker
