#pragma once

#include <optional>
#include <string>
#include <vector>

#include "messages/result.hpp"
#include "network/address.hpp"

namespace stoker::jobs {

/// Where an application runs.
struct MasterChoice {
  /// Empty: in a cluster of this process.
  std::vector<MasterAddress> addresses;

  /// Of that cluster; unset: the machine's.
  std::optional<int> cores;

  [[nodiscard]] bool is_local() const noexcept {
    return addresses.empty();
  }
};

/// Reads "local", "local[2]", "local[*]" or "stoker://HOST:PORT,...". Empty: what
/// STOKER_MASTER says, or "local". Fails with a line about what it should be.
Result<MasterChoice> choose_master(const std::string& text);

} // namespace stoker::jobs
