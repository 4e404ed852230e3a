#include "spark/frame.hpp"

#include <array>
#include <string>

#include "tests/spark/bytes_of_java.hpp"
#include "tests/spark/recorded_frames.hpp"
#include "tests/support/catch.hpp"

namespace stoker::spark::test {

namespace {

using Found = std::optional<Frame>;

std::string frame_text(FrameType type, std::int64_t request,
                       std::string_view body) {
  std::string result;
  append_frame(result, {type, request, body});
  return result;
}

std::string frame_problem(std::string_view received,
                          std::size_t bytes_max = frame_bytes_max) {
  auto result = take_frame(received, bytes_max);
  return result ? "" : result.error().message;
}

} // namespace

TEST_CASE("frames of all types are read as they were written") {
  for (auto type : {FrameType::rpc_request, FrameType::rpc_response,
                    FrameType::rpc_failure, FrameType::one_way_message})
    for (const auto* body : {"", "body"}) {
      auto request = type == FrameType::one_way_message ? 0 : -7;
      auto bytes = frame_text(type, request, body);
      std::string_view left = bytes;
      auto frame = take_frame(left);
      REQUIRE(frame);
      CHECK(*frame == Found{Frame{type, request, body}});
      CHECK(left.empty());
    }
}

TEST_CASE("a frame has Spark's layout") {
  CHECK(frame_text(FrameType::rpc_request, 258, "xy")
        == big_endian(23, 8) + "\x03" + big_endian(258, 8) + big_endian(2, 4)
               + "xy");
  CHECK(frame_text(FrameType::one_way_message, 0, "xy")
        == big_endian(15, 8) + "\x09" + big_endian(2, 4) + "xy");
}

TEST_CASE("frames are taken one by one, however they come") {
  auto bytes = frame_text(FrameType::rpc_request, 1, "first")
               + frame_text(FrameType::one_way_message, 0, "second");
  auto rest = frame_text(FrameType::rpc_response, 2, "third");
  for (std::size_t i = 0; i < rest.size(); ++i) {
    auto received = bytes + rest.substr(0, i);
    std::string_view left = received;
    CHECK((*take_frame(left))->body == "first");
    CHECK((*take_frame(left))->body == "second");
    CHECK(*take_frame(left) == Found{});
    CHECK(left == rest.substr(0, i));
  }
}

TEST_CASE("frames with lengths that cannot be are refused at once") {
  CHECK(frame_problem(big_endian(8, 8)) != "");
  CHECK(frame_problem(big_endian(0, 8)) != "");
  CHECK(frame_problem(big_endian(~0ULL, 8)) != "");
  CHECK(frame_problem(big_endian(1ULL << 40U, 8)) != "");
  CHECK(frame_problem(big_endian(101, 8), 100).find("too long")
        != std::string::npos);
  CHECK(frame_problem(big_endian(100, 8), 100) == "");
  // Too short for a request.
  CHECK(frame_problem(big_endian(20, 8) + "\x03") != "");
  CHECK(frame_problem(big_endian(12, 8) + "\x09") != "");
}

TEST_CASE("a body that is not as long as its frame is refused") {
  auto good = frame_text(FrameType::one_way_message, 0, "xy");
  for (auto size : {0ULL, 1ULL, 3ULL, 0xFFFF'FFFFULL}) {
    auto bad = good;
    bad.replace(9, 4, big_endian(size, 4));
    CHECK(frame_problem(bad).find("its body") != std::string::npos);
  }
}

TEST_CASE("frames that move blocks are refused by their type") {
  for (int type = 0; type < 256; ++type) {
    auto known = type == 3 || type == 4 || type == 5 || type == 9;
    auto bytes
        = big_endian(30, 8) + big_endian(static_cast<std::uint64_t>(type), 1);
    CHECK((frame_problem(bytes) == "") == known);
  }
}

} // namespace stoker::spark::test
