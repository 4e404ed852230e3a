#include "scheduling/master/instance_table.hpp"

#include <algorithm>
#include <cassert>

namespace stoker {

InstanceTable::InstanceTable(int count)
    : waiting_(position(count)), done_(position(count)), waiting_count_(count) {
  waiting_.set();
}

void InstanceTable::begin_attempt(int index) {
  assert(waits(index));
  // What begins is mostly the first that waits.
  if (index == waiting_from_)
    ++waiting_from_;
  waiting_.reset(position(index));
  --waiting_count_;
}

void InstanceTable::has_no_attempt(int index) {
  if (is_done(index) || waits(index))
    return;
  waiting_.set(position(index));
  ++waiting_count_;
  waiting_from_ = std::min(waiting_from_, index);
}

void InstanceTable::set_done(int index) {
  if (is_done(index))
    return;
  if (waits(index))
    begin_attempt(index);
  done_.set(position(index));
  ++done_count_;
}

int InstanceTable::count_failure(int index) {
  return ++failures_[index];
}

void InstanceTable::restore(int index, bool done, int failures) {
  if (!contains(index))
    return;
  if (done)
    set_done(index);
  if (failures > 0)
    failures_[index] = failures;
}

// -- queries ------------------------------------------------------------------

int InstanceTable::failures(int index) const {
  auto i = failures_.find(index);
  return i == failures_.end() ? 0 : i->second;
}

int InstanceTable::first_waiting() const {
  assert(waiting_count_ > 0);
  return waits(waiting_from_)
             ? waiting_from_
             : static_cast<int>(waiting_.find_next(position(waiting_from_)));
}

std::optional<std::string> InstanceTable::invariant_violation() const {
  if (waiting_.intersects(done_))
    return "an instance is done and waits";
  if (waiting_.count() != position(waiting_count_)
      || done_.count() != position(done_count_))
    return "the number of its instances that wait or are done is wrong";
  if (auto first = waiting_.find_first();
      first != Bits::npos && first < position(waiting_from_))
    return "an instance waits that is not looked for";
  return std::nullopt;
}

} // namespace stoker
