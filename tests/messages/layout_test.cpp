// What makes two messages the same on the wire.

#include "messages/layout.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/fingerprint.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

enum class Color { red, green };
BOOST_DESCRIBE_ENUM(Color, red, green)

struct Inner {
  bool on = false;
  double share = 0;
};
BOOST_DESCRIBE_STRUCT(Inner, (), (on, share))

struct Outer {
  int count = 0;
  std::uint64_t bytes = 0;
  std::string name;
  AppId id;
  Duration pause{};
  Instant when;
  std::optional<int> maybe;
  std::vector<Inner> all;
  std::map<std::string, std::vector<std::string>> lists;
  Color color = Color::red;
};
BOOST_DESCRIBE_STRUCT(Outer, (),
                      (count, bytes, name, id, pause, when, maybe, all, lists,
                       color))

struct OneMore {
  bool on = false;
  double share = 0;
  int more = 0;
};
BOOST_DESCRIBE_STRUCT(OneMore, (), (on, share, more))

struct Renamed {
  bool off = false;
  double share = 0;
};
BOOST_DESCRIBE_STRUCT(Renamed, (), (off, share))

} // namespace

TEST_CASE("a layout has each field by name and type", "[layout]") {
  CHECK(layout_of<Outer>()
        == "{count:i4 bytes:u8 name:text id:text pause:duration when:instant "
           "maybe:i4? all:[{on:bool share:f8}] lists:<[text]> "
           "color:(red green)}");
}

TEST_CASE("a field more, or another name, is another layout", "[layout]") {
  CHECK(layout_of<Inner>() != layout_of<OneMore>());
  CHECK(layout_of<Inner>() != layout_of<Renamed>());
}

TEST_CASE("the messages of a build have one fingerprint", "[layout]") {
  CHECK(message_fingerprint().size() == 16);
  CHECK(message_fingerprint().find_first_not_of("0123456789abcdef")
        == std::string::npos);
  CHECK(message_fingerprint() == message_fingerprint());
}
