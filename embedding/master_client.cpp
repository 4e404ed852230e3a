#include "embedding/master_client.hpp"

#include <cassert>

namespace stoker {

MasterClient::MasterClient(ActorNetwork& network,
                           std::vector<MasterAddress> masters,
                           std::chrono::milliseconds patience)
    : network_(network), masters_(std::move(masters)), patience_(patience),
      self_(network.system()) {
  assert(!masters_.empty());
}

std::optional<RequestError> MasterClient::connect() {
  if (master_)
    return std::nullopt;
  auto found = network_.connect(masters_[current_]);
  if (!found)
    return to_request_error(found.error());
  master_ = *found;
  return std::nullopt;
}

void MasterClient::leave() {
  master_ = nullptr;
  current_ = (current_ + 1) % masters_.size();
}

bool MasterClient::wait(std::chrono::steady_clock::time_point deadline,
                        std::chrono::milliseconds pause,
                        const std::string& reason) {
  if (std::chrono::steady_clock::now() + pause > deadline)
    return false;
  if (on_wait && !std::exchange(told_, true))
    on_wait(reason);
  std::this_thread::sleep_for(pause);
  return true;
}

RequestError MasterClient::to_request_error(const caf::error& e) const {
  if (e.category() == caf::atom("stoker"))
    return {static_cast<Errc>(e.code()), network_.system().render(e)};
  // The connection broke, or the answer did not come in time.
  return {Errc::not_alive, to_string(masters_[current_]) + " does not answer",
          true};
}

} // namespace stoker
