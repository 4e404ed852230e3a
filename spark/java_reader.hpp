#pragma once

#include <cstddef>
#include <string_view>

#include "messages/result.hpp"
#include "spark/java_graph.hpp"

namespace stoker::spark {

/// What is taken of a stream. A graph takes 64 bytes for each thing, and 8 for each
/// value: some 6 times the bytes of a real message, and with these limits never more
/// than 16 MiB and 8 times the bytes.
struct JavaLimits {
  std::size_t bytes_max = std::size_t{16} * 1024 * 1024;

  /// How deep things stand in each other. Real messages have less than 30.
  std::size_t depth_max = 256;

  /// How many classes a class may extend.
  std::size_t levels_max = 64;

  std::size_t nodes_max = std::size_t{1} << 18U;
};

/// Reads a stream that holds exactly one thing (Java Object Serialization Specification,
/// section 6.4), and adds it to a graph: so one message can have parts that were read
/// apart. By the class descriptions in the stream alone: no class need be known, and
/// nothing is run. Takes no exceptions, proxies or resets, which no message has.
/// Fails with `Errc::corrupt`, and leaves the graph of no use then.
/// @param bytes have to outlive the graph
Result<NodeId> read_java(JavaGraph& graph, std::string_view bytes,
                         const JavaLimits& limits = {});

} // namespace stoker::spark
