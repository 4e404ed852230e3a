#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/spark_peer.hpp"
#include "spark/frame.hpp"
#include "spark/java_graph.hpp"
#include "spark/message_writer.hpp"

namespace stoker {

using SparkPeerSelf = SparkPeerActor::stateful_pointer<SparkPeerState>;

/// How a message of Spark's is answered, if it is a request.
class SparkAnswers {
public:
  SparkAnswers(FrameConnectionPtr connection, const spark::Frame& frame)
      : connection_(std::move(connection)),
        is_asked_(frame.type == spark::FrameType::rpc_request),
        request_(frame.request_id) {
  }

  /// Whether it is one.
  [[nodiscard]] bool are_wanted() const noexcept {
    return is_asked_;
  }

  void tell(std::string_view content) const {
    if (is_asked_)
      connection_->send(spark::response_frame(request_, content));
  }
  void tell(bool x) const {
    tell(spark::written_boolean(x));
  }

  /// Who asked throws an exception that says so.
  void fail(std::string_view why) const {
    if (is_asked_)
      connection_->send(spark::failure_frame(request_, why));
  }

private:
  FrameConnectionPtr connection_;
  bool is_asked_;
  std::int64_t request_;
};

/// Logs what a peer sent that it should not have.
void log_refusal(SparkPeerSelf self, const std::string& what);

/// The forms of messages that the sender of a graph may understand; what it has sent looks
/// the same in all of them. The newest first.
std::vector<const spark::VersionTable*>
tables_of(SparkPeerSelf self, const spark::JavaGraph& graph);

/// Who is behind the connection. Fails with `Errc::not_allowed` for one who may not use the
/// master.
/// @param what what his process does, as "registers"
Result<SparkUser> user_behind(SparkPeerSelf self, const std::string& what);

spark::RpcAddress rpc_address(const SocketAddress& x);

} // namespace stoker
