// Scala's collections in all forms in which they were seen, written by hand.

#include "spark/scala_values.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "spark/wire_error.hpp"
#include "tests/spark/bytes_of_java.hpp"
#include "tests/support/catch.hpp"

namespace stoker::spark::test {

namespace {

using Texts = std::vector<std::string>;
using TextMap = std::map<std::string, std::string>;

const std::string objects = class_item("[Ljava.lang.Object;", 2, {});
const std::string any = text_item("Ljava/lang/Object;");
const std::string any_array = text_item("[Ljava/lang/Object;");

std::string text_array(const Texts& texts, std::size_t room = 0) {
  std::string elements;
  for (const auto& x : texts)
    elements += text_item(x);
  for (auto i = texts.size(); i < room; ++i)
    elements += null_item;
  return array_item(objects,
                    static_cast<std::int32_t>(std::max(room, texts.size())),
                    elements);
}

/// A singleton as Scala 2.13 writes it.
std::string module_item(const std::string& name) {
  return object_item(class_item("scala.runtime.ModuleSerializationProxy", 2,
                                {{'L', "moduleClass", any}}),
                     "\x76" + class_item(name, 2, {}));
}

/// One as 2.12 writes it.
std::string plain_module(const std::string& name) {
  return object_item(class_item(name, 2, {}));
}

std::string some(const std::string& value) {
  return object_item(class_item("scala.Some", 2, {{'L', "value", any}},
                                class_item("scala.Option", 2, {})),
                     value);
}

std::string pair_item(const std::string& key, const std::string& value) {
  return object_item(
      class_item("scala.Tuple2", 2, {{'L', "_1", any}, {'L', "_2", any}}),
      key + value);
}

/// A collection of 2.13: a factory, a count, elements.
std::string proxy_2_13(const std::string& factory, std::int32_t count,
                       const std::string& elements) {
  auto made_by
      = object_item(class_item("scala.collection.IterableFactory$ToFactory", 2,
                               {{'L', "factory", any}}),
                    module_item(factory));
  return object_item(
      class_item("scala.collection.generic.DefaultSerializationProxy", 3,
                 {{'L', "factory", any}}),
      made_by + block_item(big_endian(static_cast<std::uint32_t>(count), 4))
          + elements + end_item);
}

std::string annotated(const std::string& name, const std::string& items) {
  return object_item(class_item(name, 3, {}), items + end_item);
}

/// Reads one thing.
template <class Read>
auto with(const std::string& item, Read read) {
  auto bytes = stream_start() + item;
  JavaGraph graph;
  auto root = read_or_throw(graph, bytes);
  ScalaReader in{graph};
  return read(in, root);
}

Texts texts_of(const std::string& item) {
  return with(item,
              [](ScalaReader& in, NodeId root) { return in.texts(root); });
}

TextMap map_of(const std::string& item) {
  return with(item,
              [](ScalaReader& in, NodeId root) { return in.text_map(root); });
}

std::string small_map(int size, const std::string& prefix) {
  std::vector<std::string> names;
  for (const auto* kind : {"key", "value"})
    for (int i = 1; i <= size; ++i)
      names.push_back(prefix + kind + std::to_string(i));
  auto type = "\x72"
              + utf("scala.collection.immutable.Map$Map" + std::to_string(size))
              + big_endian(3, 8) + "\x02" + big_endian(names.size(), 2);
  std::string data;
  for (std::size_t i = 0; i < names.size(); ++i) {
    type += 'L' + utf(names[i]) + any;
    data += text_item((i < names.size() / 2 ? "k" : "v")
                      + std::to_string(i % static_cast<std::size_t>(size) + 1));
  }
  return object_item(type + end_item + null_item, data);
}

/// A vector of 2.12 with elements of their numbers.
struct TreeVector {
  int start = 0;
  int end = 0;
  int focus = 0;

