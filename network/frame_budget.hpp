#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace stoker {

/// The memory for messages that peers have begun and not completed: one budget for all
/// connections. If it is used up, the connection that holds the most of the peer that holds the
/// most is closed. May be used by any thread.
class FrameBudget : public std::enable_shared_from_this<FrameBudget> {
public:
  /// What each connection may hold beside the budget by default: a connection between actors
  /// has buffers of this size anyway.
  static constexpr std::size_t free_bytes = std::size_t{128} << 10U;

  /// What one connection holds. Gives it back when it is destroyed.
  class Share {
  public:
    Share(std::shared_ptr<FrameBudget> budget, std::string peer,
          std::function<void()> close);
    ~Share();

    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// The connection holds so much now, in bytes.
    /// @return false if it has to be closed. `close` is called for others, without the lock; it
    /// must not block.
    [[nodiscard]] bool hold(std::size_t bytes);

  private:
    friend class FrameBudget;

    std::shared_ptr<FrameBudget> budget_;
    std::string peer_;
    std::function<void()> close_;

    // Under the lock of the budget.
    std::size_t bytes_ = 0;
    bool is_closing_ = false;
  };

  /// @param max in bytes
  /// @param free_each what each connection may hold beside it, in bytes
  explicit FrameBudget(std::size_t max, std::size_t free_each = free_bytes)
      : max_(max), free_each_(free_each) {
  }

  /// For a new connection.
  /// @param close Ends it; called at most once, by any thread.
  std::unique_ptr<Share> open(const std::string& peer,
                              std::function<void()> close);

  [[nodiscard]] std::size_t used() const;

private:
  struct Peer {
    std::size_t bytes = 0;
    std::map<Share*, std::size_t> shares;
  };

  // @pre: the lock is held.
  void set(Share& x, std::size_t bytes);
  Share& largest();

  std::size_t max_;
  std::size_t free_each_;
  mutable std::mutex mutex_;
  std::size_t used_ = 0;

  /// Those that hold something.
  std::map<std::string, Peer> peers_;
};

} // namespace stoker
