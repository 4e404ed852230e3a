#pragma once

#include <cstdint>
#include <string>

#include "messages/describe.hpp"

namespace stoker {

/// Who serves what the executors of a worker have written.
struct OutputServer {
  std::string host;
  std::uint16_t port = 0;

  /// Where the application's outputs are on that machine, for readers on the same
  /// one: they need no connection.
  std::string directory;

  /// Chosen at random, and also in the directory: a directory of the same name on
  /// another machine is another one.
  std::string id;
};
BOOST_DESCRIBE_STRUCT(OutputServer, (), (host, port, directory, id))

/// "host:port"
inline std::string to_string(const OutputServer& x) {
  return x.host + ':' + std::to_string(x.port);
}

} // namespace stoker
