#include "tools/stoker/output_order.hpp"

namespace stoker {

Status OutputOrder::output(int index, bool standard_error,
                           std::string_view data) {
  // What comes after the end of an instance has nothing to wait for.
  if (index > turn_)
    return spool_.append(index, standard_error, data);
  write_(index, standard_error, data);
  return {};
}

Status OutputOrder::complete(int index) {
  if (index < turn_)
    return {};
  complete_.insert(index);
  Status result;
  while (complete_.erase(turn_) > 0) {
    ended_(turn_);
    ++turn_;
    if (auto released = release(turn_); !released)
      result = std::move(released);
  }
  return result;
}

Status OutputOrder::finish() {
  Status result;
  ended_(turn_);
  while (!spool_.empty()) {
    turn_ = spool_.first();
    if (auto released = release(turn_); !released)
      result = std::move(released);
    ended_(turn_);
  }
  return result;
}

Status OutputOrder::release(int index) {
  return spool_.take(index, [&](bool standard_error, std::string_view data) {
    write_(index, standard_error, data);
  });
}

} // namespace stoker
