#include "scheduling/barrier/barrier_sync.hpp"

#include <utility>

#include <boost/describe/enum_to_string.hpp>

#include "scheduling/common/format.hpp"

namespace stoker {

namespace {

/// "task 3", "tasks 0, 2 and 5", "tasks 0, 1, 2 and 97 more".
std::string names_of(const boost::dynamic_bitset<>& tasks) {
  constexpr std::size_t shown_max = 10;
  auto count = tasks.count();
  auto shown = count <= shown_max ? count : shown_max - 1;
  std::string result = count == 1 ? "task " : "tasks ";
  auto task = tasks.find_first();
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0)
      result += i + 1 == count ? " and " : ", ";
    result += std::to_string(task);
    task = tasks.find_next(task);
  }
  if (shown < count)
    result += " and " + std::to_string(count - shown) + " more";
  return result;
}

std::string name_of(BarrierCall call) {
  return boost::describe::enum_to_string(call, "?");
}

} // namespace

BarrierSync::BarrierSync(BarrierSyncConfig config)
    : config_(std::move(config)), arrived_(bit(config_.tasks)),
      ended_(bit(config_.tasks)) {
}

BarrierAnswers BarrierSync::arrive(Instant now, BarrierArrival x) {
  if (!is_task(x.task))
    return {{x.task, x.epoch, nullptr,
             "there is no task " + std::to_string(x.task) + " in "
                 + config_.stage}};
  if (!error_.empty())
    return {{x.task, x.epoch, nullptr, error_}};
  if (x.epoch != epoch_)
    return answer_late(x);
  if (arrived_.test(bit(x.task)))
    return {};
  if (arrived_.none()) {
    call_ = x.call;
    messages_ = std::make_shared<std::vector<std::string>>(bit(config_.tasks));
    message_bytes_ = 0;
    due_ = now + config_.timeout;
  } else if (x.call != call_) {
    auto others = names_of(arrived_);
    arrived_.set(bit(x.task));
    return fail("different calls at one barrier: " + name_of(call_) + " by "
                + others + ", " + name_of(x.call) + " by task "
                + std::to_string(x.task));
  }
  arrived_.set(bit(x.task));
  message_bytes_ += x.message.size();
  if (message_bytes_ > config_.message_bytes_max)
    return fail("the messages of all tasks have more than "
                + std::to_string(config_.message_bytes_max) + " bytes");
  if (x.call == BarrierCall::ALL_GATHER)
    (*messages_)[bit(x.task)] = std::move(x.message);
  if (arrived_.all())
    return release();
  return fail_if_some_never_come();
}

/// Not of this epoch.
BarrierAnswers BarrierSync::answer_late(const BarrierArrival& x) const {
  if (last_messages_ && x.epoch == epoch_ - 1)
    return {{x.task, x.epoch, last_messages_, {}}};
  return {{x.task, x.epoch, nullptr,
           "its call number " + std::to_string(std::int64_t{x.epoch} + 1)
               + " comes when all are at number "
               + std::to_string(std::int64_t{epoch_} + 1) + " of "
               + config_.stage}};
}

BarrierAnswers BarrierSync::task_ended(int task) {
  if (!is_task(task))
    return {};
  ended_.set(bit(task));
  return error_.empty() && arrived_.any() ? fail_if_some_never_come()
                                          : BarrierAnswers{};
}

BarrierAnswers BarrierSync::fail_if_some_never_come() {
  auto never = ended_ - arrived_;
  if (never.none())
    return {};
  return fail(names_of(never) + (never.count() == 1 ? " has" : " have")
              + " ended, and " + names_of(arrived_)
              + (arrived_.count() == 1 ? " waits" : " wait"));
}

BarrierAnswers BarrierSync::look(Instant now) {
  if (!due_ || now < *due_)
    return {};
  auto missing = ~arrived_;
  return fail(names_of(missing) + " did not come within "
              + format_duration(config_.timeout) + " to where "
              + names_of(arrived_)
              + (arrived_.count() == 1 ? " waits" : " wait"));
}

BarrierAnswers BarrierSync::release() {
  BarrierAnswer passed;
  passed.epoch = epoch_;
  passed.messages = last_messages_ = std::exchange(messages_, nullptr);
  auto result = answer_all(passed);
  ++epoch_;
  return result;
}

BarrierAnswers BarrierSync::fail(const std::string& why) {
  error_ = why + ": " + place();
  BarrierAnswer failed;
  failed.epoch = epoch_;
  failed.error = error_;
  return answer_all(failed);
}

/// Nobody waits any more.
BarrierAnswers BarrierSync::answer_all(const BarrierAnswer& what) {
  BarrierAnswers result;
  result.reserve(arrived_.count());
  for (auto task = arrived_.find_first(); task != Bits::npos;
       task = arrived_.find_next(task)) {
    result.push_back(what);
    result.back().task = static_cast<int>(task);
  }
  arrived_.reset();
  due_.reset();
  return result;
}

std::string BarrierSync::place() const {
  return "barrier number " + std::to_string(std::int64_t{epoch_} + 1) + " of "
         + config_.stage;
}

} // namespace stoker
