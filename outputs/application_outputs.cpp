#include "outputs/application_outputs.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "outputs/output_index.hpp"
#include "outputs/output_names.hpp"
#include "outputs/write_errors.hpp"
#include "process/private_directory.hpp"
#include "process/unique_fd.hpp"

namespace stoker {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t server_id_digits = 32;

Result<std::string> make_server_id(const fs::path& directory) {
  std::array<unsigned char, server_id_digits / 2> random{};
  // Not OpenSSL's: that would keep something for each thread, and the thread of a worker's
  // actor may end after the process's last word.
  if (::getrandom(random.data(), random.size(), 0)
      != static_cast<ssize_t>(random.size()))
    return Error{Errc::failed, "the system has no random numbers"};
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (auto x : random) {
    result += digits[x >> 4U];
    result += digits[x & 0xFU];
  }
  // Readers see all of it, or none.
  auto path = (directory / server_id_file).string();
  auto unfinished = path + ".new";
  process::UniqueFd fd{::open(unfinished.c_str(),
                              O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
  if (!fd
      || ::write(fd.get(), result.data(), result.size())
             != static_cast<ssize_t>(result.size())
      || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    auto error = write_error("cannot write " + path, errno);
    ::unlink(unfinished.c_str());
    return error;
  }
  return result;
}

/// The names of all files; those that appear meanwhile may be missing.
std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> result;
  std::error_code error;
  for (fs::directory_iterator i{directory, error}, end; !error && i != end;
       i.increment(error))
    result.push_back(i->path().filename().string());
  return result;
}

std::uint64_t size_of(const fs::path& file) {
  struct stat status {};
  return ::lstat(file.c_str(), &status) == 0
             ? static_cast<std::uint64_t>(status.st_size)
             : 0;
}

std::uint64_t output_size(const fs::path& directory, const TaskAttempt& x) {
  return size_of(directory / data_file_name(x))
         + size_of(directory / index_file_name(x));
}

/// Nothing: the index cannot be read, so that nobody knows.
std::optional<int> writer_of(const fs::path& directory, const TaskAttempt& x) {
  process::UniqueFd fd{::open((directory / index_file_name(x)).c_str(),
                              O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  std::array<char, index_header_bytes> bytes{};
  if (!fd
      || ::pread(fd.get(), bytes.data(), bytes.size(), 0)
             != static_cast<ssize_t>(bytes.size()))
    return std::nullopt;
  auto header = parse_index_header(bytes);
  return header ? std::optional{header->exec_id} : std::nullopt;
}

/// The outputs that are finished.
std::vector<TaskAttempt> finished_in(const fs::path& directory) {
  std::vector<TaskAttempt> result;
  for (const auto& name : names_in(directory))
    if (auto x = parse_output_file_name(name);
        x && !x->exec_id && x->kind == "index")
      result.push_back(x->attempt);
  return result;
}

} // namespace

std::string read_server_id(const fs::path& directory) {
  process::UniqueFd fd{::open((directory / server_id_file).c_str(),
                              O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  std::array<char, server_id_digits> bytes{};
  if (!fd
      || ::read(fd.get(), bytes.data(), bytes.size())
             != static_cast<ssize_t>(bytes.size()))
    return {};
  return {bytes.data(), bytes.size()};
}

Result<ApplicationOutputs>
ApplicationOutputs::open(const fs::path& data_directory, const AppId& app,
                         std::uint64_t quota_bytes) {
  if (!is_directory_name(app))
    return invalid("the application's id cannot be a directory's name");
  auto directory = data_directory / app.value;
  if (auto failed = process::make_private_directories(directory); failed != 0)
    return write_error("cannot make " + directory.string(), failed);
  auto id = read_server_id(directory);
  if (id.empty()) {
    auto made = make_server_id(directory);
    if (!made)
      return std::move(made).error();
    id = *std::move(made);
  }
  auto table = ReservationTable::create(directory, quota_bytes);
  if (!table)
    return std::move(table).error();
  // It is new, or nothing is there.
  if (table->used() == 0)
    for (const auto& x : finished_in(directory))
      table->add_settled(output_size(directory, x));
  return ApplicationOutputs{std::move(directory), std::move(id),
                            *std::move(table)};
}

void ApplicationOutputs::writer_ended(int exec_id) {
  for (const auto& name : names_in(directory_)) {
    auto x = parse_output_file_name(name);
    if (!x || x->exec_id != exec_id)
      continue;
    // Its data have their last name before its index has.
    if (x->kind == "index"
        && ::access((directory_ / index_file_name(x->attempt)).c_str(), F_OK)
               != 0)
      ::unlink((directory_ / data_file_name(x->attempt)).c_str());
    ::unlink((directory_ / name).c_str());
  }
  if (!table_.knows(exec_id))
    return;
  std::uint64_t left = 0;
  for (const auto& x : finished_in(directory_))
    if (writer_of(directory_, x) == exec_id)
      left += output_size(directory_, x);
  table_.settle(exec_id, left);
}

void ApplicationOutputs::remove_stage(StageId stage) {
  for (const auto& x : finished_in(directory_)) {
    if (x.stage != stage)
      continue;
    auto writer = writer_of(directory_, x);
    auto bytes = output_size(directory_, x);
    // Without its index it does not count as an output any more.
    ::unlink((directory_ / index_file_name(x)).c_str());
    ::unlink((directory_ / data_file_name(x)).c_str());
    if (writer && table_.knows(*writer))
      table_.give_back(*writer, bytes);
    else
      table_.remove_settled(bytes);
  }
}

} // namespace stoker
