#include "process/open_files.hpp"

#include <sys/resource.h>

#include <algorithm>

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

} // namespace stoker::process
