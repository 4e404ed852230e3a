#include "outputs/connection_pool.hpp"

namespace stoker {

Result<ConnectionPool::Lease>
ConnectionPool::take(const OutputServer& server, const std::stop_token& stop) {
  {
    std::lock_guard lock{mutex_};
    auto now = Clock::now();
    std::erase_if(kept_, [&](const auto& x) {
      return now - x.second.second > limits_.keep_idle;
    });
    if (auto found = kept_.extract(to_string(server)))
      return Lease{std::move(found.mapped().first), true};
  }
  auto opened
      = ClientConnection::open(server, context_, limits_.connect_timeout, stop);
  if (!opened)
    return std::move(opened).error();
  return Lease{*std::move(opened), false};
}

void ConnectionPool::give_back(const OutputServer& server, Lease lease) {
  std::lock_guard lock{mutex_};
  kept_[to_string(server)] = {std::move(lease.connection), Clock::now()};
}

} // namespace stoker
