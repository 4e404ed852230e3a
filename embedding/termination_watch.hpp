#pragma once

#include <functional>
#include <thread>

namespace stoker {

/// Calls a function when SIGTERM comes to this process. A child that was forked without exec
/// is not meant: SIGTERM ends it, as it ends any process. One object at a time.
///
/// A handler, unlike a blocked signal, is not inherited by programs that are started.
class TerminationWatch {
public:
  /// @param heard Is called once, by a thread of this object.
  explicit TerminationWatch(std::function<void()> heard);

  /// SIGTERM ends this process again.
  ~TerminationWatch();

  TerminationWatch(const TerminationWatch&) = delete;
  TerminationWatch& operator=(const TerminationWatch&) = delete;

private:
  std::thread thread_;
};

} // namespace stoker
