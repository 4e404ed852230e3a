#include "gateway/shuffle_registry.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "messages/json.hpp"
#include "scheduling/common/plain_name.hpp"

namespace stoker {

namespace fs = std::filesystem;

namespace {

/// More than any executor has.
constexpr std::size_t directories_max = 1'000;
constexpr int subdirectories_max = 65'536;
constexpr std::size_t record_bytes_max = std::size_t{1} << 20U;

constexpr std::string_view record_prefix = "executor-";
constexpr std::string_view record_suffix = ".json";

fs::path record_path(const fs::path& application, const std::string& exec_id) {
  return application
         / (std::string{record_prefix} + exec_id + std::string{record_suffix});
}

bool has_record(const fs::path& application) {
  std::error_code error;
  for (fs::directory_iterator i{application, error}, end; !error && i != end;
       i.increment(error)) {
    auto name = i->path().filename().string();
    if (name.starts_with(record_prefix) && name.ends_with(record_suffix))
      return true;
  }
  return false;
}

Error not_registered(const std::string& app_id, const std::string& exec_id) {
  return {Errc::not_found, "executor " + exec_id + " of application " + app_id
                               + " has not said where it writes"};
}

Status check_directories(const ShuffleDirectories& x,
                         const fs::path& application) {
  if (x.directories.empty() || x.directories.size() > directories_max
      || x.subdirectories < 1 || x.subdirectories > subdirectories_max)
    return invalid("an executor cannot have "
                   + std::to_string(x.directories.size()) + " directories of "
                   + std::to_string(x.subdirectories) + " each");
  std::error_code error;
  auto inside = fs::canonical(application, error).string() + '/';
  if (error)
    return Error{Errc::not_allowed,
                 "its application has no files here: " + application.string()};
  for (const auto& directory : x.directories)
    if (auto real = fs::canonical(directory, error);
        error || !real.string().starts_with(inside))
      return Error{Errc::not_allowed, "the directory " + directory
                                          + " is not one of its application's"};
  return {};
}

/// Whoever reads it finds all of it, or the old one.
Status write_record(const fs::path& path, const ShuffleDirectories& x) {
  auto unfinished = path;
  unfinished += ".new";
  std::ofstream out{unfinished, std::ios::trunc};
  out << boost::json::serialize(to_json(x)) << '\n';
  out.close();
  std::error_code error;
  if (out)
    fs::rename(unfinished, path, error);
  if (!out || error)
    return Error{Errc::io, "cannot write " + path.string()};
  return {};
}

/// Nothing: there is none that could be read.
std::optional<ShuffleDirectories> read_record(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)
      || fs::file_size(path, error) > record_bytes_max || error)
    return std::nullopt;
  std::ifstream in{path};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  try {
    return from_json<ShuffleDirectories>(boost::json::parse(text));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

} // namespace

ShuffleRegistry::ShuffleRegistry(std::string root) : root_(std::move(root)) {
}

Status ShuffleRegistry::add(const spark::RegisterShuffleExecutor& x) {
  if (!is_plain_name(x.app_id) || !is_plain_name(x.exec_id))
    return invalid("an application or an executor has no such name");
  if (!applications_.contains(x.app_id))
    forget_removed();
  auto application = fs::path{root_} / x.app_id;
  ShuffleDirectories where{x.directories, x.subdirectories};
  if (auto status = check_directories(where, application); !status)
    return status;
  if (auto status = write_record(record_path(application, x.exec_id), where);
      !status)
    return status;
  applications_[x.app_id][x.exec_id] = std::move(where);
  return {};
}

std::vector<AppId> ShuffleRegistry::applications_in(const std::string& root) {
  std::vector<AppId> result;
  std::error_code error;
  for (fs::directory_iterator i{root, error}, end; !error && i != end;
       i.increment(error))
    if (has_record(i->path()))
      result.push_back({i->path().filename().string()});
  return result;
}

Result<const ShuffleDirectories*>
ShuffleRegistry::find(const std::string& app_id, const std::string& exec_id) {
  if (!is_plain_name(app_id) || !is_plain_name(exec_id))
    return not_registered(app_id, exec_id);
  auto& known = applications_[app_id];
  auto i = known.find(exec_id);
  if (i != known.end())
    return &i->second;
  // A worker that ran here before may have heard it.
  auto application = fs::path{root_} / app_id;
  auto stored = read_record(record_path(application, exec_id));
  if (!stored || !check_directories(*stored, application)) {
    if (known.empty())
      applications_.erase(app_id);
    return not_registered(app_id, exec_id);
  }
  return &(known[exec_id] = *std::move(stored));
}

void ShuffleRegistry::forget_removed() {
  std::erase_if(applications_, [&](const auto& x) {
    std::error_code error;
    return !fs::exists(fs::path{root_} / x.first, error);
  });
}

} // namespace stoker
