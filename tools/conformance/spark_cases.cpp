#include "tools/conformance/spark_cases.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "spark/frame.hpp"
#include "spark/frame_json.hpp"
#include "tools/conformance/case_fields.hpp"

namespace stoker::conformance {

namespace {

namespace json = boost::json;

unsigned digit_of(char c) {
  if (c >= '0' && c <= '9')
    return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f')
    return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F')
    return static_cast<unsigned>(c - 'A') + 10;
  throw std::invalid_argument{"no hexadecimal digit in \"hex\""};
}

std::string bytes_of_hex(std::string_view hex) {
  if (hex.size() % 2 != 0)
    throw std::invalid_argument{"\"hex\" ends in the middle of a byte"};
  std::string result;
  result.reserve(hex.size() / 2);
  for (std::size_t i = 0; i < hex.size(); i += 2)
    result += static_cast<char>(digit_of(hex[i]) << 4U | digit_of(hex[i + 1]));
  return result;
}

} // namespace

json::value decoded_frame(const json::value& original) {
  const auto& from = original.as_object();
  allow(from, {"id", "hex"});
  auto bytes = bytes_of_hex(text(from.at("hex")));
  std::string_view received = bytes;
  auto frame = spark::take_frame(received);
  if (!frame)
    throw std::invalid_argument{frame.error().message};
  if (!*frame)
    throw std::invalid_argument{"the frame is not complete"};
  if (!received.empty())
    throw std::invalid_argument{"something follows the frame"};
  auto message = spark::frame_json(**frame);
  if (!message)
    throw std::invalid_argument{message.error().message};
  return {{"id", from.at("id")}, {"message", std::move(*message)}};
}

} // namespace stoker::conformance
