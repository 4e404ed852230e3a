// What is written is read again, and nothing else is read.

#include <limits>

#include "jobs/blocks.hpp"
#include "jobs/codec.hpp"
#include "jobs/owned.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::jobs;

namespace {

enum class Colour : std::uint8_t { red, green };

struct Point {
  int x = 0;
  double y = 0;

  friend bool operator==(const Point&, const Point&) = default;
};
BOOST_DESCRIBE_STRUCT(Point, (), (x, y))

struct Shape : Point {
  std::string name;
  std::vector<Point> corners;
  std::optional<Colour> colour;
  std::map<std::string, std::vector<bool>> flags;

  friend bool operator==(const Shape&, const Shape&) = default;
};
BOOST_DESCRIBE_STRUCT(Shape, (Point), (name, corners, colour, flags))

struct Nothing {
  friend bool operator==(const Nothing&, const Nothing&) = default;
};
BOOST_DESCRIBE_STRUCT(Nothing, (), ())

Shape square() {
  Shape result;
  result.x = -7;
  result.y = 0.5;
  result.name = "square";
  result.corners = {{0, 0}, {1, 1}};
  result.colour = Colour::green;
  result.flags = {{"visible", {true, false, true}}, {"", {}}};
  return result;
}

template <class T>
void check_round_trip(const T& x) {
  auto bytes = to_bytes(x);
  CHECK(!bytes.empty());
  auto read = from_bytes<T>(bytes);
  REQUIRE(read);
  CHECK((*read == x));
  // Nothing that was shortened is taken, and nothing with more behind it.
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK(!from_bytes<T>(std::string_view{bytes}.substr(0, size)));
  CHECK(!from_bytes<T>(bytes + '\0'));
}

} // namespace

TEST_CASE("elements are read as they were written") {
  check_round_trip(0);
  check_round_trip(std::numeric_limits<std::int64_t>::min());
  check_round_trip(1.5F);
  check_round_trip(true);
  check_round_trip(Colour::green);
  check_round_trip(std::string{});
  check_round_trip(std::string(300, 'x'));
  check_round_trip(std::pair<std::string, int>{"a", 1});
  check_round_trip(std::tuple<int, std::string, double>{1, "b", 2.5});
  check_round_trip(std::tuple<>{});
  check_round_trip(std::vector<double>{1, 2, 3});
  check_round_trip(std::vector<bool>{true, false});
  check_round_trip(std::vector<std::string>{"", "a"});
  check_round_trip(std::vector<std::vector<int>>{{}, {1}, {2, 3}});
  check_round_trip(std::array<int, 3>{1, 2, 3});
  check_round_trip(std::map<int, std::string>{{1, "a"}, {2, ""}});
  check_round_trip(std::set<std::string>{"a", "b"});
  check_round_trip(std::optional<int>{});
  check_round_trip(std::optional<std::optional<int>>{std::optional<int>{}});
  check_round_trip(Point{1, 2});
  check_round_trip(square());
  check_round_trip(Nothing{});
  check_round_trip(std::vector<Nothing>(3));
}

TEST_CASE("a view is written as its text") {
  CHECK(to_bytes(std::string_view{"abc"}) == to_bytes(std::string{"abc"}));
  using View = std::pair<std::string_view, int>;
  CHECK(to_bytes(View{"a", 1}) == to_bytes(to_owned(View{"a", 1})));
  CHECK(to_bytes(std::vector<std::string_view>{"a", "b"})
        == to_bytes(std::vector<std::string>{"a", "b"}));
}

TEST_CASE("a bool that is none is not read") {
  CHECK(!from_bytes<bool>("\2"));
  CHECK(!from_bytes<std::optional<int>>("\2"));
}

TEST_CASE("a length that is too large asks for no memory") {
  std::string huge(9, '\xFF');
  huge += '\1';
  CHECK(!from_bytes<std::string>(huge));
  CHECK(!from_bytes<std::vector<int>>(huge));
  CHECK(!from_bytes<std::vector<Nothing>>(huge));
  CHECK(!from_bytes<std::vector<std::vector<std::string>>>(huge));
  CHECK(!from_bytes<std::map<int, int>>(huge));
  // A length of more than 64 bits, and one that does not end.
  huge.back() = '\2';
  CHECK(!from_bytes<std::string>(huge));
  CHECK(!from_bytes<std::string>(std::string(20, '\xFF')));
}

TEST_CASE("damaged bytes give another element or none") {
  auto bytes = to_bytes(square());
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (auto bit = 0; bit < 8; ++bit) {
      auto damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      auto read = from_bytes<Shape>(damaged);
      CHECK((!read || to_bytes(*read).size() > 0));
    }
}

TEST_CASE("blocks that come in pieces of any size are read whole") {
  std::string bytes;
  std::vector<std::string> written;
  for (auto block = 0; block < 4; ++block) {
    BlockWriter writer;
    for (auto i = 0; i < block * 3; ++i) {
      written.push_back(std::string(static_cast<std::size_t>(i), 'x'));
      writer.add(written.back());
    }
    CHECK(writer.flush([&](std::string_view x) -> Status {
      bytes += x;
      return {};
    }));
  }
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    ElementReader<std::string> reader;
    std::vector<std::string> read;
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      CHECK(reader.take(std::string_view{bytes}.substr(at, piece),
                        [&](std::string& x) {
                          read.push_back(x);
                          return true;
                        }));
    CHECK(reader.finish());
    CHECK(read == written);
  }
}

TEST_CASE("a block that does not end is damage") {
  BlockWriter writer;
  writer.add(std::string{"abc"});
  std::string bytes;
  CHECK(writer.flush([&](std::string_view x) -> Status {
    bytes += x;
    return {};
  }));
  auto nothing = [](std::string&) { return true; };
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    ElementReader<std::string> reader;
    CHECK(reader.take(std::string_view{bytes}.substr(0, size), nothing));
    CHECK(reader.finish().code() == Errc::corrupt);
  }
  // The text says that it is longer than the block.
  bytes[block_header_bytes] = 100;
  ElementReader<std::string> reader;
  CHECK(reader.take(bytes, nothing).code() == Errc::corrupt);
}
