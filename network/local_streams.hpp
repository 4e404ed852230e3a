#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <caf/actor_system.hpp>
#include <caf/io/middleman_actor.hpp>

#include "messages/result.hpp"
#include "process/unique_fd.hpp"

namespace stoker {

/// So much of what is said to a peer may wait for it to read: more than any one
/// message. The connection ends when it is more, in bytes.
inline constexpr std::size_t unread_bytes_max = std::size_t{128} * 1024 * 1024;

/// The streams that CAF is given, instead of opening sockets of its own: each is
/// one end of a socket pair, whose other end a Pump has. May be used by any
/// thread.
///
///     offer(stream) -> name ... connect_atom, name      CAF is the client
///     admit(port, stream)   ... publish_atom, port      CAF is the server
class LocalStreams {
public:
  LocalStreams();
  ~LocalStreams();

  LocalStreams(const LocalStreams&) = delete;
  LocalStreams& operator=(const LocalStreams&) = delete;

  /// Keeps a stream until CAF connects to a host of the name that is returned.
  /// Each is another one, so that no attempt joins an earlier one.
  std::string offer(process::UniqueFd stream);

  /// The stream of that name; once.
  process::UniqueFd take(const std::string& name);

  /// Makes CAF a server at a port that somebody else listens on.
  Status open(std::uint16_t port);

  /// Gives a new stream to the server at a port. What CAF cannot take is closed.
  void admit(std::uint16_t port, process::UniqueFd stream);

  /// Where the server at a port reads its streams; once.
  process::UniqueFd take_server(std::uint16_t port);

private:
  struct Server {
    process::UniqueFd read_end;
    process::UniqueFd write_end;
  };

  std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::map<std::string, process::UniqueFd> offered_;
  std::map<std::uint16_t, Server> servers_;
};

/// What opens connections for CAF, from these streams alone.
caf::io::middleman_actor
make_local_middleman(caf::actor_system& system,
                     std::shared_ptr<LocalStreams> streams);

} // namespace stoker
