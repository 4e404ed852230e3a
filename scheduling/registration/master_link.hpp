#pragma once

// What workers and applications have in common: the connection to a master.

#include <cstddef>
#include <string>

namespace stoker {

// -- events -------------------------------------------------------------------

struct MasterConnected {};
struct MasterConnectionFailed {
  std::string reason;
};
struct MasterDisconnected {};

// -- effects ------------------------------------------------------------------

/// Open a connection to master number `master`, leaving any other.
struct ConnectToMaster {
  std::size_t master = 0;
};

} // namespace stoker
