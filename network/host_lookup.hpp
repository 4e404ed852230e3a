#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include "messages/result.hpp"

namespace stoker {

/// Where a host is reached, in the order in which to try.
using HostEndpoints = std::vector<boost::asio::ip::tcp::endpoint>;

/// Finds them; may block for as long as it likes.
using LookUp
    = std::function<Result<HostEndpoints>(const std::string&, std::uint16_t)>;

/// Asks the system.
Result<HostEndpoints> look_up_by_system(const std::string& host,
                                        std::uint16_t port);

/// Looks a host up in a thread of its own, for which nobody has to wait: the system
/// asks its servers for minutes, if they do not answer, and cannot be interrupted.
class HostLookup {
public:
  using Done = std::function<void(Result<HostEndpoints>)>;

  /// Calls `done` once, in that thread; of an address at once.
  static std::shared_ptr<HostLookup> start(const LookUp& look_up,
                                           const std::string& host,
                                           std::uint16_t port, Done done);

  /// `done` is not called any more once this has returned. Not to be called by it.
  void abandon();

private:
  struct Waiting;

  explicit HostLookup(std::shared_ptr<Waiting> waiting);

  std::shared_ptr<Waiting> waiting_;
};

} // namespace stoker
