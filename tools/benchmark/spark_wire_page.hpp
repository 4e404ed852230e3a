#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace stoker::benchmark {

/// Asks a master's pages, over one connection that stays open.
class WirePage {
public:
  /// Throws std::exception when it cannot connect to this port of 127.0.0.1.
  explicit WirePage(std::uint16_t port);
  ~WirePage();

  WirePage(const WirePage&) = delete;
  WirePage& operator=(const WirePage&) = delete;

  /// What is there. Throws std::exception when it cannot be had.
  std::string get(const std::string& path);

  struct Visit {
    double first_byte_s = 0;
    std::size_t bytes = 0;
  };

  /// The same, for who wants to know how long it took; compressed, if he takes that, and left
  /// so.
  Visit visit(const std::string& path, bool takes_gzip = false);

private:
  class Connection;
  std::unique_ptr<Connection> connection_;
};

/// How many workers the master shows as alive: not as lost or disconnected. Throws
/// std::exception when it does not say so.
std::int64_t alive_workers_of(WirePage& page);

} // namespace stoker::benchmark
