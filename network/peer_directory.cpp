#include "network/peer_directory.hpp"

#include <algorithm>
#include <utility>

namespace stoker {

namespace {

constexpr std::chrono::minutes remembered_for{1};

} // namespace

Status PeerDirectory::enter(const caf::node_id& node,
                            std::optional<Identity> identity,
                            std::function<void()> leave) {
  std::function<void()> end_former;
  {
    std::lock_guard guard{mutex_};
    forget_those_who_left();
    auto [i, is_new] = peers_.try_emplace(node);
    auto& peer = i->second;
    if (is_new || peer.left) {
      peer = {std::move(identity), std::move(leave), {}};
      return {};
    }
    if (peer.identity == identity)
      end_former = std::exchange(peer.leave, {});
  }
  if (end_former)
    end_former();
  return Error{Errc::in_use, "a process of this name is connected; try again"};
}

void PeerDirectory::leave(const caf::node_id& node) {
  std::lock_guard guard{mutex_};
  forget_those_who_left();
  auto i = peers_.find(node);
  if (i == peers_.end())
    return;
  auto now = Clock::now();
  i->second.leave = {};
  i->second.left = now;
  left_.emplace_back(now, node);
}

std::optional<Identity> PeerDirectory::find(const caf::node_id& node) const {
  std::lock_guard guard{mutex_};
  auto i = peers_.find(node);
  return i == peers_.end() ? std::nullopt : i->second.identity;
}

std::size_t PeerDirectory::size() const {
  std::lock_guard guard{mutex_};
  return static_cast<std::size_t>(
      std::count_if(peers_.begin(), peers_.end(),
                    [](const auto& x) { return !x.second.left; }));
}

void PeerDirectory::forget_those_who_left() {
  auto oldest = Clock::now() - remembered_for;
  for (; !left_.empty() && left_.front().first < oldest; left_.pop_front())
    if (auto i = peers_.find(left_.front().second);
        i != peers_.end() && i->second.left == left_.front().first)
      peers_.erase(i);
}

} // namespace stoker
