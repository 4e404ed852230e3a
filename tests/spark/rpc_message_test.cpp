#include "spark/rpc_message.hpp"

#include "tests/spark/bytes_of_java.hpp"
#include "tests/spark/recorded_frames.hpp"
#include "tests/support/catch.hpp"

namespace stoker::spark::test {

TEST_CASE("addresses, endpoint and content are read as they were written") {
  for (const auto& x :
       {RpcMessage{RpcAddress{"K\u00f6ln", 7101}, RpcAddress{"b", -1}, "Master",
                   "content"},
        RpcMessage{{}, RpcAddress{"127.0.0.1", 7077}, "endpoint-verifier", ""},
        RpcMessage{}}) {
    std::string bytes;
    append_rpc_message(bytes, x);
    auto read = read_rpc_message(bytes);
    REQUIRE(read);
    CHECK(*read == x);
  }
}

TEST_CASE("what stands before the content has Spark's layout") {
  std::string bytes;
  append_rpc_message(bytes, {{}, RpcAddress{"h", 7077}, "Worker", "x"});
  CHECK(bytes
        == big_endian(0, 1) + big_endian(1, 1) + utf("h") + big_endian(7077, 4)
               + utf("Worker") + "x");
}

TEST_CASE("a message that is cut anywhere before its content is refused") {
  std::string bytes;
  append_rpc_message(
      bytes, {RpcAddress{"a", 1}, RpcAddress{"b", 2}, "Master", "content"});
  for (std::size_t i = 0; i + 7 < bytes.size(); ++i)
    CHECK_FALSE(read_rpc_message(std::string_view{bytes}.substr(0, i)));
}

TEST_CASE("addresses that are no such are refused") {
  CHECK_FALSE(read_rpc_message(big_endian(2, 1) + big_endian(0, 8)));
  auto bad_host = big_endian(1, 1) + utf("\xff") + big_endian(1, 4)
                  + big_endian(0, 1) + utf("Master");
  CHECK_FALSE(read_rpc_message(bad_host));
}

} // namespace stoker::spark::test
