#include "network/door.hpp"

#include <algorithm>
#include <future>
#include <thread>
#include <utility>

#include "network/door_caller.hpp"
#include "network/door_listener.hpp"
#include "network/door_threads.hpp"

namespace stoker {

namespace {

/// For so long the last bytes are carried.
constexpr std::chrono::seconds for_last_words{3};

/// Half of the processors carry bytes: CAF and those who decide need some, too.
std::size_t thread_count() {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency() / 2, 1, 4);
}

/// Handshakes are what others can cause as they like.
std::size_t handshake_thread_count() {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency() / 4, 1, 4);
}

} // namespace

/// What deals with connections until they have proven themselves.
struct Entrance {
  DoorThreads accepting{1};
  DoorThreads handshakes{handshake_thread_count()};
};

Door::Door(DoorConfig config, std::shared_ptr<LocalStreams> streams)
    : config_(std::make_shared<const DoorConfig>(std::move(config))),
      streams_(std::move(streams)), peers_(std::make_shared<PeerDirectory>()),
      threads_(std::make_unique<DoorThreads>(thread_count())) {
}

// NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
Door::~Door() {
  close();
  if (entrance_) {
    entrance_->accepting.stop({});
    entrance_->handshakes.stop({});
  }
  threads_->stop(for_last_words);
}

void Door::close() {
  {
    std::lock_guard guard{mutex_};
    is_closed_ = true;
    for (const auto& end : attempts_)
      end();
  }
  for (const auto& listener : listeners_)
    listener->close();
  listeners_.clear();
}

Result<std::uint16_t> Door::listen(const std::string& host, std::uint16_t port,
                                   const caf::strong_actor_ptr& actor,
                                   std::shared_ptr<Credentials> credentials,
                                   std::function<void()> on_refusal) {
  if (!entrance_)
    entrance_ = std::make_unique<Entrance>();
  auto listener = std::make_shared<DoorListener>(
      ListenerThreads{entrance_->accepting, entrance_->handshakes, *threads_},
      config_, streams_, peers_, actor, std::move(credentials),
      std::move(on_refusal));
  auto result = listener->open(host, port);
  if (result)
    listeners_.push_back(std::move(listener));
  return result;
}

Result<Door::Connection> Door::connect(const MasterAddress& to,
                                       std::chrono::milliseconds timeout) {
  auto promise = std::make_shared<std::promise<Result<Connection>>>();
  auto result = promise->get_future();
  std::unique_lock lock{mutex_};
  if (is_closed_)
    return Error{Errc::not_alive, "this process ends"};
  auto attempt = attempts_.insert(
      attempts_.end(), call_door(*threads_, config_, streams_, to, timeout,
                                 [promise](Result<Connection> x) {
                                   promise->set_value(std::move(x));
                                 }));
  lock.unlock();
  result.wait();
  lock.lock();
  attempts_.erase(attempt);
  return result.get();
}

const PeerDirectory& Door::peers() const noexcept {
  return *peers_;
}

} // namespace stoker
