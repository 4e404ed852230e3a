#pragma once

#include <sys/resource.h>

#include <algorithm>

#include "tests/support/catch.hpp"

namespace stoker::test {

/// Lowers a resource limit of this process (setrlimit(2)) while the object lives, as
/// RLIMIT_NOFILE or RLIMIT_FSIZE.
class ResourceLimit {
public:
  /// @param most the new limit; the hard limit counts if it is lower
  ResourceLimit(int resource, rlim_t most) : resource_(resource) {
    REQUIRE(::getrlimit(resource_, &before_) == 0);
    auto limit = before_;
    limit.rlim_cur = std::min(most, limit.rlim_max);
    REQUIRE(::setrlimit(resource_, &limit) == 0);
  }
  ~ResourceLimit() {
    ::setrlimit(resource_, &before_);
  }
  ResourceLimit(const ResourceLimit&) = delete;
  ResourceLimit& operator=(const ResourceLimit&) = delete;

private:
  int resource_;
  rlimit before_{};
};

} // namespace stoker::test
