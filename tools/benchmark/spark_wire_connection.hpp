#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "process/unique_fd.hpp"
#include "spark/frame.hpp"
#include "spark/rpc_message.hpp"
#include "tools/benchmark/spark_wire_loop.hpp"

namespace stoker::benchmark {

/// One end of a connection that carries frames of Spark's.
class WireConnection : public WireSocket {
public:
  using Received = std::function<void(const spark::Frame&)>;

  WireConnection(WireLoop& loop, Received received)
      : loop_(loop), received_(std::move(received)) {
  }
  ~WireConnection() override {
    close();
  }

  /// Connects, from an address of this machine. Throws std::runtime_error when it cannot.
  void connect(const std::string& from, const spark::RpcAddress& to);

  /// Takes a connection that somebody else has opened, in place of the one it has.
  void adopt(process::UniqueFd socket);

  /// Sends whole frames; what the other end does not take yet goes later.
  void send(std::string_view frames);

  void close();

  /// No more so when the other end has closed it.
  [[nodiscard]] bool is_open() const noexcept {
    return static_cast<bool>(socket_);
  }

  void ready(std::uint32_t events) override;

private:
  void receive();
  void take_frames(std::string_view& bytes);
  void send_rest();

  WireLoop& loop_;
  Received received_;
  process::UniqueFd socket_;

  /// The beginning of a frame.
  std::string incomplete_;
  std::string unsent_;
};

/// Stands for all addresses of this machine's loopback, and no others.
inline constexpr const char* wire_any_host = "0.0.0.0";

/// Takes connections at one address, or at `wire_any_host`.
class WireListener : public WireSocket {
public:
  using Accepted = std::function<void(process::UniqueFd)>;

  /// Throws std::runtime_error when it cannot listen there.
  WireListener(WireLoop& loop, const spark::RpcAddress& at, Accepted accepted);
  ~WireListener() override;

  void ready(std::uint32_t events) override;

private:
  WireLoop& loop_;
  Accepted accepted_;
  process::UniqueFd socket_;
};

/// Whether somebody listens there.
bool can_be_connected(const spark::RpcAddress& to);

} // namespace stoker::benchmark
