#include "network/descriptor_shortage.hpp"

#include <cerrno>
#include <utility>

#include <spdlog/spdlog.h>

#include "network/descriptor_shares.hpp"

namespace stoker {

namespace {

constexpr std::chrono::minutes over_after{1};

} // namespace

std::string shortage_reason(int system_error) {
  if (system_error == ENFILE)
    return "this machine has no more open files: raise fs.file-max (sysctl)";
  return "this process has the " + std::to_string(descriptors_max())
         + " open files that it may have: " + more_descriptors_advice;
}

bool DescriptorShortage::note(int system_error, Clock::time_point now) {
  if (system_error != EMFILE && system_error != ENFILE)
    return false;
  std::lock_guard guard{mutex_};
  auto last = std::exchange(last_, now);
  if (!last || now - *last >= over_after)
    spdlog::error("[connections-not-taken] connections {} cannot be taken: {}",
                  whose_, shortage_reason(system_error));
  return true;
}

} // namespace stoker
