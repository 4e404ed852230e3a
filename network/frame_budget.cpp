#include "network/frame_budget.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace stoker {

FrameBudget::Share::Share(std::shared_ptr<FrameBudget> budget, std::string peer,
                          std::function<void()> close)
    : budget_(std::move(budget)), peer_(std::move(peer)),
      close_(std::move(close)) {
}

FrameBudget::Share::~Share() {
  std::lock_guard guard{budget_->mutex_};
  budget_->set(*this, 0);
}

bool FrameBudget::Share::hold(std::size_t bytes) {
  std::vector<std::function<void()>> close;
  auto& budget = *budget_;
  {
    std::lock_guard guard{budget.mutex_};
    if (is_closing_)
      return false;
    budget.set(*this,
               bytes > budget.free_each_ ? bytes - budget.free_each_ : 0);
    while (budget.used_ > budget.max_) {
      auto& victim = budget.largest();
      victim.is_closing_ = true;
      budget.set(victim, 0);
      if (&victim != this)
        close.push_back(std::exchange(victim.close_, {}));
    }
  }
  for (const auto& x : close)
    x();
  return !is_closing_;
}

std::unique_ptr<FrameBudget::Share>
FrameBudget::open(const std::string& peer, std::function<void()> close) {
  return std::make_unique<Share>(shared_from_this(), peer, std::move(close));
}

std::size_t FrameBudget::used() const {
  std::lock_guard guard{mutex_};
  return used_;
}

void FrameBudget::set(Share& x, std::size_t bytes) {
  if (x.bytes_ == bytes)
    return;
  auto& peer = peers_[x.peer_];
  used_ = used_ - x.bytes_ + bytes;
  peer.bytes = peer.bytes - x.bytes_ + bytes;
  x.bytes_ = bytes;
  if (bytes > 0)
    peer.shares[&x] = bytes;
  else
    peer.shares.erase(&x);
  if (peer.shares.empty())
    peers_.erase(x.peer_);
}

FrameBudget::Share& FrameBudget::largest() {
  auto& peer = std::ranges::max_element(peers_, {}, [](const auto& x) {
                 return x.second.bytes;
               })->second;
  return *std::ranges::max_element(peer.shares, {}, [](const auto& x) {
            return x.second;
          })->first;
}

} // namespace stoker
