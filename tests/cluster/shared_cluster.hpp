#pragma once

#include <string>

#include "tests/cluster/cluster.hpp"

namespace stoker::test {

/// Runs until there is a file `go`.
inline constexpr const char* until_go
    = "echo started; until [ -e go ]; do sleep 0.05; done";

/// What is said of users who may not use a cluster.
inline constexpr const char* nobody_else = "is not in the tenants file";

/// A cluster of 2 cores and 1 GB with a tenants file.
struct SharedCluster : Cluster {
  const std::string file = path("tenants.toml");

  /// In one step, so that nobody reads half of it.
  void write(const std::string& text) const;

  /// Nobody may use the cluster but this user, within `limits`.
  void write_known(const std::string& limits = {}) const;

  /// Nobody may use the cluster but somebody else.
  void write_unknown() const;

  /// With a mistake in line 3.
  void write_bad() const;

  /// By `stoker local`, or by a master and a worker. Returns the master.
  Process& start(const std::string& command = "local");

  /// Whether this user may not use the cluster.
  bool refuses();

  /// What `stoker queues --json` says.
  boost::json::object queues();

  /// Waits until so many applications are in queues.
  bool queued(int n);
};

} // namespace stoker::test
