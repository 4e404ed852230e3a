#pragma once

#include <stdexcept>
#include <string>

namespace stoker::simulation {

/// Something that must never happen has happened.
class Violation : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// @throws Violation
[[noreturn]] inline void fail(const std::string& what) {
  throw Violation{what};
}

} // namespace stoker::simulation
