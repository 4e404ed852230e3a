#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/support/catch.hpp"

namespace stoker::test {

/// Says that a test case, or the rest of it, cannot run here; the caller returns
/// after it. A person reads a warning. Where the environment has CI=true, the case
/// fails: that machine must have all that the tests need, and nobody reads what
/// passes there.
inline void skip(const std::string& reason) {
  const char* ci = std::getenv("CI");
  if (ci != nullptr && std::string_view{ci} == "true")
    FAIL("skipped, which counts as a failure with CI=true: " << reason);
  WARN("skipped: " << reason);
}

/// The same for what no machine has to have, CI's neither.
inline void skip_extra(const std::string& reason) {
  WARN("skipped: " << reason);
}

} // namespace stoker::test
