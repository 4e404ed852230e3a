#include "process/spark_frame.hpp"

#include <string>

#include "tests/process/spark_client.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::process;
using namespace stoker::process::test;
using namespace std::string_literals;

namespace {

const SparkFrame incomplete;
const SparkFrame refused{SparkFrame::Kind::refused, 0, 0};

} // namespace

TEST_CASE("a question of a JVM is understood") {
  auto text = spark_question(0x5914'7488'905d'8748);
  CHECK(text.size() == 176);
  CHECK(first_spark_frame(text)
        == SparkFrame{SparkFrame::Kind::request, text.size(),
                      0x5914'7488'905d'8748});
  // What follows is another frame's.
  CHECK(first_spark_frame(text + "more").size == text.size());
}

TEST_CASE("what a JVM only tells is understood") {
  auto text = "\0\0\0\0\0\0\0\x10\x09\0\0\0\x03\0\0\0"s;
  CHECK(first_spark_frame(text)
        == SparkFrame{SparkFrame::Kind::one_way, 16, 0});
}

TEST_CASE("a frame that has not come as a whole is waited for") {
  auto text = spark_question(1);
  for (std::size_t size = 0; size < text.size(); ++size)
    CHECK(first_spark_frame(text.substr(0, size)) == incomplete);
}

TEST_CASE("what no JVM sends to its worker is refused") {
  auto text = GENERATE(
      // Other protocols.
      "GET / HTTP/1.1\r\n\r\n"s, "\x16\x03\x01\x02\0\x01\0\x01\xfc"s,
      // A frame shorter than its header, and one of no length.
      "\0\0\0\0\0\0\0\x0c\x09"s, "\0\0\0\0\0\0\0\0\x03"s,
      "\0\0\0\0\0\0\0\x14\x03"s,
      // Longer than any question, and of a negative length.
      "\0\0\0\0\0\x01\0\x01\x03"s, "\xff\xff\xff\xff\xff\xff\xff\xff\x03"s,
      // An answer, a fetch of a block, a message of SASL's.
      "\0\0\0\0\0\0\0\x20\x04"s, "\0\0\0\0\0\0\0\x20\x00"s,
      "\0\0\0\0\0\0\0\x20\xff"s,
      // Two lengths that contradict each other.
      "\0\0\0\0\0\0\0\x20\x03\0\0\0\0\0\0\0\x01\0\0\0\xff"s,
      "\0\0\0\0\0\0\0\x20\x09\xff\xff\xff\xff"s,
      // Nothing at all is told.
      "\0\0\0\0\0\0\0\x0d\x09\0\0\0\0"s,
      // Somebody tries to authenticate.
      "\0\0\0\0\0\0\0\x17\x03\0\0\0\0\0\0\0\x01\0\0\0\x02\xea\0"s);
  CHECK(first_spark_frame(text) == refused);
}

TEST_CASE("the answer is a serialized Boolean") {
  CHECK(answer_true(0x5914'7488'905d'8748)
        == "\0\0\0\0\0\0\0\x44\x04\x59\x14\x74\x88\x90\x5d\x87\x48\0\0\0\x2f"
           "\xac\xed\0\x05sr\0\x11java.lang.Boolean"
           "\xcd\x20\x72\x80\xd5\x9c\xfa\xee\x02\0\x01Z\0\x05valuexp\x01"s);
}
