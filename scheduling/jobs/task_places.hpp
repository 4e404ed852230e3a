#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scheduling/jobs/stage_spec.hpp"

namespace stoker {

/// Where the tasks of a stage had better run.
class TaskPlaces {
public:
  /// Anywhere.
  TaskPlaces() = default;

  /// As a stage says, by task.
  explicit TaskPlaces(std::vector<std::vector<TaskPlace>> places)
      : places_(std::move(places)) {
  }

  /// One host for each task, in order. Empty: none.
  explicit TaskPlaces(const std::vector<std::string>& host_of_task) {
    std::map<std::string, int> numbers;
    host_numbers_.reserve(host_of_task.size());
    for (const auto& host : host_of_task) {
      auto [known, is_new]
          = numbers.emplace(host, static_cast<int>(hosts_.size()));
      if (is_new)
        hosts_.push_back(host);
      host_numbers_.push_back(known->second);
    }
  }

  [[nodiscard]] bool empty() const noexcept {
    return places_.empty() && host_numbers_.empty();
  }

  [[nodiscard]] std::vector<TaskPlace> of(int task) const {
    auto i = static_cast<std::size_t>(task);
    if (!places_.empty())
      return places_[i];
    if (host_numbers_.empty())
      return {};
    const auto& host = hosts_[static_cast<std::size_t>(host_numbers_[i])];
    if (host.empty())
      return {};
    return {{host, {}}};
  }

private:
  std::vector<std::vector<TaskPlace>> places_;

  /// Each task's place in `hosts_`: a stage may have millions of tasks.
  std::vector<int> host_numbers_;
  std::vector<std::string> hosts_;
};

} // namespace stoker
