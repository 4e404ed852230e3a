#pragma once

#include <string>
#include <vector>

#include "tests/cluster/cluster.hpp"
#include "tests/cluster/network.hpp"

namespace stoker::test {

/// Makes certificates in a directory of the sandbox.
void make_certificates(Cluster& cluster, const std::string& directory,
                       const std::vector<std::string>& hosts);

/// What to put on a command line, or what stands for it in the environment.
std::vector<std::string> tls_options(Cluster& cluster,
                                     const std::string& directory,
                                     const std::string& host);

std::vector<std::string> joined(std::vector<std::string> a,
                                const std::vector<std::string>& b);

/// A master on machine 1, workers on 2 and 3, and machine 4, whose certificate is of
/// another authority.
class NetworkedCluster : public Cluster {
public:
  NetworkedCluster();

  Process& stoker_on(int machine, std::vector<std::string> words);

  std::vector<std::string> tls(int machine) {
    return tls_options(*this, "certs", Network::address(machine));
  }

  /// The master's lines about connections that it refused.
  std::vector<std::string> refusals();

  Network network;
  Process* master = nullptr;
};

} // namespace stoker::test
