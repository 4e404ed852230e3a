// What a peer that says more than is handled may cost.

#include <chrono>
#include <memory>
#include <string>

#include <caf/scoped_actor.hpp>

#include "tests/network/door_ends.hpp"
#include "tests/support/peak_memory.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// 100 MB in all.
constexpr int flood_messages = 100'000;
constexpr std::size_t flood_bytes = 1000;

/// Takes its time for each text, and says how many there were.
caf::behavior slow_counter(caf::event_based_actor*, const Door*) {
  auto count = std::make_shared<int>(0);
  return {[=](const std::string&) {
            auto until = std::chrono::steady_clock::now() + 20us;
            while (std::chrono::steady_clock::now() < until) {
            }
            ++*count;
          },
          [=](int) { return *count; }};
}

int count_of(caf::actor_system& system, const caf::actor& counter) {
  caf::scoped_actor self{system};
  int result = -1;
  self->request(counter, 60s, 0)
      .receive([&](int x) { result = x; }, [](const caf::error&) {});
  return result;
}

/// Another process, which asks a counter, once it is told to, until it has begun.
class Asker {
public:
  explicit Asker(std::uint16_t port) {
    int to_us[2];
    int to_it[2];
    REQUIRE(::pipe(to_us) == 0);
    REQUIRE(::pipe(to_it) == 0);
    process_ = ::fork();
    if (process_ == 0) {
      char byte = 0;
      if (::read(to_it[0], &byte, 1) == 1) {
        End client;
        auto counter = client.connect(port);
        auto count = 0;
        while (count == 0)
          count = count_of(*client.system, counter);
        static_cast<void>(::write(to_us[1], &count, sizeof count));
      }
      ::_exit(0);
    }
    ::close(to_us[1]);
    ::close(to_it[0]);
    in_ = to_us[0];
    out_ = to_it[1];
  }
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;
  ~Asker() {
    ::close(in_);
    ::close(out_);
    ::waitpid(process_, nullptr, 0);
  }

  [[nodiscard]] int ask() const {
    REQUIRE(::write(out_, "x", 1) == 1);
    int count = -1;
    REQUIRE(::read(in_, &count, sizeof count) == sizeof count);
    return count;
  }

private:
  pid_t process_ = 0;
  int in_ = -1;
  int out_ = -1;
};

} // namespace

TEST_CASE("a peer that says more than is handled costs bounded memory, and "
          "holds up nobody",
          "[door]") {
  Server server{{}, slow_counter};
  Asker other{server.port()};
  End client;
  auto counter = client.connect(server.port());
  caf::scoped_actor self{*client.system};
  auto before = peak_memory(server.process());
  REQUIRE(before > 0);
  const std::string text(flood_bytes, 'x');
  for (int i = 0; i < flood_messages; ++i)
    self->send(counter, text);
  // Its questions are behind no more than a part of them.
  auto counted = other.ask();
  CHECK(counted > 0);
  CHECK(counted < flood_messages);
  // In the end all arrive.
  CHECK(count_of(*client.system, counter) == flood_messages);
  auto grown = peak_memory(server.process()) - before;
  INFO("grown by " << grown);
  // Sanitizers keep what is freed.
#if !defined(STOKER_SANITIZED)
  CHECK(grown < std::size_t{16} << 20U);
#endif
}
