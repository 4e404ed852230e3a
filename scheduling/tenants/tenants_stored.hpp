#pragma once

// What is stored of companies and users, so that a new leader serves them in
// the order in which the last one would have.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "messages/describe.hpp"

namespace stoker {

/// A company's past. What it occupies follows from its applications.
struct StoredCompany {
  std::string name;

  /// When it was served last: the number of that selection.
  std::uint64_t selected = 0;

  /// Usage as it stood at a time, in milliseconds since 1970.
  double usage_cores = 0;
  double usage_memory_mb = 0;
  std::int64_t usage_at_ms = 0;

  friend bool operator==(const StoredCompany&, const StoredCompany&) = default;
};
BOOST_DESCRIBE_STRUCT(StoredCompany, (),
                      (name, selected, usage_cores, usage_memory_mb,
                       usage_at_ms))

struct StoredUser {
  std::string name;

  /// As for a company.
  std::uint64_t selected = 0;

  friend bool operator==(const StoredUser&, const StoredUser&) = default;
};
BOOST_DESCRIBE_STRUCT(StoredUser, (), (name, selected))

/// The user has nothing any more. Erasing one that is not there is harmless.
struct EraseUser {
  std::string name;
  friend bool operator==(const EraseUser&, const EraseUser&) = default;
};

/// A record takes the place of the one with the same name, if there is one.
using TenantChange = std::variant<StoredCompany, StoredUser, EraseUser>;

using TenantChanges = std::vector<TenantChange>;

} // namespace stoker
