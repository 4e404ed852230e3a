#include "outputs/served_applications.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <system_error>
#include <utility>

#include <boost/asio/post.hpp>
#include <spdlog/spdlog.h>

#include "outputs/output_names.hpp"
#include "outputs/write_errors.hpp"
#include "process/private_directory.hpp"

namespace stoker {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view discarded_prefix = ".removed-";

void report_removal(const fs::path& path, const std::error_code& error) {
  if (error)
    spdlog::warn("[outputs-not-removed] {}: {}", path.string(),
                 error.message());
}

} // namespace

ServedApplications::ServedApplications(fs::path data_directory,
                                       std::uint64_t quota_bytes)
    : data_directory_(std::move(data_directory)), quota_bytes_(quota_bytes),
      remover_(report_removal) {
}

Result<std::unique_ptr<ServedApplications>>
ServedApplications::open(fs::path data_directory, std::uint64_t quota_bytes) {
  if (auto failed = process::make_private_directories(data_directory);
      failed != 0)
    return write_error("cannot make " + data_directory.string(), failed);
  std::unique_ptr<ServedApplications> result{
      new ServedApplications{std::move(data_directory), quota_bytes}};
  std::error_code error;
  std::vector<fs::path> discarded;
  for (fs::directory_iterator i{result->data_directory_, error}, end;
       !error && i != end; i.increment(error)) {
    std::error_code ignored;
    AppId app{i->path().filename().string()};
    if (!fs::is_directory(i->symlink_status(ignored)))
      continue;
    if (app.value.starts_with(discarded_prefix))
      discarded.push_back(i->path());
    else if (is_directory_name(app))
      result->found_.push_back(std::move(app));
  }
  if (error)
    return Error{Errc::io, "cannot read " + result->data_directory_.string()
                               + ": " + error.message()};
  std::sort(result->found_.begin(), result->found_.end());
  for (auto& path : discarded)
    result->remover_.remove(std::move(path));
  return result;
}

ServedApplications::~ServedApplications() {
  worker_.join();
}

Result<ServedApplications::Location>
ServedApplications::add(const AppId& app, const ApplicationSecret& secret) {
  auto location = [](const ApplicationOutputs& x) {
    return Location{x.directory(), x.server_id()};
  };
  std::lock_guard lock{mutex_};
  if (auto found = applications_.find(app); found != applications_.end()) {
    found->second->secret = secret;
    return location(found->second->outputs);
  }
  auto outputs = ApplicationOutputs::open(data_directory_, app, quota_bytes_);
  if (!outputs)
    return std::move(outputs).error();
  auto added
      = std::make_shared<Application>(Application{secret, *std::move(outputs)});
  applications_.emplace(app, added);
  return location(added->outputs);
}

void ServedApplications::remove(const AppId& app) {
  if (!is_directory_name(app))
    return;
  std::lock_guard lock{mutex_};
  applications_.erase(app);
  discard(data_directory_ / app.value);
}

void ServedApplications::discard(const fs::path& directory) {
  // Also unlike what another process of the same worker has left.
  auto name = std::string{discarded_prefix} + std::to_string(::getpid()) + '-'
              + std::to_string(
                  std::chrono::system_clock::now().time_since_epoch().count())
              + '-' + std::to_string(discarded_++);
  auto hidden = data_directory_ / name;
  if (std::rename(directory.c_str(), hidden.c_str()) == 0)
    remover_.remove(std::move(hidden));
  else if (errno != ENOENT)
    report_removal(directory, {errno, std::generic_category()});
}

void ServedApplications::later(const AppId& app,
                               std::function<void(ApplicationOutputs&)> what) {
  auto found = find(app);
  if (!found)
    return;
  boost::asio::post(worker_,
                    [found, what = std::move(what)] { what(found->outputs); });
}

void ServedApplications::writer_ended(const AppId& app, int exec_id) {
  later(app, [exec_id](ApplicationOutputs& x) { x.writer_ended(exec_id); });
}

void ServedApplications::remove_stage(const AppId& app, StageId stage,
                                      std::function<void()> then) {
  later(app, [stage, then = std::move(then)](ApplicationOutputs& x) {
    x.remove_stage(stage);
    then();
  });
}

std::shared_ptr<ServedApplications::Application>
ServedApplications::find(const AppId& app) const {
  std::lock_guard lock{mutex_};
  auto found = applications_.find(app);
  return found != applications_.end() ? found->second : nullptr;
}

std::optional<ApplicationSecret>
ServedApplications::secret_of(const AppId& app) const {
  std::lock_guard lock{mutex_};
  auto found = applications_.find(app);
  return found != applications_.end() ? std::optional{found->second->secret}
                                      : std::nullopt;
}

std::optional<fs::path>
ServedApplications::directory_of(const AppId& app) const {
  auto found = find(app);
  return found ? std::optional{found->outputs.directory()} : std::nullopt;
}

std::uint64_t ServedApplications::used(const AppId& app) const {
  auto found = find(app);
  return found ? found->outputs.used() : 0;
}

} // namespace stoker
