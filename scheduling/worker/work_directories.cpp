#include "scheduling/worker/work_directories.hpp"

#include <algorithm>
#include <utility>

#include "scheduling/common/plain_name.hpp"

namespace stoker {

WorkDirectories::WorkDirectories(std::string work_directory, int retained,
                                 std::string spark_directory)
    : work_directory_(std::move(work_directory)),
      spark_directory_(spark_directory.empty() ? work_directory_ + "/.spark"
                                               : std::move(spark_directory)),
      retained_(static_cast<std::size_t>(retained)) {
}

std::string WorkDirectories::of(const ExecutorId& id) const {
  return path_of(id.app_id.value) + '/' + std::to_string(id.exec_id);
}

std::string WorkDirectories::of(const DriverId& id, int attempt) const {
  auto directory = path_of(id.value);
  return attempt <= 1 ? directory
                      : directory + "/attempt-" + std::to_string(attempt);
}

std::string WorkDirectories::program_directory(const std::string& directory) {
  return directory + "/work";
}

std::string WorkDirectories::of_spark(const AppId& app) const {
  return spark_directory_ + '/' + app.value;
}

std::optional<std::string> WorkDirectories::retire(const std::string& name) {
  if (!is_plain_name(name)
      || std::find(retired_.begin(), retired_.end(), name) != retired_.end())
    return std::nullopt;
  used_.erase(name);
  retired_.push_back(name);
  if (retired_.size() <= retained_)
    return std::nullopt;
  auto oldest = path_of(retired_.front());
  retired_.pop_front();
  return oldest;
}

void WorkDirectories::use(const AppId& app) {
  std::erase(retired_, app.value);
  used_.insert(app.value);
}

std::vector<AppId> WorkDirectories::used() const {
  std::vector<AppId> result;
  for (const auto& name : used_)
    result.push_back(AppId{name});
  return result;
}

std::string WorkDirectories::path_of(const std::string& name) const {
  return work_directory_ + '/' + name;
}

} // namespace stoker
