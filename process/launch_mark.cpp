#include "process/launch_mark.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>

namespace stoker::process {

namespace {

constexpr LaunchMark unlimited = RLIM64_INFINITY;

/// Below it are the marks of a worker that is not limited itself.
constexpr LaunchMark highest = LaunchMark{1} << 62U;

/// How many hexadecimal token_digits of a token tell launches apart.
constexpr std::size_t token_digits = 10;
constexpr LaunchMark marks_below = LaunchMark{1} << (4 * token_digits);

/// For a process of another user, as one that runs a set-user-ID program.
std::optional<LaunchMark> mark_in_proc(pid_t pid) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/limits"};
  constexpr std::string_view name = "Max realtime timeout";
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(name))
      continue;
    std::istringstream fields{line.substr(name.size())};
    std::string soft, hard;
    fields >> soft >> hard;
    LaunchMark result = unlimited;
    std::from_chars(hard.data(), hard.data() + hard.size(), result);
    return result;
  }
  return std::nullopt;
}

} // namespace

LaunchMark mark_of(const std::string& token) {
  auto below = std::min(mark_carried_by(::getpid()).value_or(0), highest);
  LaunchMark number = 0;
  auto size = std::min(token.size(), token_digits);
  std::from_chars(token.data(), token.data() + size, number, 16);
  return below > marks_below ? below - 1 - number : 0;
}

void carry_mark(LaunchMark mark) {
  if (mark == 0)
    return;
  const rlimit64 limit{mark, mark};
  ::prlimit64(0, RLIMIT_RTTIME, &limit, nullptr);
}

std::optional<LaunchMark> mark_carried_by(pid_t pid) {
  rlimit64 limit{};
  if (::prlimit64(pid, RLIMIT_RTTIME, nullptr, &limit) == 0)
    return limit.rlim_max;
  return errno == EPERM ? mark_in_proc(pid) : std::nullopt;
}

} // namespace stoker::process
