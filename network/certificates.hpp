#pragma once

#include <string>
#include <vector>

#include "messages/result.hpp"
#include "network/identity.hpp"

namespace stoker {

/// PEM files of one member of a cluster.
struct MemberCertificate {
  Identity identity;
  std::string certificate;
  std::string key;

  /// Whether there were no such files before.
  bool is_new = true;
};

/// What `make_certificates` made or found.
struct Certificates {
  /// The authority's certificate, which each node needs, and its key, which
  /// makes more nodes and belongs to nobody else.
  std::string authority;
  std::string authority_key;

  /// Whether there was no authority before.
  bool authority_is_new = false;

  /// In the order that was asked for.
  std::vector<MemberCertificate> members;
};

/// Makes the certificates that a cluster needs for mutual TLS, in `directory`,
/// which is created if need be:
/// - `ca.pem`, `ca-key.pem`: the cluster's own authority, for ten years; reused
///   when it is there;
/// - `NAME.pem`, `NAME-key.pem` for each of `members`: signed by the authority, for
///   825 days, to be server and client. A node is reached by its name, which is a
///   host's name or an IP address; `localhost` by those of loopback, too.
///
/// Keys are on the curve P-256 and readable by their owner only. Nothing that
/// exists is overwritten: a member that an earlier call has made, with the same role, by
/// the same authority, is kept until it has expired; anything else in its place is an
/// error. After an error no file was written.
Result<Certificates> make_certificates(const std::string& directory,
                                       const std::vector<Identity>& members);

} // namespace stoker
