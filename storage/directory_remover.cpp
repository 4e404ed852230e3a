#include "storage/directory_remover.hpp"

#include <exception>
#include <system_error>
#include <utility>
#include <vector>

namespace stoker {

namespace {

namespace fs = std::filesystem;

/// Returns false if it was told to stop.
/// @throws std::exception for want of memory
bool remove_tree(const fs::path& path, const std::stop_token& stop,
                 std::error_code& error) {
  std::vector<fs::path> entries;
  for (fs::directory_iterator i{path, error}, end; !error && i != end;
       i.increment(error))
    entries.push_back(i->path());
  for (const auto& entry : entries) {
    if (stop.stop_requested())
      return false;
    std::error_code ignored;
    // What a link leads to is not ours.
    if (fs::is_directory(fs::symlink_status(entry, ignored))) {
      if (!remove_tree(entry, stop, error))
        return false;
    } else {
      fs::remove(entry, ignored);
    }
  }
  error.clear();
  fs::remove(path, error);
  return true;
}

} // namespace

DirectoryRemover::DirectoryRemover(Report report)
    : report_(std::move(report)),
      thread_([this](const std::stop_token& stop) { work(stop); }) {
}

DirectoryRemover::~DirectoryRemover() = default;

void DirectoryRemover::remove(fs::path path) {
  {
    std::lock_guard lock{mutex_};
    waiting_.push_back(std::move(path));
  }
  changed_.notify_all();
}

bool DirectoryRemover::finish(std::chrono::milliseconds timeout) {
  std::unique_lock lock{mutex_};
  return changed_.wait_for(lock, timeout,
                           [this] { return waiting_.empty() && !removes_; });
}

void DirectoryRemover::work(const std::stop_token& stop) {
  for (;;) {
    fs::path path;
    {
      std::unique_lock lock{mutex_};
      if (!changed_.wait(lock, stop, [this] { return !waiting_.empty(); }))
        return;
      path = std::move(waiting_.front());
      waiting_.pop_front();
      removes_ = true;
    }
    std::error_code error;
    try {
      if (!remove_tree(path, stop, error))
        return;
    } catch (const std::exception&) {
      error = std::make_error_code(std::errc::not_enough_memory);
    }
    report_(path, error);
    {
      std::lock_guard lock{mutex_};
      removes_ = false;
    }
    changed_.notify_all();
  }
}

} // namespace stoker
