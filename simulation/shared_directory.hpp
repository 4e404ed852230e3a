#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulation/event_queue.hpp"
#include "storage/journal_session.hpp"
#include "storage/memory_journal.hpp"

namespace stoker::simulation {

/// The data directory that masters share: a lock, and a store. What is stored
/// survives every process.
class SharedDirectory {
public:
  SharedDirectory();

  // -- the lock ---------------------------------------------------------------

  /// The number of a hold, or nothing while another one holds it.
  [[nodiscard]] std::optional<std::uint64_t> try_lock() {
    if (holder_)
      return std::nullopt;
    holder_ = ++holds_;
    return holder_;
  }
  void unlock(std::uint64_t hold) {
    if (holder_ == hold)
      replace_lock();
  }
  [[nodiscard]] bool holds(std::uint64_t hold) const {
    return holder_ == hold;
  }

  /// Somebody replaces the lock's file: whoever held it does not know.
  void replace_lock() {
    holder_.reset();
    for (const auto& waiter : std::exchange(waiters_, {}))
      waiter();
  }

  /// Calls once when the lock is free.
  void when_free(std::function<void()> call) {
    waiters_.push_back(std::move(call));
  }

  // -- signs of life ----------------------------------------------------------

  /// What the holder of the lock shows. `kill`: how to end it.
  void show_life(std::string sign, std::function<void()> kill) {
    sign_ = std::move(sign);
    kill_ = std::move(kill);
  }
  [[nodiscard]] const std::string& sign() const noexcept {
    return sign_;
  }
  void kill_holder() {
    if (auto kill = std::exchange(kill_, {}))
      kill();
  }

  // -- the store --------------------------------------------------------------

  /// Opens the store.
  [[nodiscard]] JournalFactory journal_factory() const;

  /// Whether no later leadership has begun.
  [[nodiscard]] bool leads(LeaderEpoch x) const {
    return x == store_->epoch();
  }

  [[nodiscard]] StoredState load() const {
    return store_->snapshot();
  }

  /// Why writing fails at present, if it does.
  std::optional<Errc> fault;

  /// Nothing is written before.
  Instant hangs_until;

  /// How much longer a write takes at present.
  Duration extra_delay{};

private:
  [[nodiscard]] Status check() const;

  std::optional<std::uint64_t> holder_;
  std::uint64_t holds_ = 0;
  std::vector<std::function<void()>> waiters_;
  std::string sign_;
  std::function<void()> kill_;
  std::shared_ptr<MemoryStore> store_;
};

} // namespace stoker::simulation
