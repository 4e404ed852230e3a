#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "process/unique_fd.hpp"
#include "tools/benchmark/spark_wire_connection.hpp"
#include "tools/benchmark/spark_wire_loop.hpp"

namespace stoker::benchmark {

/// The page of all fake workers, as far as a master reads it: the version of their Spark.
/// It is at each address of this machine's loopback, and at no other.
class WireVersionPage {
public:
  /// Throws std::runtime_error when it cannot listen.
  WireVersionPage(WireLoop& loop, std::uint16_t port,
                  const std::string& version);
  ~WireVersionPage();

  WireVersionPage(const WireVersionPage&) = delete;
  WireVersionPage& operator=(const WireVersionPage&) = delete;

private:
  /// Somebody who asks.
  class Visitor;

  void welcome(process::UniqueFd socket);

  WireLoop& loop_;
  std::string answer_;
  WireListener listener_;

  std::vector<std::unique_ptr<Visitor>> visitors_;

  /// Those of them that have been answered: others may come in their place.
  std::vector<Visitor*> gone_;
};

} // namespace stoker::benchmark
