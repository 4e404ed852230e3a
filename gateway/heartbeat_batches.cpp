#include "gateway/heartbeat_batches.hpp"

#include <utility>

#include <caf/send.hpp>

namespace stoker {

void KnownHeartbeat::set(std::string frame, HeardHeartbeat meaning) {
  auto shared = std::make_shared<const HeardHeartbeat>(std::move(meaning));
  std::lock_guard lock{mutex_};
  frame_ = std::move(frame);
  meaning_ = std::move(shared);
}

void KnownHeartbeat::forget() {
  std::lock_guard lock{mutex_};
  frame_ = std::string{};
  meaning_.reset();
}

std::shared_ptr<const HeardHeartbeat>
KnownHeartbeat::find(std::string_view frame) const {
  std::lock_guard lock{mutex_};
  return frame == frame_ ? meaning_ : nullptr;
}

HeartbeatBatches::HeartbeatBatches(MasterActor master, FrameServer::Later later)
    : master_(std::move(master)), later_(std::move(later)) {
}

bool HeartbeatBatches::take(KnownHeartbeat& known, std::string_view frame) {
  auto meaning = known.find(frame);
  if (!meaning)
    return false;
  if (std::exchange(known.batch_, number_) == number_)
    return true;
  if (waiting_.empty() && !is_under_way_)
    later_([this] { send(); });
  waiting_.push_back(std::move(meaning));
  return true;
}

void HeartbeatBatches::send() {
  if (waiting_.empty())
    return;
  is_under_way_ = true;
  ++number_;
  auto taken = [this] {
    is_under_way_ = false;
    send();
  };
  // Wherever the batch is freed, also where nobody has taken it.
  std::shared_ptr<void> until_taken{
      nullptr, [later = later_, taken](std::nullptr_t) { later(taken); }};
  caf::anon_send(master_, HeartbeatBatch{std::exchange(waiting_, {}),
                                         std::move(until_taken)});
}

} // namespace stoker
