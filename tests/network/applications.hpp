#pragma once

#include "messages/ids.hpp"
#include "network/application_secret.hpp"
#include "tests/support/catch.hpp"

namespace stoker::test {

inline const AppId words{"app-20261121074600-0001"};
inline const AppId other_app{"app-20261121074600-0002"};

inline ApplicationSecret new_secret() {
  auto result = ApplicationSecret::make();
  REQUIRE(result);
  return *result;
}

} // namespace stoker::test
