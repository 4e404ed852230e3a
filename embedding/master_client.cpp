#include "embedding/master_client.hpp"

#include <algorithm>
#include <cassert>

#include "network/address.hpp"

namespace stoker {

MasterClient::MasterClient(ActorNetwork& network,
                           std::vector<MasterAddress> masters,
                           std::chrono::milliseconds patience)
    : network_(network), masters_(std::move(masters)), patience_(patience) {
  assert(!masters_.empty());
}

Status MasterClient::connect(Clock::time_point until, std::size_t untried) {
  if (master_)
    return {};
  auto time = std::clamp<std::chrono::milliseconds>(
      std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()),
      ActorNetwork::shortest_attempt, ActorNetwork::longest_attempt);
  if (deadline)
    time = std::min(time, share_of(untried));
  auto found = network_.connect<MasterActor>(masters_[current_], time);
  if (!found)
    return std::move(found).error();
  master_ = *std::move(found);
  return {};
}

MasterFailure MasterClient::failure_of(Errc code) {
  if (code == Errc::untrusted)
    return MasterFailure::untrusted;
  return code == Errc::refused ? MasterFailure::refused
                               : MasterFailure::unreachable;
}

bool MasterClient::is_hopeless(const FailedRound& round, Errc last) const {
  if (answered_ != Clock::time_point{})
    return false;
  return round.is_hopeless()
         || (needs_listener && last == Errc::no_listener && masters_.size() == 1
             && is_loopback(masters_.front().host));
}

void MasterClient::leave() {
  master_ = nullptr;
  current_ = (current_ + 1) % masters_.size();
}

bool MasterClient::wait(Clock::time_point until,
                        std::chrono::milliseconds pause,
                        const std::string& reason) {
  // Masters are tried once more when the deadline comes, and not before it given up.
  if (deadline)
    pause = std::min(pause, time_left());
  if (pause == std::chrono::milliseconds{} || Clock::now() + pause > until)
    return false;
  if (on_wait && !std::exchange(told_, true))
    on_wait(reason);
  std::this_thread::sleep_for(pause);
  return true;
}

std::chrono::milliseconds MasterClient::time_left() const {
  return std::max(
      std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()),
      std::chrono::milliseconds{});
}

std::chrono::milliseconds MasterClient::share_of(std::size_t masters) const {
  auto left = std::max(*deadline, answered_) + late_answer - Clock::now();
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(
                      left / static_cast<Clock::rep>(masters)),
                  std::chrono::milliseconds{1});
}

std::chrono::milliseconds
MasterClient::waiting_time(std::chrono::milliseconds wait,
                           std::size_t untried) const {
  // The others are asked how things are, and need not wait.
  auto others = untried > 1 ? late_answer : std::chrono::milliseconds{};
  return std::max(wait + late_answer, share_of(1) - others);
}

Error MasterClient::to_error(const caf::error& e) const {
  if (e.category() == caf::atom("stoker"))
    return {static_cast<Errc>(e.code()), network_.system().render(e)};
  return no_answer();
}

Error MasterClient::no_answer() const {
  // The connection broke, or the answer did not come in time.
  return {Errc::no_answer, to_string(masters_[current_]) + " does not answer"};
}

} // namespace stoker
