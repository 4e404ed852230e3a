#include "embedding/output_directories.hpp"

#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "network/address.hpp"
#include "process/private_directory.hpp"

namespace stoker {

namespace {

/// Whether the directory's name is that of a process that is no more.
bool is_of_the_dead(const std::string& name) {
  pid_t pid = 0;
  auto [end, error]
      = std::from_chars(name.data(), name.data() + name.size(), pid);
  return error == std::errc{} && *end == '-' && pid > 0 && pid != ::getpid()
         && ::kill(pid, 0) != 0 && errno == ESRCH;
}

} // namespace

Result<std::string> own_output_directory(const std::string& work_directory,
                                         int worker) {
  auto all = work_directory + "/.outputs";
  auto result
      = all + '/' + std::to_string(::getpid()) + '-' + std::to_string(worker);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator{all, error})
    if (is_of_the_dead(entry.path().filename())) {
      std::error_code ignored;
      std::filesystem::remove_all(entry.path(), ignored);
    }
  if (auto failed = process::make_private_directories(result); failed != 0)
    return Error{Errc::io, "cannot create the directory " + result + ": "
                               + std::strerror(failed)};
  return result;
}

std::string output_host(const std::string& master_host,
                        const std::string& host) {
  return is_loopback(master_host) ? "127.0.0.1" : host;
}

} // namespace stoker
