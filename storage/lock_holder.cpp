#include "storage/lock_holder.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace stoker {

namespace {

/// The kernel's number of this boot, and of this process's pid namespace.
std::string place_of_this_process() {
  std::string boot;
  std::ifstream{"/proc/sys/kernel/random/boot_id"} >> boot;
  struct stat status {};
  if (boot.empty() || ::stat("/proc/self/ns/pid", &status) != 0)
    return "unknown";
  return boot + '/' + std::to_string(status.st_ino);
}

} // namespace

LockHolder LockHolder::self() {
  return {process::identify(::getpid()), place_of_this_process(), 0};
}

std::string to_string(const LockHolder& x) {
  return std::to_string(x.process.pid) + ' ' + std::to_string(x.process.start)
         + ' ' + x.place + ' ' + std::to_string(x.sign);
}

std::optional<LockHolder> parse_lock_holder(const std::string& text) {
  std::istringstream in{text};
  LockHolder result;
  in >> result.process.pid >> result.process.start >> result.place
      >> result.sign;
  return in && result.process.pid > 0 ? std::optional{result} : std::nullopt;
}

std::optional<LockHolder> read_lock_holder(const std::string& directory) {
  std::ifstream in{directory + "/lock"};
  std::string line;
  std::getline(in, line);
  return parse_lock_holder(line);
}

bool end_lock_holder(const LockHolder& x) {
  if (x.place == "unknown" || x.place != LockHolder::self().place
      || x.process.pid == ::getpid())
    return false;
  process::send_signal(x.process, SIGKILL);
  return true;
}

} // namespace stoker
