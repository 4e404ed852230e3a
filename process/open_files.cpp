#include "process/open_files.hpp"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>

namespace stoker::process {

namespace {

std::uint64_t before = 0;

} // namespace

void raise_open_files_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0
      || limit.rlim_cur == limit.rlim_max)
    return;
  auto soft = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0)
    before = soft;
}

std::uint64_t open_files_limit_before() {
  return before;
}

void limit_open_files(std::uint64_t count) {
  rlimit limit{};
  if (count == 0 || ::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = std::min<rlim_t>(count, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::vector<int> open_descriptors() {
  std::vector<int> result;
  std::unique_ptr<DIR, int (*)(DIR*)> directory{::opendir("/proc/self/fd"),
                                                ::closedir};
  if (!directory)
    return result;
  while (const auto* entry = ::readdir(directory.get())) {
    const std::string_view name{entry->d_name};
    int fd = -1;
    std::from_chars(name.data(), name.data() + name.size(), fd);
    if (fd > STDERR_FILENO && fd != ::dirfd(directory.get()))
      result.push_back(fd);
  }
  std::sort(result.begin(), result.end());
  return result;
}

void close_descriptors_but(const std::vector<int>& kept) {
  auto next = static_cast<unsigned>(STDERR_FILENO) + 1;
  for (auto fd : kept) {
    auto x = static_cast<unsigned>(fd);
    if (x > next)
      ::syscall(SYS_close_range, next, x - 1, 0);
    next = x + 1;
  }
  ::syscall(SYS_close_range, next, ~0U, 0);
}

} // namespace stoker::process
