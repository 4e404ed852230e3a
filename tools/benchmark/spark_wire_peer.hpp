#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "spark/frame.hpp"
#include "spark/rpc_message.hpp"
#include "tools/benchmark/spark_wire_connection.hpp"
#include "tools/benchmark/spark_wire_context.hpp"

namespace stoker::benchmark {

/// A process of Spark's, as far as a master sees it: an address of its own, a connection
/// from there to the master, and another one from the master if it is called.
class WirePeer {
public:
  /// @param index tells its address
  WirePeer(WireContext& context, int index);
  WirePeer(const WirePeer&) = delete;
  WirePeer& operator=(const WirePeer&) = delete;
  virtual ~WirePeer() = default;

  /// Connects, and asks whether there is a master, as all of Spark's processes do first.
  void connect();

  /// From now on it can be called by a master that is new.
  void listen();

  /// Asks something that is answered when all is handled that was said before.
  void ask_status();

protected:
  /// Something that the master tells.
  virtual void hear(std::string_view message, std::string_view content) = 0;

  void tell(std::string_view frame) {
    connection_.send(frame);
  }

  /// A whole frame that tells something.
  [[nodiscard]] std::string told(const std::string& content) const {
    return context_.writer.told(address_, content);
  }

  [[nodiscard]] WireContext& context() noexcept {
    return context_;
  }
  [[nodiscard]] const spark::RpcAddress& address() const noexcept {
    return address_;
  }

private:
  void receive(const spark::Frame& frame);

  WireContext& context_;
  spark::RpcAddress address_;
  WireConnection connection_;
  std::unique_ptr<WireListener> listener_;
};

} // namespace stoker::benchmark
