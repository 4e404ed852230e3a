#include "tests/process/spark_client.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <string_view>

#include "process/spark_frame.hpp"
#include "tests/process/support.hpp"
#include "tests/support/catch.hpp"

namespace stoker::process::test {

namespace {

using namespace std::string_literals;

constexpr std::string_view url_prefix = "spark://Worker@127.0.0.1:";

template <class Number>
std::string big_endian(Number x) {
  std::string result;
  for (int i = sizeof x - 1; i >= 0; --i)
    result += static_cast<char>(static_cast<std::uint64_t>(x) >> (8 * i));
  return result;
}

} // namespace

std::string spark_question(std::uint64_t id) {
  auto body = "\0" // it has no address
              "\x01\0\x09"
              "127.0.0.1\0\0\x12\x34\0\x11"
              "endpoint-verifier\xac\xed\0\x05sr\0\x3d"
              "org.apache.spark.rpc.netty.RpcEndpointVerifier$CheckExistence"
              "\x6c\x19\x1e\xae\x8e\x40\xc0\x1f\x02\0\x01L\0\x04namet\0\x12"
              "Ljava/lang/String;xpt\0\x06Worker"s;
  return big_endian<std::uint64_t>(21 + body.size()) + '\x03' + big_endian(id)
         + big_endian(static_cast<std::uint32_t>(body.size())) + body;
}

SparkClient::SparkClient(const std::string& url) {
  REQUIRE(url.starts_with(url_prefix));
  fd_ = UniqueFd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  timeval limit{patience.count(), 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(
      static_cast<std::uint16_t>(std::stoi(url.substr(url_prefix.size()))));
  REQUIRE(::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address),
                    sizeof address)
          == 0);
}

void SparkClient::send(const std::string& text) const {
  // It may be disconnected before it has said all.
  (void)::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL);
}

std::string SparkClient::receive(std::size_t size) const {
  std::string result(size, '\0');
  auto n = ::recv(fd_.get(), result.data(), size, MSG_WAITALL);
  result.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  return result;
}

bool SparkClient::is_answered(std::uint64_t id) const {
  send(spark_question(id));
  auto expected = answer_true(id);
  return receive(expected.size()) == expected;
}

bool SparkClient::is_disconnected() const {
  char byte = 0;
  auto n = ::recv(fd_.get(), &byte, 1, 0);
  return n == 0 || (n < 0 && errno == ECONNRESET);
}

} // namespace stoker::process::test
