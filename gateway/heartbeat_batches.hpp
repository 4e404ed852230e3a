#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "actors/interfaces.hpp"
#include "gateway/frame_server.hpp"

namespace stoker {

/// The heartbeat of the worker at the other end of a connection. Its bytes are always the
/// same: who has read them once knows what they mean.
class KnownHeartbeat {
public:
  // -- for any thread ---------------------------------------------------------

  void set(std::string frame, HeardHeartbeat meaning);
  void forget();

private:
  friend class HeartbeatBatches;

  /// What the frame means. Null: it is another one.
  [[nodiscard]] std::shared_ptr<const HeardHeartbeat>
  find(std::string_view frame) const;

  mutable std::mutex mutex_;
  std::string frame_;
  std::shared_ptr<const HeardHeartbeat> meaning_;

  /// The number of the last batch that it was in; for the thread of the batches.
  std::uint64_t batch_ = 0;
};

/// Takes heartbeats to the master, many at a time: a message for each costs more than all
/// that the master does with it. A batch waits until the one before was taken, and has each
/// worker once: workers that are faster than the master cost no memory. For one thread alone.
class HeartbeatBatches {
public:
  /// @param later Does something on that thread; never, once this object is gone, which it may
  /// outlive with a batch that nobody has taken yet.
  HeartbeatBatches(MasterActor master, FrameServer::Later later);

  /// Whether the frame is that heartbeat, which is then taken to the master.
  bool take(KnownHeartbeat& known, std::string_view frame);

private:
  void send();

  MasterActor master_;
  FrameServer::Later later_;
  std::vector<std::shared_ptr<const HeardHeartbeat>> waiting_;

  /// Of the batch that waits.
  std::uint64_t number_ = 1;

  /// The last batch has not been taken yet.
  bool is_under_way_ = false;
};

} // namespace stoker
