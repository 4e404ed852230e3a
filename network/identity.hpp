#pragma once

#include <string>
#include <vector>

#include <openssl/types.h>

#include "messages/result.hpp"

namespace stoker {

/// What somebody may be to a cluster.
enum class Role {
  /// Runs applications of his own.
  user,
  /// Runs the cluster, and may do what a user may.
  operator_,
  /// Is part of it: a master or a worker.
  node,
  /// Belongs to one application, whose secret it knows. No certificate says so,
  /// and to a master it may say nothing.
  executor,
};
/// Whether one may do all that the other may.
bool includes(Role x, Role other);

/// "user", "operator", "node" or "executor".
std::string to_string(Role x);

/// Who is behind a connection: as a certificate says that the cluster's authority
/// has signed, or as the secret of an application proves, whose id the name is.
struct Identity {
  std::string name;
  Role role = Role::user;

  /// The names and addresses that a node's certificate is for. Empty: for any, or it is no node.
  std::vector<std::string> hosts = {};

  /// A member of a cluster that has renewed its certificate is the same.
  friend bool operator==(const Identity& x, const Identity& y) {
    return x.name == y.name && x.role == y.role;
  }
};

/// "user ann"
std::string to_string(const Identity& x);

/// How a certificate says its role: a URI among its alternative names.
std::string role_uri(Role x);

/// Of a certificate whose signature was checked. Fails if it has no role, several,
/// or a name that is empty, longer than 64 bytes or not printable.
Result<Identity> identity_of(X509* certificate);

} // namespace stoker
