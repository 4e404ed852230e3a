#pragma once

#include <deque>
#include <utility>
#include <variant>

#include "scheduling/leadership/master_logic.hpp"

namespace stoker {

/// Has what a MasterLogic decides carried out in order, also where carrying out
/// one action leads to more of them at once.
class ActionQueue {
public:
  /// Calls `act` for each action, after all that were decided before.
  template <class Act>
  void run(MasterActions actions, Act&& act) {
    for (auto& x : actions)
      actions_.push_back(std::move(x));
    // The call that is under way will come to them.
    if (std::exchange(running_, true))
      return;
    while (!actions_.empty()) {
      auto action = std::move(actions_.front());
      actions_.pop_front();
      std::visit(act, action);
    }
    running_ = false;
  }

private:
  std::deque<MasterAction> actions_;
  bool running_ = false;
};

} // namespace stoker
