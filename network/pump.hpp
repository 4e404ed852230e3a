#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/stream.hpp>

#include "network/basp_filter.hpp"
#include "network/frame_budget.hpp"
#include "network/receiver.hpp"

namespace stoker {

using PlainStream = boost::asio::ip::tcp::socket;
using TlsStream = boost::asio::ssl::stream<PlainStream>;

/// Carries bytes between a peer and the local stream that CAF has, in both
/// directions, until either side ends or says what it may not. Of each direction
/// no more than a buffer is under way: who does not read is not sent more. Nor is more
/// read of a peer whose messages are not handled as fast as they come.
///
/// Lives while anything is under way. To be used in the thread of its streams.
class Pump {
public:
  using Local = boost::asio::local::stream_protocol::socket;

  /// Called once, when either side has ended; empty: it has closed.
  using Ended = std::function<void(const std::string& why)>;

  virtual ~Pump() = default;

  /// @param rest What the peer has said already.
  virtual void start(std::vector<char> rest) = 0;

  /// Ends both sides.
  virtual void close() = 0;
};

struct PumpRules {
  /// What the peer may say; std::nullopt: all.
  std::optional<BaspFilter> filter;

  /// What of the peer's messages is kept here counts against this; may be null.
  std::unique_ptr<FrameBudget::Share> budget;

  /// For so long the peer may say nothing while somebody here would read, or not
  /// read what it is sent.
  std::chrono::milliseconds silence_max{};

  /// Who handles the peer's messages; null: it is not asked whether it keeps up.
  std::shared_ptr<Receiver> receiver;

  /// After so many bytes it is asked, and after as many more there has to be an answer.
  std::size_t ahead_max = 0;
};

template <class Peer>
std::shared_ptr<Pump> make_pump(Peer peer, Pump::Local local, PumpRules rules,
                                Pump::Ended ended);

extern template std::shared_ptr<Pump> make_pump(PlainStream, Pump::Local,
                                                PumpRules, Pump::Ended);
extern template std::shared_ptr<Pump> make_pump(TlsStream, Pump::Local,
                                                PumpRules, Pump::Ended);

} // namespace stoker
