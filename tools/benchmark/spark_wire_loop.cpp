#include "tools/benchmark/spark_wire_loop.hpp"

#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace stoker::benchmark {

namespace {

constexpr std::size_t wire_buffer_bytes = std::size_t{256} << 10U;

} // namespace

WireLoop::WireLoop()
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)), buffer_(wire_buffer_bytes) {
  if (!epoll_)
    throw std::runtime_error("there is no epoll");
}

void WireLoop::change(int operation, int fd, WireSocket& who,
                      std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &who;
  if (::epoll_ctl(epoll_.get(), operation, fd, &event) != 0)
    throw std::runtime_error("a socket cannot be looked after");
}

void WireLoop::add(int fd, WireSocket& who) {
  change(EPOLL_CTL_ADD, fd, who, EPOLLIN);
}

void WireLoop::write_too(int fd, WireSocket& who, bool yes) {
  change(EPOLL_CTL_MOD, fd, who, yes ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void WireLoop::remove(int fd) {
  epoll_event ignored{};
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, &ignored);
}

void WireLoop::turn(std::chrono::milliseconds at_most) {
  std::array<epoll_event, 256> events{};
  auto count = ::epoll_wait(epoll_.get(), events.data(), events.size(),
                            static_cast<int>(at_most.count()));
  if (count < 0 && errno != EINTR)
    throw std::runtime_error("sockets cannot be waited for");
  for (int i = 0; i < count; ++i) {
    const auto& event = events[static_cast<std::size_t>(i)];
    static_cast<WireSocket*>(event.data.ptr)->ready(event.events);
  }
}

} // namespace stoker::benchmark
