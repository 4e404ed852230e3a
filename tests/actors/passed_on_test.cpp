// What a master has passed on to workers, and how much it asks them for.

#include <cstdint>

#include "actors/passed_on.hpp"
#include "network/local_streams.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

constexpr PeerNumber worker = 1;
constexpr PeerNumber other = 2;
constexpr std::int64_t kib = 1024;

/// What all get together who ask at once for so much each.
std::int64_t asked_together(int readers, std::int64_t each) {
  std::int64_t result = 0;
  for (int i = 0; i < readers; ++i)
    result += output_limit(each, result);
  return result;
}

} // namespace

TEST_CASE("few readers of a worker's outputs get what they ask for",
          "[passed_on]") {
  CHECK(output_limit(256 * kib, 0) == 256 * kib);
  CHECK(output_limit(1024 * kib, 0) == 1024 * kib);
  CHECK(output_limit(100, 20 * 1024 * kib) == 100);
  CHECK(output_limit(0, 0) == 0);
  CHECK(output_limit(-1, 0) == 0);
  CHECK(asked_together(50, 256 * kib) == 50 * 256 * kib);
}

TEST_CASE("outputs that many read at once fit into the connection to a worker",
          "[passed_on]") {
  for (auto readers : {700, 5000, 20'000})
    CHECK(asked_together(readers, 1024 * kib)
          < static_cast<std::int64_t>(unread_bytes_max));
  // Everybody gets something.
  CHECK(output_limit(256 * kib, std::int64_t{1} << 40) == 4 * kib);
}

TEST_CASE("what a worker has answered is not to come any more", "[passed_on]") {
  PassedOn x;
  CHECK(x.bytes_to_come(worker) == 0);
  auto first = x.add(worker, 10, {});
  auto second = x.add(worker, 20, {});
  auto elsewhere = x.add(other, 5, {});
  CHECK(x.bytes_to_come(worker) == 30);
  CHECK(x.bytes_to_come(other) == 5);
  CHECK(x.take(worker, first));
  CHECK_FALSE(x.take(worker, first));
  CHECK_FALSE(x.take(worker, elsewhere));
  CHECK(x.bytes_to_come(worker) == 20);
  CHECK(x.take(worker, second));
  CHECK(x.bytes_to_come(worker) == 0);
  CHECK(x.bytes_to_come(other) == 5);
}

TEST_CASE("a worker that leaves answers nothing that is open", "[passed_on]") {
  PassedOn x;
  auto first = x.add(worker, 10, {});
  x.add(worker, 20, {});
  auto elsewhere = x.add(other, 5, {});
  CHECK(x.take_all(worker).size() == 2);
  CHECK(x.take_all(worker).empty());
  CHECK_FALSE(x.take(worker, first));
  CHECK(x.bytes_to_come(worker) == 0);
  CHECK(x.take(other, elsewhere));
}
