#include "network/local_streams.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <caf/io/doorman.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/middleman_actor_impl.hpp>
#include <caf/io/network/acceptor_impl.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/scribe_impl.hpp>

#include "network/basp_broker.hpp"

namespace stoker {

namespace {

using caf::io::network::default_multiplexer;
using caf::io::network::native_socket;

/// Accepts the streams whose numbers come out of a pipe of this process.
struct FromPipe {
  static bool try_accept(native_socket& result, native_socket pipe) {
    native_socket stream = -1;
    if (::read(pipe, &stream, sizeof stream) != sizeof stream)
      return false;
    result = stream;
    return true;
  }
};

/// Memory for a large message is not kept for the next one.
constexpr std::size_t kept_buffer_max = std::size_t{64} << 10U;

/// Ends when what its peer has not read becomes too much: CAF itself keeps all of
/// it, however much that is. Frees the memory of a large message, which CAF keeps.
///
/// Source: CAF 0.17.6, libcaf_io/src/io/network/stream.cpp and scribe.cpp.
class BoundedScribe : public caf::io::network::scribe_impl {
public:
  BoundedScribe(default_multiplexer& multiplexer, native_socket stream)
      : scribe_impl(multiplexer, stream) {
  }

  bool consume(caf::execution_unit* context, const void* bytes,
               std::size_t count) override {
    auto result = scribe_impl::consume(context, bytes, count);
    // CAF sizes the buffer again before the next read.
    if (rd_buf().capacity() > kept_buffer_max)
      std::vector<char>{}.swap(rd_buf());
    if (wr_buf().empty() && wr_buf().capacity() > kept_buffer_max)
      std::vector<char>{}.swap(wr_buf());
    return result;
  }

  void flush() override {
    if (wr_buf().size() > unread_bytes_max) {
      // CAF sees that the other side has closed.
      ::shutdown(stream_.fd(), SHUT_RDWR);
      std::vector<char>{}.swap(wr_buf());
    }
    scribe_impl::flush();
  }
};

caf::io::scribe_ptr make_scribe(default_multiplexer& multiplexer,
                                native_socket stream) {
  return caf::make_counted<BoundedScribe>(multiplexer, stream);
}

class PipeDoorman : public caf::io::doorman {
public:
  PipeDoorman(default_multiplexer& multiplexer, native_socket pipe,
              std::uint16_t port)
      : doorman(caf::io::network::accept_hdl_from_socket(pipe)),
        acceptor_(multiplexer, pipe), port_(port) {
  }

  bool new_connection() override {
    auto& multiplexer = acceptor_.backend();
    auto stream = make_scribe(multiplexer, acceptor_.accepted_socket());
    auto handle = stream->hdl();
    parent()->add_scribe(std::move(stream));
    return doorman::new_connection(&multiplexer, handle);
  }

  void graceful_shutdown() override {
    acceptor_.graceful_shutdown();
    detach(&acceptor_.backend(), false);
  }

  void launch() override {
    acceptor_.start(this);
  }

  std::string addr() const override {
    return "local";
  }

  std::uint16_t port() const override {
    return port_;
  }

  void add_to_loop() override {
    acceptor_.activate(this);
  }

  void remove_from_loop() override {
    acceptor_.passivate();
  }

private:
  caf::io::network::acceptor_impl<FromPipe> acceptor_;
  std::uint16_t port_;
};

class LocalMiddleman : public caf::io::middleman_actor_impl {
public:
  LocalMiddleman(caf::actor_config& config, caf::actor broker,
                 std::shared_ptr<LocalStreams> streams)
      : middleman_actor_impl(config, std::move(broker)),
        streams_(std::move(streams)) {
  }

protected:
  caf::expected<caf::io::scribe_ptr> connect(const std::string& host,
                                             std::uint16_t) override {
    auto stream = streams_->take(host);
    if (!stream)
      return caf::make_error(caf::sec::cannot_connect_to_node);
    return make_scribe(backend(), stream.release());
  }

  caf::expected<caf::io::doorman_ptr> open(std::uint16_t port, const char*,
                                           bool) override {
    auto pipe = streams_->take_server(port);
    if (!pipe)
      return caf::make_error(caf::sec::cannot_open_port);
    return caf::make_counted<PipeDoorman>(backend(), pipe.release(), port);
  }

private:
  default_multiplexer& backend() {
    return dynamic_cast<default_multiplexer&>(system().middleman().backend());
  }

  std::shared_ptr<LocalStreams> streams_;
};

} // namespace

LocalStreams::LocalStreams() = default;
LocalStreams::~LocalStreams() = default;

std::string LocalStreams::offer(process::UniqueFd stream) {
  std::lock_guard guard{mutex_};
  auto name = "stream-" + std::to_string(++last_);
  offered_.emplace(name, std::move(stream));
  return name;
}

process::UniqueFd LocalStreams::take(const std::string& name) {
  std::lock_guard guard{mutex_};
  auto found = offered_.extract(name);
  return found ? std::move(found.mapped()) : process::UniqueFd{};
}

Status LocalStreams::open(std::uint16_t port) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return Error{Errc::io,
                 std::string{"cannot make a pipe: "} + std::strerror(errno)};
  std::lock_guard guard{mutex_};
  servers_[port] = {process::UniqueFd{ends[0]}, process::UniqueFd{ends[1]}};
  return {};
}

void LocalStreams::admit(std::uint16_t port, process::UniqueFd stream) {
  std::lock_guard guard{mutex_};
  auto server = servers_.find(port);
  if (server == servers_.end())
    return;
  // Either all of a number is written, or nothing.
  auto number = stream.get();
  if (::write(server->second.write_end.get(), &number, sizeof number)
      == sizeof number)
    static_cast<void>(stream.release());
}

process::UniqueFd LocalStreams::take_server(std::uint16_t port) {
  std::lock_guard guard{mutex_};
  auto server = servers_.find(port);
  return server == servers_.end() ? process::UniqueFd{}
                                  : std::move(server->second.read_end);
}

caf::io::middleman_actor
make_local_middleman(caf::actor_system& system,
                     std::shared_ptr<LocalStreams> streams) {
  return system.spawn<LocalMiddleman, caf::detached + caf::hidden>(
      basp_broker(system), std::move(streams));
}

} // namespace stoker
