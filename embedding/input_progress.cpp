#include "embedding/input_progress.hpp"

#include <algorithm>
#include <utility>

#include "process/launch_spec.hpp"
#include "scheduling/common/wake_up.hpp"

namespace stoker {

namespace {

constexpr Duration first_input_pause{100};
constexpr Duration longest_input_pause{2000};

/// Of all requests under way together.
constexpr std::size_t under_way_max = 16 * 1024 * 1024;
constexpr std::size_t piece_bytes_min = 4 * 1024;

} // namespace

void InputProgress::is_application(const AppId& id) {
  app_id_ = id;
}

void InputProgress::started(int exec_id, const WorkerId& worker) {
  auto [i, added] = readers_.try_emplace(exec_id);
  if (!added)
    return;
  i->second.worker = worker;
  ready_.insert(exec_id);
}

void InputProgress::ended(int exec_id) {
  readers_.erase(exec_id);
  ready_.erase(exec_id);
  waiting_.erase(exec_id);
}

void InputProgress::lost(int exec_id) {
  if (auto i = readers_.find(exec_id); i != readers_.end())
    lost_[exec_id] = i->second;
  ended(exec_id);
}

void InputProgress::found_again(int exec_id) {
  auto found = lost_.extract(exec_id);
  if (found.empty() || readers_.contains(exec_id))
    return;
  found.mapped().is_asked = false;
  readers_.insert(std::move(found));
  ready_.insert(exec_id);
}

void InputProgress::arrived() {
  ready_.merge(waiting_);
}

std::vector<std::pair<int, std::int64_t>>
InputProgress::ready(Instant now) const {
  std::vector<std::pair<int, std::int64_t>> result;
  for (auto exec_id : ready_)
    if (const auto& x = readers_.at(exec_id);
        !x.not_before || *x.not_before <= now)
      result.emplace_back(exec_id, x.offset);
  return result;
}

std::optional<WriteInput> InputProgress::write(int exec_id, InputPart part) {
  ready_.erase(exec_id);
  if (part.pending) {
    waiting_.insert(exec_id);
    return std::nullopt;
  }
  auto& reader = readers_.at(exec_id);
  reader.is_asked = true;
  return WriteInput{reader.worker, ExecutorId{app_id_, exec_id}, reader.offset,
                    std::move(part.data), part.end};
}

InputProgress::Reader* InputProgress::find_asked(int exec_id) {
  auto i = readers_.find(exec_id);
  return i != readers_.end() && i->second.is_asked ? &i->second : nullptr;
}

std::optional<std::string> InputProgress::answered(int exec_id,
                                                   const InputResponse& x) {
  auto* reader = find_asked(exec_id);
  if (reader == nullptr)
    return std::nullopt;
  reader->is_asked = false;
  reader->not_before.reset();
  reader->pause = {};
  if (x.problem) {
    ended(exec_id);
    return x.problem;
  }
  reader->offset = x.taken;
  if (x.closed)
    ended(exec_id);
  else
    ready_.insert(exec_id);
  return std::nullopt;
}

std::optional<std::string> InputProgress::failed(Instant now, int exec_id,
                                                 Errc code,
                                                 const std::string& why) {
  auto* reader = find_asked(exec_id);
  if (reader == nullptr)
    return std::nullopt;
  if (code == Errc::not_allowed) {
    ended(exec_id);
    return why;
  }
  // The master will say what has become of it, if anything has.
  reader->is_asked = false;
  reader->pause = reader->pause == Duration{}
                      ? first_input_pause
                      : std::min(2 * reader->pause, longest_input_pause);
  reader->not_before = now + reader->pause;
  ready_.insert(exec_id);
  return std::nullopt;
}

std::optional<std::int64_t> InputProgress::needed() const {
  if (readers_.empty())
    return std::nullopt;
  std::int64_t result = 0;
  for (const auto& [exec_id, reader] : readers_)
    result = std::max(result, reader.offset);
  // One piece is under way, and the next is read meanwhile.
  return result + 2 * static_cast<std::int64_t>(piece_bytes());
}

std::size_t InputProgress::piece_bytes() const {
  return std::clamp(under_way_max / std::max<std::size_t>(readers_.size(), 1),
                    piece_bytes_min, process::input_bytes_max);
}

std::optional<Instant> InputProgress::due(Instant now) const {
  std::optional<Instant> result;
  for (auto exec_id : ready_)
    if (const auto& x = readers_.at(exec_id).not_before; x && *x > now)
      result = earlier(result, x);
  return result;
}

} // namespace stoker
