#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "messages/state_question.hpp"
#include "scheduling/master/records.hpp"

namespace stoker {

/// The workers that are registered, and lost ones that are still shown.
///
/// Invariants: each index names workers that are here, and each of them: by id;
/// by host; by address, if it listens; by endpoint, while it is connected. What
/// identifies a worker (number, id, host, port) does not change. Who is not
/// connected was asked nothing. Workers that are not DEAD are counted by identity.
class WorkerTable {
public:
  /// Registers a worker under a new key, connected by its endpoint.
  /// @pre Neither its id nor its address is here.
  WorkerKey add(StoredWorker worker);

  /// Takes over a worker under the key that it had. Nothing: its number or id is
  /// here already.
  std::optional<WorkerKey> restore(StoredWorker worker);

  /// Takes it out. @pre It is DEAD.
  void remove(WorkerKey key);

  /// The worker has this state from now on. Returns the state that it had.
  WorkerState set_state(WorkerKey key, WorkerState state);

  /// The worker is this identity's from now on.
  void give_to(WorkerKey key, const std::string& identity);

  // -- connections ------------------------------------------------------------

  /// The worker is reached by `endpoint` from now on.
  void connect(WorkerKey key, const EndpointId& endpoint);

  /// Nobody is behind the worker's endpoint any more.
  void disconnect(WorkerKey key);

  [[nodiscard]] bool is_connected(WorkerKey key) const;

  // -- questions --------------------------------------------------------------

  /// A question what the worker runs: an answer to an earlier one does not count
  /// any more. @pre It is connected.
  StateQuestion ask(WorkerKey key, LeaderEpoch epoch);

  /// A report has come. Returns whether it answers the last question, which is
  /// then answered. A report that names none is taken for an answer.
  bool take_answer(WorkerKey key, const std::optional<StateQuestion>& question);

  // -- look-up by connection --------------------------------------------------

  [[nodiscard]] std::optional<WorkerKey>
  find_by_endpoint(const EndpointId& endpoint) const;

  // -- look-up ----------------------------------------------------------------

  [[nodiscard]] std::optional<WorkerKey> find(const WorkerId& id) const;

  /// Not a DEAD one.
  [[nodiscard]] std::optional<WorkerKey> find_present(const WorkerId& id) const;

  /// @pre The port is not 0.
  [[nodiscard]] std::optional<WorkerKey>
  find_by_address(const std::string& host, int port) const;

  /// The workers on a host, in order of registration.
  [[nodiscard]] const std::set<WorkerKey>&
  on_host(const std::string& host) const;

  /// Returns how many workers of an identity are not DEAD.
  [[nodiscard]] std::size_t present_of(const std::string& identity) const;

  [[nodiscard]] const Worker& at(WorkerKey key) const {
    return workers_.at(key);
  }

  /// For what a worker reports and runs; its identity, endpoint and state stay.
  [[nodiscard]] Worker& edit(WorkerKey key) {
    return workers_.at(key);
  }

  [[nodiscard]] bool contains(WorkerKey key) const {
    return workers_.contains(key);
  }

  /// In order of registration.
  [[nodiscard]] const std::map<WorkerKey, Worker>& all() const noexcept {
    return workers_;
  }

  /// Recomputes the indexes. Returns what is not as it should be, in one line.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  void insert(WorkerKey key, StoredWorker&& worker);

  /// Counts a worker, or counts it no more, for its identity unless it is DEAD.
  void count(const StoredWorker& x);
  void discount(const StoredWorker& x);

  std::map<WorkerKey, Worker> workers_;
  std::uint32_t next_ = 0;
  std::uint64_t questions_ = 0;
  std::unordered_map<WorkerId, WorkerKey> by_id_;
  std::unordered_map<EndpointId, WorkerKey> by_endpoint_;

  /// Workers that listen, by host and port.
  std::map<std::pair<std::string, int>, WorkerKey> by_address_;
  std::unordered_map<std::string, std::set<WorkerKey>> by_host_;
  std::unordered_map<std::string, std::size_t> present_of_;
};

} // namespace stoker