  /// Items of display0 and so on.
  std::vector<std::string> displays;
};

std::string vector_item(const TreeVector& x) {
  auto type = "\x72" + utf("scala.collection.immutable.Vector")
              + big_endian(1, 8) + "\x02" + big_endian(11, 2);
  std::string data;
  auto number = [&](const char* name, int value) {
    type += 'I' + utf(name);
    data += big_endian(static_cast<std::uint32_t>(value), 4);
  };
  number("depth", static_cast<int>(x.displays.size()));
  type += 'Z' + utf("dirty");
  data += big_endian(0, 1);
  number("endIndex", x.end);
  number("focus", x.focus);
  number("startIndex", x.start);
  for (std::size_t i = 0; i < 6; ++i) {
    type += '[' + utf("display" + std::to_string(i)) + any_array;
    data += i < x.displays.size() ? x.displays[i] : null_item;
  }
  return object_item(type + end_item + null_item, data);
}

/// An array of 32 texts, the numbers from `first` on.
std::string leaf(int first) {
  Texts result;
  for (int i = 0; i < 32; ++i)
    result.push_back(std::to_string(first + i));
  return text_array(result);
}

const Texts abc{"a", "b", "c"};
const std::string items_abc = text_item("a") + text_item("b") + text_item("c");

} // namespace

TEST_CASE("options are read in the forms of both versions") {
  auto read
      = [](ScalaReader& in, NodeId root) { return in.optional_text(root); };
  using Found = std::optional<std::string>;
  CHECK(with(some(text_item("x")), read) == Found{"x"});
  auto none
      = class_item("scala.None$", 2, {}, class_item("scala.Option", 2, {}));
  CHECK(with(object_item(none), read) == Found{});
  CHECK(with(module_item("scala.None$"), read) == Found{});
  CHECK(with(null_item, read) == Found{});
  CHECK_THROWS_AS(with(text_item("x"), read), WireError);
  CHECK_THROWS_AS(with(some(integer_item(1)), read), WireError);
  CHECK(with(some(integer_item(-3)),
             [](ScalaReader& in, NodeId root) {
               return in.optional_number(root);
             })
        == std::optional{-3});
}

TEST_CASE("sequences of 2.12 are read") {
  auto end = plain_module("scala.collection.immutable.ListSerializeEnd$");
  CHECK(texts_of(annotated("scala.collection.immutable.List$SerializationProxy",
                           items_abc + end))
        == abc);
  CHECK(texts_of(object_item(
            class_item("scala.collection.mutable.ArraySeq", 2,
                       {{'I', "length", ""}, {'[', "array", any_array}}),
            big_endian(3, 4) + text_array(abc, 8)))
        == abc);
  CHECK(texts_of(object_item(
            class_item("scala.collection.mutable.WrappedArray$ofRef", 2,
                       {{'[', "array", any_array}}),
            text_array(abc)))
        == abc);
  CHECK(texts_of(object_item(
            class_item("scala.collection.mutable.ArrayBuffer", 2,
                       {{'I', "initialSize", ""},
                        {'I', "size0", ""},
                        {'[', "array", any_array}}),
            big_endian(16, 4) + big_endian(3, 4) + text_array(abc, 16)))
        == abc);
  CHECK(texts_of(plain_module("scala.collection.immutable.Nil$")).empty());
}

TEST_CASE("sequences of 2.13 are read") {
  const std::string list = "scala.collection.immutable.List$";
  CHECK(texts_of(proxy_2_13(list, 0, "")).empty());
  CHECK(texts_of(proxy_2_13(list, 3, items_abc)) == abc);
  auto end = module_item("scala.collection.generic.SerializeEnd$");
  CHECK(texts_of(proxy_2_13(list, -1, items_abc + end)) == abc);
  CHECK(
      texts_of(object_item(
          class_item("scala.collection.immutable.ArraySeq$ofRef", 2,
                     {{'[', "unsafeArray", any_array}},
                     class_item("scala.collection.immutable.ArraySeq", 2, {})),
          text_array(abc)))
      == abc);
  CHECK(texts_of(object_item(class_item("scala.collection.immutable.Vector1", 2,
                                        {{'[', "prefix1", any_array}}),
                             text_array(abc)))
        == abc);
  CHECK(texts_of(module_item("scala.collection.immutable.Nil$")).empty());
  CHECK(texts_of(text_array(abc)) == abc);
}

TEST_CASE("a vector of 2.12 is read from a piece of an array") {
  CHECK(texts_of(vector_item({1, 3, 1, {text_array(abc, 32)}}))
        == Texts{"b", "c"});
  CHECK(texts_of(vector_item({0, 0, 0, {}})).empty());
}

TEST_CASE(
    "a vector of 2.12 with two levels is read, also where it was changed") {
  // The focus is on the third array; what the tree has there is older.
  auto tree = array_item(objects, 32,
                         leaf(0) + leaf(32) + leaf(-100)
                             + std::string(29, null_item[0]));
  auto item = vector_item({2, 96, 64, {leaf(64), tree}});
  auto found = texts_of(item);
  REQUIRE(found.size() == 94);
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK(found[i] == std::to_string(i + 2));
}

TEST_CASE("a vector of 2.12 with three levels is read") {
  std::string leaves;
  for (int i = 0; i < 32; ++i)
    leaves += leaf(32 * i);
  auto first = array_item(objects, 32, leaves);
  auto second = array_item(objects, 1, leaf(1024));
  auto top = array_item(objects, 2, first + second);
  auto found = texts_of(vector_item({0, 1056, 0, {leaf(0), first, top}}));
  REQUIRE(found.size() == 1056);
  CHECK(found[31] == "31");
  CHECK(found[1000] == "1000");
  CHECK(found[1055] == "1055");
}

TEST_CASE("a vector that has not what it says is refused") {
  CHECK_THROWS_AS(texts_of(vector_item({0, 5, 0, {text_array(abc)}})),
                  WireError);
  CHECK_THROWS_AS(texts_of(vector_item({0, 64, 0, {leaf(0)}})), WireError);
  CHECK_THROWS_AS(texts_of(vector_item({3, 1, 0, {leaf(0)}})), WireError);
  CHECK_THROWS_AS(texts_of(vector_item({-1, 3, 0, {leaf(0)}})), WireError);
  CHECK_THROWS_AS(texts_of(vector_item({0, 0x7FFF'FFFF, 0, {leaf(0)}})),
                  WireError);
}

TEST_CASE("small maps of both versions are read") {
  for (int size = 1; size <= 4; ++size) {
    TextMap expected;
    for (int i = 1; i <= size; ++i)
      expected["k" + std::to_string(i)] = "v" + std::to_string(i);
    CHECK(map_of(small_map(size, "")) == expected);
    CHECK(map_of(small_map(size, "scala$collection$immutable$Map$Map"
                                     + std::to_string(size) + "$$"))
          == expected);
  }
  for (const auto* name :
       {"scala.collection.immutable.Map$EmptyMap$",
        "scala.collection.immutable.HashMap$EmptyHashMap$"}) {
    CHECK(map_of(plain_module(name)).empty());
    CHECK(map_of(module_item(name)).empty());
  }
}

TEST_CASE("hash maps of both versions are read") {
  const TextMap expected{{"a", "b"}, {"c", "d"}};
  auto in_turn = items_abc + text_item("d");
  CHECK(
      map_of(annotated("scala.collection.immutable.HashMap$SerializationProxy",
                       block_item(big_endian(2, 4)) + in_turn))
      == expected);
  CHECK(map_of(annotated("scala.collection.mutable.HashMap",
                         block_item(std::string(13, 'x')) + in_turn))
        == expected);
  auto pairs = pair_item(text_item("a"), text_item("b"))
               + pair_item(text_item("c"), text_item("d"));
  auto map = proxy_2_13("scala.collection.immutable.HashMap$", 2, pairs);
  CHECK(map_of(map) == expected);
  CHECK(
      with(map, [](ScalaReader& in, NodeId root) { return in.is_map(root); }));
  auto default_map = object_item(
      class_item("scala.collection.immutable.Map$WithDefault", 2,
                 {{'L', "defaultValue", any}, {'L', "underlying", any}}),
      plain_module("SomeLambda") + map);
  CHECK(map_of(default_map) == expected);
  CHECK_THROWS_AS(
      map_of(annotated("scala.collection.mutable.HashMap", text_item("alone"))),
      WireError);
  CHECK_THROWS_AS(map_of(integer_item(1)), WireError);
}

TEST_CASE("of two keys that are the same, the last one counts") {
  CHECK(map_of(annotated("scala.collection.mutable.HashMap",
                         text_item("a") + text_item("1") + text_item("a")
                             + text_item("2")))
        == TextMap{{"a", "2"}});
}

TEST_CASE("values of enumerations have the class and a number") {
  auto value = class_item("scala.Enumeration$Value", 2, {{'L', "$outer", any}});
  auto val = class_item("scala.Enumeration$Val", 2,
                        {{'I', "i", ""}, {'L', "name", any}}, value);
  for (const auto& outer : {module_item("org.E$"), plain_module("org.E$")}) {
    auto found = with(object_item(val, outer + big_endian(5, 4) + null_item),
                      [](ScalaReader& in, NodeId root) {
                        auto x = in.enum_value(root);
                        return std::pair{std::string{x.enumeration}, x.ordinal};
                      });
    CHECK(found == std::pair{std::string{"org.E$"}, 5});
  }
  CHECK_THROWS_AS(with(plain_module("org.E$"),
                       [](ScalaReader& in, NodeId root) {
                         return in.enum_value(root).ordinal;
                       }),
                  WireError);
}

TEST_CASE("collections in collections end somewhere") {
  // A sequence that is kept in itself.
  auto self = object_item(class_item("S", 2, {{'L', "underlying", any}}),
                          reference(2));
  CHECK_THROWS_AS(texts_of(self), WireError);
  CHECK_THROWS_AS(map_of(self), WireError);
}

TEST_CASE("the same things are not read again and again") {
  // A long text, and thousands of references to it.
  constexpr std::int32_t count = 20'000;
  std::string elements = text_item(std::string(60'000, 'x'));
  for (std::int32_t i = 1; i < count; ++i)
    elements += reference(2);
  CHECK_THROWS_WITH(texts_of(array_item(objects, count, elements)),
                    "a message refers to the same things too often");
}

} // namespace stoker::spark::test
