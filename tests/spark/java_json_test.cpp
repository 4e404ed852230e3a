// What recorded frames do not have.

#include "spark/java_json.hpp"

#include <string>

#include <boost/json.hpp>

#include "spark/frame_json.hpp"
#include "spark/wire_error.hpp"
#include "tests/spark/bytes_of_java.hpp"
#include "tests/support/catch.hpp"

namespace stoker::spark::test {

namespace {

std::string json_of(const std::string& item) {
  auto bytes = stream_start() + item;
  JavaGraph graph;
  auto root = read_or_throw(graph, bytes);
  return boost::json::serialize(java_json(graph, root));
}

const std::string reference_type = text_item("Ljava/lang/Object;");

std::string hash_map(const std::string& items) {
  return object_item(class_item("scala.collection.mutable.HashMap", 3, {}),
                     items + end_item);
}

} // namespace

TEST_CASE("texts, numbers, constants and literals are shown as such") {
  CHECK(json_of(null_item) == "null");
  CHECK(json_of("\x74" + utf("\xed\xa0\xbd\xed\xb8\x80"))
        == "\"\xf0\x9f\x98\x80\"");
  CHECK(json_of(integer_item(-7)) == "-7");
  CHECK(json_of("\x7e" + class_item("Unit", 0x12, {}) + text_item("SECONDS"))
        == R"("SECONDS")");
  CHECK(json_of("\x76" + class_item("a.B", 0, {})) == R"("class a.B")");
  CHECK(json_of(array_item(class_item("[B", 2, {}), 2, "\x01\xff"))
        == R"("01ff")");
  CHECK(json_of(array_item(class_item("[Z", 2, {}), 2, big_endian(1, 2)))
        == "[false,true]");
}

TEST_CASE("what a class has written itself is shown beside its fields") {
  CHECK(json_of(object_item(class_item("a.Writes", 3, {{'I', "i", ""}}),
                            big_endian(1, 4) + block_item("\x0f")
                                + text_item("t") + end_item))
        == R"({"@":"a.Writes","i":1,"@ann:Writes":[{"block":"0f"},"t"]})");
  CHECK(json_of(object_item(class_item("Out", 0x0c, {}),
                            block_item("\x0f") + end_item))
        == R"({"@":"Out","@ann:Out":[{"block":"0f"}]})");
}

TEST_CASE("keys that are no texts are the text of their JSON") {
  CHECK(json_of(hash_map(integer_item(4) + text_item("v"))) == R"({"4":"v"})");
  CHECK(json_of(hash_map(hash_map("") + null_item)) == R"({"{}":null})");
  auto half
      = object_item(class_item("java.lang.Double", 2, {{'D', "value", ""}}),
                    big_endian(0x3FE0'0000'0000'0000, 8));
  auto list = array_item(class_item("[Ljava.lang.Object;", 2, {}), 2,
                         half + text_item("\""));
  CHECK(json_of(hash_map(list + null_item)) == R"({"[0.5, \"\\\"\"]":null})");
}

TEST_CASE("floating numbers that JSON has not are texts") {
  auto number = [](std::uint64_t bits) {
    return json_of(
        object_item(class_item("java.lang.Double", 2, {{'D', "value", ""}}),
                    big_endian(bits, 8)));
  };
  CHECK(number(0x7FF8'0000'0000'0000) == R"("NaN")");
  CHECK(number(0xFFF0'0000'0000'0000) == R"("-Infinity")");
}

TEST_CASE("a thing within itself is shown once, and a deep one to its depth") {
  auto link = class_item("Linked", 2, {{'L', "next", reference_type}});
  CHECK(json_of(object_item(link, reference(2)))
        == R"({"@":"Linked","next":"<cycle>"})");
  auto deep = object_item(link);
  for (int i = 0; i < 200; ++i)
    deep += object_item(reference(0));
  auto shown = json_of(deep + null_item);
  CHECK(shown.find(R"("...")") != std::string::npos);
}

TEST_CASE("a graph that is far larger as a text is refused") {
  // Each of 40 arrays has the one before twice: 2 to the 40 texts.
  auto type = class_item("[Ljava.lang.Object;", 2, {});
  std::string outer;
  // Handles: the class, then the arrays from the outermost to the innermost one.
  for (std::uint32_t i = 0; i < 40; ++i)
    outer += array_item(i == 0 ? type : reference(0), 2, "");
  auto inner = array_item(reference(0), 1, text_item("x"));
  auto all = outer + inner;
  for (std::uint32_t i = 0; i < 40; ++i)
    all += reference(41 - i);
  CHECK_THROWS_AS(json_of(all), WireError);
}

TEST_CASE("a failure is shown with its text") {
  auto shown = frame_json({FrameType::rpc_failure, 5, "java.lang.E: why\xff"});
  REQUIRE(shown);
  CHECK(boost::json::serialize(*shown)
        == "{\"frame_type\":\"RpcFailure\",\"request_id\":5,"
           "\"error\":\"java.lang.E: why\xef\xbf\xbd\"}");
}

TEST_CASE("a frame with a content that cannot be read has an error") {
  CHECK(frame_json({FrameType::rpc_response, 5, "x"}).code() == Errc::corrupt);
  CHECK(frame_json({FrameType::rpc_request, 5, ""}).code() == Errc::corrupt);
  std::string none{"\0\0\0\0", 4};
  CHECK(frame_json({FrameType::one_way_message, 0, none}).code()
        == Errc::corrupt);
}

} // namespace stoker::spark::test
