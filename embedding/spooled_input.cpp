#include "embedding/spooled_input.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "process/unique_fd.hpp"

namespace stoker {

namespace {

using process::UniqueFd;

constexpr std::size_t buffer_bytes = 64 * 1024;

/// A file without a name.
UniqueFd open_nameless(const std::string& directory) {
  UniqueFd result{
      ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
  if (result || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
    return result;
  // Not every file system knows such files.
  auto name = directory + "/stoker-input-XXXXXX";
  result = UniqueFd{::mkostemp(name.data(), O_CLOEXEC)};
  if (result)
    ::unlink(name.c_str());
  return result;
}

/// What the thread and the owner share.
class Spool {
public:
  Spool(int input, UniqueFd file, UniqueFd wake_up, std::string directory)
      : input_(input), file_(std::move(file)), wake_up_(std::move(wake_up)),
        directory_(std::move(directory)) {
  }

  // -- for the owner ----------------------------------------------------------

  Result<InputPart> read(std::int64_t offset, std::size_t at_most) {
    std::int64_t size = 0;
    InputPart result;
    {
      std::lock_guard lock{mutex_};
      // What came before is of no use without the rest.
      if (!error_.empty())
        return Error{Errc::unreadable, error_};
      size = size_;
      result.end = ended_;
    }
    auto there = std::max<std::int64_t>(size - offset, 0);
    auto wanted = std::min(at_most, static_cast<std::size_t>(there));
    result.data.resize(wanted);
    for (std::size_t done = 0; done < wanted;) {
      auto n = ::pread(file_.get(), result.data.data() + done, wanted - done,
                       offset + static_cast<std::int64_t>(done));
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return Error{Errc::unreadable,
                     "cannot read what standard input had: "
                         + std::string{std::strerror(n < 0 ? errno : EIO)}};
      done += static_cast<std::size_t>(n);
    }
    auto all = offset + static_cast<std::int64_t>(wanted) >= size;
    result.pending = wanted == 0 && !result.end;
    result.end = result.end && all;
    return result;
  }

  void read_ahead(std::int64_t offset) {
    {
      std::lock_guard lock{mutex_};
      if (wanted_ == offset)
        return;
      wanted_ = offset;
    }
    ::eventfd_write(wake_up_.get(), 1);
  }

  void on_arrival(const std::function<void()>& arrived) {
    std::lock_guard lock{mutex_};
    arrived_ = arrived;
  }

  /// Returns whether the thread has ended. It has not if somebody else read what it had
  /// seen, so that it waits for more.
  bool stop(std::chrono::milliseconds patience) {
    std::unique_lock lock{mutex_};
    stopped_ = true;
    arrived_ = nullptr;
    ::eventfd_write(wake_up_.get(), 1);
    return changed_.wait_for(lock, patience, [this] { return done_; });
  }

  // -- for the thread ---------------------------------------------------------

  void run() {
    std::array<char, buffer_bytes> buffer;
    while (auto room = wait()) {
      auto n = ::read(input_, buffer.data(), std::min(*room, buffer.size()));
      if (n < 0 && (errno == EINTR || errno == EAGAIN))
        continue;
      if (n < 0)
        return end("cannot read standard input: "
                   + std::string{std::strerror(errno)});
      if (n == 0)
        return end({});
      if (auto error = store({buffer.data(), static_cast<std::size_t>(n)});
          error != 0)
        return end("cannot keep standard input in '" + directory_
                   + "': " + std::strerror(error)
                   + "; TMPDIR may name a directory with more room");
    }
    end({});
  }

private:
  /// Waits until there is something to read that somebody needs. Returns how much that is;
  /// nothing when it is to stop.
  std::optional<std::size_t> wait() {
    for (;;) {
      std::int64_t room = 0;
      {
        std::lock_guard lock{mutex_};
        if (stopped_)
          return std::nullopt;
        room = wanted_ - size_;
      }
      std::array<pollfd, 2> fds{pollfd{wake_up_.get(), POLLIN, 0},
                                pollfd{room > 0 ? input_ : -1, POLLIN, 0}};
      if (::poll(fds.data(), fds.size(), -1) < 0)
        continue;
      if (fds[0].revents != 0) {
        eventfd_t ignored;
        ::eventfd_read(wake_up_.get(), &ignored);
        continue;
      }
      if (fds[1].revents != 0)
        return static_cast<std::size_t>(room);
    }
  }

  /// Returns 0 or `errno`.
  int store(std::string_view data) {
    std::int64_t size = 0;
    {
      std::lock_guard lock{mutex_};
      size = size_;
    }
    while (!data.empty()) {
      auto n = ::pwrite(file_.get(), data.data(), data.size(), size);
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return errno;
      size += n;
      data.remove_prefix(static_cast<std::size_t>(n));
    }
    std::lock_guard lock{mutex_};
    size_ = size;
    if (arrived_)
      arrived_();
    return 0;
  }

  void end(std::string error) {
    std::lock_guard lock{mutex_};
    ended_ = true;
    error_ = std::move(error);
    done_ = true;
    if (arrived_)
      arrived_();
    changed_.notify_all();
  }

  int input_;
  UniqueFd file_;
  UniqueFd wake_up_;
  std::string directory_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t size_ = 0;
  std::int64_t wanted_ = 0;
  bool ended_ = false;
  std::string error_;
  bool stopped_ = false;

  /// The thread does nothing any more.
  bool done_ = false;
  std::function<void()> arrived_;
};

class SpooledInput : public SeekableInput {
public:
  explicit SpooledInput(std::shared_ptr<Spool> spool)
      : spool_(std::move(spool)), thread_([x = spool_] { x->run(); }) {
  }

  ~SpooledInput() override {
    // A thread that cannot be stopped ends with the process.
    constexpr std::chrono::seconds patience{1};
    if (spool_->stop(patience))
      thread_.join();
    else
      thread_.detach();
  }

  SpooledInput(const SpooledInput&) = delete;
  SpooledInput& operator=(const SpooledInput&) = delete;

  Result<InputPart> read(std::int64_t offset, std::size_t at_most) override {
    return spool_->read(offset, at_most);
  }

  void read_ahead(std::int64_t offset) override {
    spool_->read_ahead(offset);
  }

  void on_arrival(const std::function<void()>& arrived) override {
    spool_->on_arrival(arrived);
  }

private:
  std::shared_ptr<Spool> spool_;
  std::thread thread_;
};

} // namespace

Result<std::unique_ptr<SeekableInput>>
spool_input(int descriptor, const std::string& directory) {
  auto file = open_nameless(directory);
  if (!file)
    return Error{Errc::unreadable, "cannot keep standard input in '" + directory
                                       + "': " + std::strerror(errno)};
  UniqueFd wake_up{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  if (!wake_up)
    return Error{Errc::failed, "cannot wait for standard input: "
                                   + std::string{std::strerror(errno)}};
  auto spool = std::make_shared<Spool>(descriptor, std::move(file),
                                       std::move(wake_up), directory);
  // Signals are for the thread that waits for the run; but for that which stops a run in
  // the background that reads its terminal.
  sigset_t all, before;
  ::sigfillset(&all);
  ::sigdelset(&all, SIGTTIN);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  auto result = std::make_unique<SpooledInput>(std::move(spool));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return std::unique_ptr<SeekableInput>{std::move(result)};
}

} // namespace stoker
