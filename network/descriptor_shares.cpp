#include "network/descriptor_shares.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace stoker {

std::size_t descriptors_max() {
  rlimit descriptors{};
  ::getrlimit(RLIMIT_NOFILE, &descriptors);
  return static_cast<std::size_t>(descriptors.rlim_cur);
}

std::size_t descriptors_for_pages() {
  constexpr std::size_t most = 2048;
  constexpr std::size_t least = 16;
  constexpr std::size_t parts = 8;
  return std::clamp(descriptors_max() / parts, least, most);
}

std::size_t descriptors_for_spark() {
  constexpr std::size_t most = 20'000;
  constexpr std::size_t least = 64;
  constexpr std::size_t parts = 8;
  return std::clamp(descriptors_max() / parts, least, most);
}

std::size_t places_at_door(std::size_t newcomers) {
  constexpr std::size_t least = 16;
  auto others = descriptors_reserved + descriptors_for_pages()
                + 2 * descriptors_for_spark() + newcomers;
  auto all = descriptors_max();
  return std::max(least,
                  all > others ? (all - others) / descriptors_of_peer : 0);
}

} // namespace stoker
