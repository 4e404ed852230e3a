#include "tools/stoker/json_output.hpp"

#include <openssl/evp.h>

#include "messages/printable.hpp"
#include "messages/utf8_json.hpp"

namespace stoker {

namespace {

/// RFC 4648, section 4.
std::string base64(std::string_view data) {
  // Four characters for three bytes, and the zero that OpenSSL adds.
  std::string result((data.size() + 2) / 3 * 4 + 1, '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(result.data()),
                  reinterpret_cast<const unsigned char*>(data.data()),
                  static_cast<int>(data.size()));
  result.pop_back();
  return result;
}

} // namespace

std::string json_line(const boost::json::value& x) {
  return utf8_json(x) + '\n';
}

void set_data(boost::json::object& target, std::string_view data) {
  auto text = as_utf8(data);
  if (text != data)
    target["data_base64"] = base64(data);
  target["data"] = text;
}

} // namespace stoker
