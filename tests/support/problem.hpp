#pragma once

#include <string>

#include "messages/result.hpp"

namespace stoker::test {

/// What it says that is wrong; empty if it succeeded.
template <class T>
std::string problem_in(const Result<T>& result) {
  return result ? "" : result.error().message;
}

} // namespace stoker::test
