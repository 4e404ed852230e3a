#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <caf/response_promise.hpp>

#include "scheduling/leadership/connections.hpp"

namespace stoker {

/// How many bytes of an output a worker is asked for of whom answers of so many are yet
/// to come. What waits in one connection is bounded (`unread_bytes_max`), and it would end
/// if it were more: the more is to come, the less is asked for, but always something.
std::int64_t output_limit(std::int64_t asked, std::int64_t to_come);

/// The requests that a MASTER has passed on to workers and that have no answer yet.
///
/// Invariant: a worker that is here has requests, and `bytes` is the sum of theirs.
class PassedOn {
public:
  /// @param bytes What the answer has at most.
  /// @return its number, which tells it from the others of this worker
  std::uint64_t add(PeerNumber worker, std::int64_t bytes,
                    caf::response_promise answer);

  /// Nothing: it was taken before.
  std::optional<caf::response_promise> take(PeerNumber worker,
                                            std::uint64_t number);

  /// All of a worker, in the order in which they were passed on.
  std::vector<caf::response_promise> take_all(PeerNumber worker);

  /// What the answers of a worker may have together, in bytes.
  [[nodiscard]] std::int64_t bytes_to_come(PeerNumber worker) const;

private:
  struct Request {
    std::int64_t bytes = 0;
    caf::response_promise answer;
  };

  struct Worker {
    std::map<std::uint64_t, Request> requests;
    std::int64_t bytes = 0;
  };

  std::unordered_map<PeerNumber, Worker> workers_;
  std::uint64_t last_ = 0;
};

} // namespace stoker
