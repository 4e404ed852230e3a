#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <caf/scoped_actor.hpp>
#include <caf/typed_actor.hpp>

#include "messages/caf_error.hpp"
#include "network/actor_network.hpp"

namespace stoker {

/// Why a request had no answer.
struct RequestError {
  /// `Errc::not_alive` when no master could be reached or none is active.
  Errc code = Errc::none;

  /// One line for people.
  std::string message;

  /// Whether the request was sent, so that it may have been carried out.
  bool perhaps_done = false;
};

/// Whether asking twice does no more than asking once.
template <class Request>
inline constexpr bool is_repeatable
    = !std::is_same_v<Request, RequestSubmitDriver>;

/// Puts requests to the active master and waits for the answers: for command
/// lines and tests, where an actor would be in the way. Blocks.
class MasterClient {
public:
  /// @param patience How long to look for an active master.
  MasterClient(ActorNetwork& network, std::vector<MasterAddress> masters,
               std::chrono::milliseconds patience);

  /// Called once when a search takes longer than its first attempt.
  std::function<void(const std::string& reason)> on_wait;

  template <class Answer, class Request>
  std::variant<Answer, RequestError> ask(const Request& request) {
    auto deadline = std::chrono::steady_clock::now() + patience_;
    RequestError problem;
    std::optional<std::variant<Answer, RequestError>> standby;
    for (auto pause = first_pause;;
         pause = std::min(pause * 2, longest_pause)) {
      for (std::size_t tries = 0; tries < masters_.size(); ++tries) {
        auto result = ask_present<Answer>(request);
        if (!std::holds_alternative<RequestError>(result)
            && !from_standby(result))
          return result;
        if (!std::holds_alternative<RequestError>(result)) {
          // Better than nothing, when no other is found.
          standby = std::move(result);
          leave();
          continue;
        }
        problem = std::get<RequestError>(std::move(result));
        if (problem.code != Errc::not_alive
            || (problem.perhaps_done && !is_repeatable<Request>))
          return problem;
        leave();
      }
      if (standby)
        return *std::move(standby);
      if (!wait(deadline, pause, problem.message))
        return problem;
    }
  }

private:
  static constexpr std::chrono::milliseconds first_pause{100};
  static constexpr std::chrono::milliseconds longest_pause{2000};
  static constexpr std::chrono::seconds answer_timeout{15};

  /// Whether the answer is a standby's, while others may know more.
  template <class Answer>
  [[nodiscard]] bool
  from_standby(const std::variant<Answer, RequestError>& answer) const {
    if constexpr (std::is_same_v<Answer, MasterStateResponse>)
      return masters_.size() > 1
             && std::get<Answer>(answer).status == RecoveryState::STANDBY;
    else
      return false;
  }

  /// Connects if need be. Returns what was wrong, if anything.
  std::optional<RequestError> connect();
  void leave();

  /// Returns false when the time is up.
  bool wait(std::chrono::steady_clock::time_point deadline,
            std::chrono::milliseconds pause, const std::string& reason);

  [[nodiscard]] RequestError to_request_error(const caf::error& e) const;

  template <class Answer, class Request>
  std::variant<Answer, RequestError> ask_present(const Request& request) {
    if (auto problem = connect())
      return *problem;
    std::variant<Answer, RequestError> result;
    self_->request(master_, answer_timeout, request)
        .receive([&](Answer& x) { result = std::move(x); },
                 [&](caf::error& e) { result = to_request_error(e); });
    return result;
  }

  ActorNetwork& network_;
  std::vector<MasterAddress> masters_;
  std::chrono::milliseconds patience_;
  caf::scoped_actor self_;
  std::size_t current_ = 0;
  MasterActor master_;
  bool told_ = false;
};

} // namespace stoker
