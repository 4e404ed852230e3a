#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/frame_server.hpp"
#include "messages/result.hpp"

namespace stoker {

/// The port of a page, as of "http://ann-laptop:4040". Nothing if it has none that can be
/// asked: only pages without TLS can.
std::optional<std::uint16_t> page_port(std::string_view url);

/// The page of a driver or a worker.
struct VersionPage : SocketAddress {
  /// The user of the driver or worker: the page of another user is neither asked nor
  /// believed. Unset: the driver or worker is on another machine.
  std::optional<uid_t> owner;
};

/// Asks a page of a driver's, or a worker's, for the version of its Spark. `answered` gets
/// it, as "3.5.9", or why there is none.
using AskVersion
    = std::function<void(const VersionPage& page,
                         std::function<void(Result<std::string>)> answered)>;

/// Asks the pages of Spark's drivers (document "Monitoring and Instrumentation" of Spark,
/// section "REST API") and workers, which show it to people alone. A page comes before its
/// answers do: it is asked again until it answers, or the time is over. Has a thread of its
/// own, which calls back.
class VersionPages {
public:
  explicit VersionPages(std::chrono::milliseconds timeout);

  /// Questions that are open are not answered.
  // NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
  ~VersionPages();

  VersionPages(const VersionPages&) = delete;
  VersionPages& operator=(const VersionPages&) = delete;

  /// May outlive this object, and do nothing then.
  [[nodiscard]] AskVersion ask_version() const;
  [[nodiscard]] AskVersion ask_version_of_worker() const;

private:
  class Question;
  class Turns;
  class State;
  std::shared_ptr<State> state_;
};

} // namespace stoker
