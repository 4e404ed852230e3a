#include "outputs/worker_outputs.hpp"

#include <utility>

#include <boost/json.hpp>

#include "messages/task_environment.hpp"
#include "storage/identity_files.hpp"

namespace stoker {

namespace {

constexpr const char* secret_key = "secret";

Result<ApplicationSecret> read_secret(const std::filesystem::path& file) {
  auto read = identity_files::read_json(file);
  if (!read)
    return std::move(read).error();
  const auto* object = *read ? (*read)->if_object() : nullptr;
  const auto* text = object ? object->if_contains(secret_key) : nullptr;
  if (text == nullptr || !text->is_string())
    return Error{Errc::corrupt, file.string() + " has no secret"};
  const auto& hex = text->get_string();
  return ApplicationSecret::parse({hex.data(), hex.size()});
}

Status keep_secret(const std::filesystem::path& file,
                   const ApplicationSecret& secret) {
  return identity_files::replace_file(
      file, boost::json::object{{secret_key, secret.reveal()}});
}

} // namespace

Result<std::shared_ptr<WorkerOutputs>>
WorkerOutputs::start(const std::string& host,
                     const std::filesystem::path& directory,
                     OutputLimits limits) {
  auto service = OutputService::start(host, 0, directory, limits);
  if (!service)
    return std::move(service).error();
  return std::shared_ptr<WorkerOutputs>{
      new WorkerOutputs{*std::move(service), directory}};
}

WorkerOutputs::WorkerOutputs(std::unique_ptr<OutputService> service,
                             std::filesystem::path directory)
    : service_(std::move(service)), directory_(std::move(directory)) {
  for (const auto& app : service_->found())
    if (read_secret(secret_file(app)))
      found_.push_back(app);
    else
      service_->stop_serving(app);
}

std::filesystem::path WorkerOutputs::secret_file(const AppId& app) const {
  return directory_ / app.value / ".secret";
}

Status WorkerOutputs::serve(const AppId& app, const std::string& secret) {
  auto parsed = secret.empty() ? read_secret(secret_file(app))
                               : ApplicationSecret::parse(secret);
  if (!parsed)
    return std::move(parsed).error();
  auto server = service_->serve(app, *parsed);
  if (!server)
    return std::move(server).error();
  served_[app] = *std::move(server);
  return secret.empty() ? Status{} : keep_secret(secret_file(app), *parsed);
}

void WorkerOutputs::give_up() {
  served_.clear();
  service_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

void WorkerOutputs::writer_ended(const ExecutorId& id) {
  service_->writer_ended(id.app_id, id.exec_id);
}

void WorkerOutputs::stop_serving(const AppId& app) {
  served_.erase(app);
  service_->stop_serving(app);
}

std::map<std::string, std::string>
WorkerOutputs::environment_of(const AppId& app) const {
  auto found = served_.find(app);
  if (found == served_.end())
    return {};
  const auto& x = found->second;
  return {{task_environment::output_server, to_string(x)},
          {task_environment::output_directory, x.directory},
          {task_environment::output_server_id, x.id}};
}

} // namespace stoker
