#include "scheduling/jobs/stage_outputs.hpp"

#include <cassert>

namespace stoker {

int OutputServers::number_of(const RegisterExecutor& x) {
  auto [known, is_new]
      = by_id_.emplace(x.outputs.id, static_cast<int>(servers_.size()));
  auto number = known->second;
  if (is_new) {
    servers_.push_back({x.outputs, x.worker_id, x.host});
    by_worker_.emplace(x.worker_id, number);
  } else {
    // It may have come back at another port.
    servers_[static_cast<std::size_t>(number)].address = x.outputs;
  }
  return number;
}

std::vector<int> OutputServers::of(const WorkerId& worker_id) const {
  std::vector<int> result;
  auto [begin, end] = by_worker_.equal_range(worker_id);
  for (auto i = begin; i != end; ++i)
    result.push_back(i->second);
  return result;
}

void StageOutputTable::add(TaskAttempt x, int server) {
  auto& place = places_[static_cast<std::size_t>(x.task)];
  assert(place.server < 0);
  place = {server, x.attempt};
  --missing_;
  ++version_;
  message_ = nullptr;
}

std::optional<int> StageOutputTable::server_of(TaskAttempt x) const {
  const auto& place = places_[static_cast<std::size_t>(x.task)];
  if (place.server < 0 || place.attempt != x.attempt)
    return std::nullopt;
  return place.server;
}

std::optional<int> StageOutputTable::server_of_task(int task) const {
  const auto& place = places_[static_cast<std::size_t>(task)];
  return place.server < 0 ? std::nullopt : std::optional<int>{place.server};
}

void StageOutputTable::clear_place(std::size_t task) {
  places_[task] = {};
  ++missing_;
  ++version_;
  message_ = nullptr;
}

int StageOutputTable::lose(TaskAttempt x) {
  assert(server_of(x));
  clear_place(static_cast<std::size_t>(x.task));
  return ++losses_[x.task];
}

void StageOutputTable::clear() {
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (places_[i].server >= 0)
      clear_place(i);
}

std::vector<int> StageOutputTable::lose_server(int server) {
  std::vector<int> result;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].server != server)
      continue;
    clear_place(i);
    result.push_back(static_cast<int>(i));
  }
  return result;
}

std::shared_ptr<const StageOutputs>
StageOutputTable::to_message(StageId stage, const OutputServers& servers) {
  if (message_)
    return message_;
  auto result = std::make_shared<StageOutputs>();
  result->stage = stage;
  result->places = places_;
  // Servers of this message have numbers of their own: the application may have
  // known many by now.
  std::map<int, std::int32_t> numbers;
  for (auto& place : result->places) {
    if (place.server < 0)
      continue;
    auto [known, is_new] = numbers.emplace(
        place.server, static_cast<std::int32_t>(result->servers.size()));
    if (is_new)
      result->servers.push_back(servers[place.server].address);
    place.server = known->second;
  }
  message_ = std::move(result);
  return message_;
}

} // namespace stoker
