#include "network/descriptor_shares.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "network/lobby.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

/// This process may have so many descriptors while the object lives.
class DescriptorLimit {
public:
  /// @param most counts as the hard limit if that is lower
  explicit DescriptorLimit(rlim_t most) {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    auto limit = before_;
    limit.rlim_cur = std::min(most, limit.rlim_max);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  }
  ~DescriptorLimit() {
    ::setrlimit(RLIMIT_NOFILE, &before_);
  }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;

private:
  rlimit before_{};
};

} // namespace

TEST_CASE("the shares of descriptors fit together into what a process may have",
          "[network]") {
  const auto newcomers = LobbyLimits{}.connections_max;
  auto most = GENERATE(1024U, 4096U, 20'000U);
  CAPTURE(most);
  DescriptorLimit limit{most};
  auto places = places_at_door(newcomers);
  CHECK(places >= 64);
  CHECK(places * descriptors_of_peer + newcomers + descriptors_for_pages()
            + 2 * descriptors_for_spark() + descriptors_reserved
        <= descriptors_max());
}

TEST_CASE("a door has some places when there are too few descriptors for all",
          "[network]") {
  DescriptorLimit limit{256};
  CHECK(places_at_door(LobbyLimits{}.connections_max) == 16);
}
