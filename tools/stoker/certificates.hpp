#pragma once

#include <string>
#include <vector>

#include "messages/result.hpp"

namespace stoker {

/// PEM files of one node of a cluster.
struct NodeCertificate {
  std::string host;
  std::string certificate;
  std::string key;
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
  std::vector<NodeCertificate> nodes;
};

/// Makes the certificates that a cluster needs for mutual TLS, in `directory`,
/// which is created if need be:
/// - `ca.pem`, `ca-key.pem`: the cluster's own authority, for ten years; reused
///   when it is there;
/// - `HOST.pem`, `HOST-key.pem` for each of `hosts`, names or IP addresses:
///   signed by the authority, for 825 days, to be server and client.
///
/// Keys are on the curve P-256 and readable by their owner only. Nothing that
/// exists is overwritten. After an error no file was written.
Result<Certificates> make_certificates(const std::string& directory,
                                       const std::vector<std::string>& hosts);

} // namespace stoker
