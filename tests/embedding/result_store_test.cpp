// Results until they are taken: embedding/result_store.hpp.

#include "embedding/result_store.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using stoker::test::TemporaryDirectory;

namespace {

constexpr TaskAttempt first{StageId{0}, 0, 0};
constexpr TaskAttempt second{StageId{0}, 1, 0};

std::string taken(ResultStore& store, const TaskAttempt& id) {
  std::string result;
  auto status = store.take(id, [&](std::string_view bytes) {
    result += bytes;
    return Status{};
  });
  REQUIRE(status);
  return result;
}

} // namespace

TEST_CASE("a result is taken once, as it was put together", "[results]") {
  TemporaryDirectory directory;
  ResultStore store{directory.path("")};
  REQUIRE(store.append(first, "one "));
  REQUIRE(store.append(second, "other"));
  REQUIRE(store.append(first, "two"));
  CHECK(taken(store, first) == "one two");
  CHECK(taken(store, first).empty());
  store.drop(second);
  CHECK(taken(store, second).empty());
}

TEST_CASE("more than fits into memory goes to a file, and comes back",
          "[results]") {
  TemporaryDirectory directory;
  ResultStore store{directory.path("")};
  std::string piece(ResultStore::memory_bytes_max / 4, 'x');
  for (int i = 0; i < 8; ++i) {
    piece[0] = static_cast<char>('a' + i);
    REQUIRE(store.append(i % 2 == 0 ? first : second, piece));
  }
  auto beginnings = [&](const TaskAttempt& id) {
    auto text = taken(store, id);
    REQUIRE(text.size() == 4 * piece.size());
    std::string result;
    for (std::size_t i = 0; i < text.size(); i += piece.size())
      result += text[i];
    return result;
  };
  CHECK(beginnings(second) == "bdfh");
  CHECK(beginnings(first) == "aceg");
}

TEST_CASE("who cannot take more of a result says so", "[results]") {
  TemporaryDirectory directory;
  ResultStore store{directory.path("")};
  REQUIRE(store.append(first, "one"));
  auto status = store.take(first, [](std::string_view) {
    return Status{Error{Errc::full, "no room"}};
  });
  REQUIRE_FALSE(status);
  CHECK(status.error().message == "no room");
}

TEST_CASE("results that cannot be kept are an error", "[results]") {
  TemporaryDirectory directory;
  ResultStore store{directory.path("missing")};
  std::string piece(ResultStore::memory_bytes_max, 'x');
  REQUIRE(store.append(first, piece));
  auto more = store.append(first, "x");
  REQUIRE_FALSE(more);
  CHECK(more.error().message.find("missing") != std::string::npos);
}
