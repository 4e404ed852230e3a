#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>

namespace stoker {

/// Removes directories on a thread of its own, one after the other: a large one
/// takes minutes, and nobody waits for it.
class DirectoryRemover {
public:
  /// Called on that thread when one is gone, or could not be removed.
  using Report = std::function<void(const std::filesystem::path& path,
                                    const std::error_code& error)>;

  explicit DirectoryRemover(Report report);

  /// Stops at the next entry. What has not been removed stays.
  ~DirectoryRemover();

  DirectoryRemover(const DirectoryRemover&) = delete;
  DirectoryRemover& operator=(const DirectoryRemover&) = delete;

  void remove(std::filesystem::path path);

  /// Waits until all directories are removed, or cannot be.
  /// @return false if that takes longer than `timeout`
  bool finish(std::chrono::milliseconds timeout);

private:
  void work(const std::stop_token& stop);

  Report report_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::filesystem::path> waiting_;
  bool removes_ = false;

  // Last: it uses all others.
  std::jthread thread_;
};

} // namespace stoker
