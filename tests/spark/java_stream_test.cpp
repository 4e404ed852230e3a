// Streams that are written by hand: all kinds of things, and what must be refused.

#include <chrono>
#include <string>

#include "spark/java_reader.hpp"
#include "spark/java_view.hpp"
#include "spark/java_writer.hpp"
#include "tests/spark/bytes_of_java.hpp"
#include "tests/spark/recorded_frames.hpp"
#include "tests/support/catch.hpp"

namespace stoker::spark::test {

namespace {

std::string repeated(std::size_t count, const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

/// Checks that these items are written as they were read.
void check_round_trip(const std::string& items) {
  auto bytes = stream_start() + items;
  JavaGraph graph;
  auto root = read_or_throw(graph, bytes);
  std::string again;
  append_java(again, graph, root);
  CHECK(again == bytes);
}

std::string object_signature() {
  return text_item("Ljava/lang/Object;");
}

/// A class with one reference, whose signature is the first text of the stream.
std::string link_class() {
  return class_item("Link", 2, {{'L', "next", object_signature()}});
}

std::string problem_with(const JavaLimits& limits, const std::string& items) {
  auto bytes = stream_start() + items;
  JavaGraph graph;
  auto result = read_java(graph, bytes, limits);
  return result ? "" : result.error().message;
}

/// A stream in which things stand in each other so deep.
std::string nested_links(std::size_t depth) {
  auto items = object_item(link_class());
  for (std::size_t i = 1; i < depth; ++i)
    items += object_item(reference(0));
  return items + null_item;
}

/// A class that extends so many others.
std::string class_of_levels(std::size_t levels) {
  auto result = null_item;
  for (std::size_t i = 0; i <= levels; ++i)
    result = class_item("C" + std::to_string(i), 2, {}, result);
  return result;
}

} // namespace

TEST_CASE("things of all kinds are written as they were read") {
  check_round_trip(null_item);
  check_round_trip(text_item("text"));
  check_round_trip("\x7c" + big_endian(4, 8) + "long");
  check_round_trip(integer_item(-5));
  check_round_trip(class_item("Alone", 2, {}));
  check_round_trip("\x76" + class_item("Literal", 0, {}));
  auto constants = class_item("Unit", 0x12, {});
  check_round_trip("\x7e" + constants + text_item("SECONDS"));
  check_round_trip(array_item(class_item("[I", 2, {}), 2, big_endian(7, 8)));
  check_round_trip(array_item(class_item("[Ljava.lang.Object;", 2, {}), 3,
                              text_item("a") + null_item + reference(2)));
  // Numbers of all types before references.
  auto fields = class_item("All", 2,
                           {{'B', "b", ""},
                            {'C', "c", ""},
                            {'D', "d", ""},
                            {'F', "f", ""},
                            {'I', "i", ""},
                            {'J', "j", ""},
                            {'S', "s", ""},
                            {'Z', "z", ""},
                            {'L', "o", object_signature()},
                            {'[', "a", text_item("[I")}});
  check_round_trip(
      object_item(fields, repeated(30, "\xa5") + null_item + null_item));
  // Data of its own behind the fields, short and long, and objects between.
  auto writes = class_item("Writes", 3, {{'I', "i", ""}});
  check_round_trip(object_item(
      writes, big_endian(1, 4) + block_item("raw") + text_item("t") + "\x7a"
                  + big_endian(2, 4) + "xy" + null_item + end_item));
  auto outside = class_item("Outside", 0x0c, {});
  check_round_trip(object_item(outside, block_item("all") + end_item));
  // Texts of signatures may be there once, or again and again.
  check_round_trip(object_item(class_item("Twice", 2,
                                          {{'L', "a", object_signature()},
                                           {'L', "b", reference(1)},
                                           {'L', "c", object_signature()}}),
                               repeated(3, null_item)));
}

TEST_CASE("an object in itself, and one at two places, keep their identity") {
  auto self = object_item(link_class(), reference(2));
  check_round_trip(self);
  JavaGraph graph;
  auto bytes = stream_start() + self;
  auto root = read_or_throw(graph, bytes);
  CHECK(JavaView(graph, root).reference("next") == root);
  auto twice = array_item(class_item("[LLink;", 2, {}), 3,
                          object_item(link_class(), reference(1)) + reference(4)
                              + text_item("equal"));
  check_round_trip(twice);
}

TEST_CASE("the class that an object's class extends has its values first") {
  auto base = class_item("Base", 2, {{'I', "x", ""}, {'I', "y", ""}});
  auto items
      = object_item(class_item("Derived", 2, {{'I', "x", ""}}, base),
                    big_endian(1, 4) + big_endian(2, 4) + big_endian(3, 4));
  check_round_trip(items);
  JavaGraph graph;
  auto bytes = stream_start() + items;
  JavaView view{graph, read_or_throw(graph, bytes)};
  CHECK(view.field("x")->whole() == 3);
  CHECK(view.field("y")->whole() == 2);
  CHECK_FALSE(view.field("z"));
  REQUIRE(view.parts().size() == 2);
  CHECK(graph.at(view.parts()[0].type).text == "Base");
}

TEST_CASE("a field is found without the class that Scala puts in front") {
  auto items = object_item(class_item("Val", 2, {{'I', "scala$Val$$i", ""}}),
                           big_endian(9, 4));
  JavaGraph graph;
  auto bytes = stream_start() + items;
  JavaView view{graph, read_or_throw(graph, bytes)};
  CHECK(view.field("i")->whole() == 9);
  CHECK(view.field("scala$Val$$i")->whole() == 9);
  CHECK_FALSE(view.field("Val$$i"));
}

TEST_CASE("numbers have the signs and sizes of their types") {
  auto fields = class_item("All", 2,
                           {{'B', "b", ""},
                            {'C', "c", ""},
                            {'D', "d", ""},
                            {'F', "f", ""},
                            {'I', "i", ""},
                            {'J', "j", ""},
                            {'S', "s", ""},
                            {'Z', "z", ""}});
  auto bytes
      = stream_start()
        + object_item(fields, big_endian(0xFF, 1) + big_endian(0xFFFF, 2)
                                  + big_endian(0xBFF8'0000'0000'0000, 8)
                                  + big_endian(0x3FC0'0000, 4)
                                  + big_endian(~0ULL, 4) + big_endian(~0ULL, 8)
                                  + big_endian(0x8000, 2) + big_endian(1, 1));
  JavaGraph graph;
  JavaView view{graph, read_or_throw(graph, bytes)};
  CHECK(view.field("b")->whole() == -1);
  CHECK(view.field("c")->whole() == 65535);
  CHECK(view.field("d")->floating() == -1.5);
  CHECK(view.field("f")->floating() == 1.5);
  CHECK(view.field("i")->whole() == -1);
  CHECK(view.field("j")->whole() == -1);
  CHECK(view.field("s")->whole() == -32768);
  CHECK(view.field("z")->whole() == 1);
  auto array = stream_start()
               + array_item(class_item("[S", 2, {}), 2,
                            big_endian(1, 2) + big_endian(0xFFFE, 2));
  JavaGraph other;
  JavaView shorts{other, read_or_throw(other, array)};
  REQUIRE(shorts.size() == 2);
  CHECK(shorts.element(1).whole() == -2);
}

TEST_CASE("a stream that is cut anywhere is refused") {
  for (const auto* version : {"3.5.9", "4.1.4"})
    for (const auto* name : {"RegisterApplication", "RequestSubmitDriver",
                             "ExecutorStateChanged", "RpcFailure"}) {
      auto bytes = content_of(recorded(version, name));
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        JavaGraph graph;
        auto result = read_java(graph, bytes.substr(0, i));
        INFO(name << " of " << version << ", cut at " << i);
        REQUIRE_FALSE(result);
        REQUIRE(result.code() == Errc::corrupt);
      }
    }
}

TEST_CASE("what no message has is refused, and where it was is said") {
  CHECK(problem_of(text_item("a") + "x").ends_with("at byte 8"));
  CHECK(problem_of("\x79").find("a reset") != std::string::npos);
  CHECK(problem_of("\x7b").find("an exception") != std::string::npos);
  CHECK(problem_of("\x7d").find("proxy") != std::string::npos);
  CHECK(problem_of("\x73\x7d").find("proxy") != std::string::npos);
  CHECK(problem_of(block_item("raw")).find("raw data") != std::string::npos);
  CHECK(problem_of("\x78").ends_with("at byte 4"));
  CHECK(problem_of("\x6f").find("no known kind") != std::string::npos);
  CHECK(problem_of("\x7f") != "");
  CHECK(problem_of("\x74" + utf("\xff")).find("UTF-8") != std::string::npos);
  JavaGraph graph;
  CHECK_FALSE(read_java(graph, ""));
  CHECK_FALSE(read_java(graph, big_endian(0xACED0006, 4) + null_item));
}

TEST_CASE("references to what is not there, or of another kind, are refused") {
  CHECK(problem_of(reference(0)) != "");
  CHECK(problem_of("\x71" + big_endian(0, 4)) != "");
  CHECK(problem_of("\x71" + big_endian(~0ULL, 4)) != "");
  // A text, and the object itself, are no class; nor is one that is not complete.
  auto list = class_item("[LLink;", 2, {});
  CHECK(problem_of(
            array_item(list, 2, text_item("t") + object_item(reference(2))))
        != "");
  CHECK(problem_of(object_item(class_item("Own", 2, {}, reference(0)))) != "");
  // The signature of a field is a text.
  CHECK(problem_of(object_item(class_item("C", 2, {{'L', "f", reference(0)}}),
                               null_item))
        != "");
  CHECK(problem_of("\x7e" + class_item("E", 0x12, {}) + reference(0)) != "");
}

TEST_CASE("classes that cannot be are refused") {
  CHECK(problem_of("\x73" + null_item) != "");
  CHECK(problem_of("\x76" + null_item) != "");
  CHECK(problem_of(object_item(class_item("NotWritten", 0, {}))) != "");
  CHECK(problem_of(object_item(class_item("Both", 0x0e, {}))) != "");
  CHECK(problem_of(object_item(class_item("OldOutside", 0x04, {}))) != "");
  CHECK(problem_of(object_item(class_item("Field", 2, {{'X', "x", ""}})))
        != "");
  CHECK(problem_of("\x7e" + class_item("NoEnum", 2, {}) + text_item("A"))
        != "");
  auto outside = class_item("Outside", 0x0c, {});
  CHECK(problem_of(object_item(class_item("Extends", 2, {}, outside))) != "");
  for (const auto* name : {"", "[", "I", "[X", "Ljava.lang.Object;"})
    CHECK(problem_of(array_item(class_item(name, 2, {}), 0, "")) != "");
}

TEST_CASE("things stand in each other only so deep") {
  JavaLimits limits;
  CHECK(problem_with(limits, nested_links(limits.depth_max)) == "");
  auto deeper = problem_with(limits, nested_links(limits.depth_max + 1));
  CHECK(deeper.find("deep") != std::string::npos);
  // As deep as a stack would never be.
  CHECK(problem_of(nested_links(1'000'000)) != "");
  CHECK(problem_of(repeated(1'000'000, "\x73")) != "");
  CHECK(problem_of(repeated(1'000'000, "\x76\x72" + utf("C") + big_endian(0, 8)
                                           + "\x02" + big_endian(0, 2)))
        != "");
}

TEST_CASE("a class extends only so many others") {
  JavaLimits limits;
  CHECK(problem_with(limits, object_item(class_of_levels(limits.levels_max)))
        == "");
  CHECK(
      problem_with(limits, object_item(class_of_levels(limits.levels_max + 1)))
          .find("extends more than")
      != std::string::npos);
  // Also where the others are known already.
  auto list = class_item("[LC;", 2, {});
  auto known = object_item(class_of_levels(limits.levels_max));
  auto one_more = object_item(class_item("D", 2, {}, reference(2)));
  CHECK(problem_with(limits, array_item(list, 2, known + one_more)) != "");
}

TEST_CASE("a stream has only so many things and bytes") {
  auto list = class_item("[Ljava.lang.String;", 2, {});
  auto items = array_item(list, 10, repeated(10, text_item("")));
  JavaLimits limits;
  limits.nodes_max = 12;
  CHECK(problem_with(limits, items) == "");
  limits.nodes_max = 11;
  CHECK(problem_with(limits, items).find("more than 11") != std::string::npos);
  limits = {};
  limits.bytes_max = 4 + items.size();
  CHECK(problem_with(limits, items) == "");
  --limits.bytes_max;
  CHECK(problem_with(limits, items).find("too long") != std::string::npos);
}

TEST_CASE("room is made only for what can still come") {
  auto list = class_item("[Ljava.lang.Object;", 2, {});
  CHECK(problem_of(array_item(list, 0x7FFF'FFFF, "")) != "");
  CHECK(problem_of(array_item(list, -1, "")) != "");
  auto longs = class_item("[J", 2, {});
  CHECK(problem_of(array_item(longs, 0x7FFF'FFFF, "")) != "");
  CHECK(problem_of("\x7c" + big_endian(~0ULL, 8)) != "");
  // Each of these would fit, but they do not fit all together.
  auto nested = array_item(list, 1000, "");
  for (int i = 0; i < 100; ++i)
    nested += array_item(reference(0), 1000, "");
  auto bytes = stream_start() + nested + repeated(1000, null_item);
  JavaGraph graph;
  REQUIRE_FALSE(read_java(graph, bytes));
  CHECK(graph.slots.size() <= bytes.size());
}

TEST_CASE("a part that would be too deep to be written is refused") {
  // Each refers to the one before: the last one alone is a chain of all.
  constexpr std::uint32_t count = 5000;
  auto list = class_item("[LLink;", 2, {});
  auto items = array_item(list, count, object_item(link_class(), null_item));
  for (std::uint32_t i = 1; i < count; ++i)
    items += object_item(reference(2), reference(4 + i - 1));
  check_round_trip(items);
  JavaGraph graph;
  auto bytes = stream_start() + items;
  auto root = read_or_throw(graph, bytes);
  JavaView view{graph, root};
  std::string out;
  append_java(out, graph, view.element(900).node());
  CHECK_THROWS(append_java(out, graph, view.element(count - 1).node()));
}

TEST_CASE("classes and their ids are told in the order of the stream") {
  auto bytes = stream_start()
               + object_item(class_item(
                   "B", 2, {}, class_item("A", 2, {}, null_item, 7), -8));
  JavaGraph graph;
  read_or_throw(graph, bytes);
  using Ids = std::vector<std::pair<std::string_view, std::int64_t>>;
  CHECK(class_ids(graph) == Ids{{"B", -8}, {"A", 7}});
}

} // namespace stoker::spark::test
