#include <array>
#include <charconv>
#include <string>

#include <boost/crc.hpp>

#include "pages/embedded.hpp"

namespace stoker::pages {

const std::string& assets_version() {
  static const auto version = [] {
    boost::crc_32_type sum;
    for (const auto& x : embedded_assets())
      sum.process_bytes(x.content.data(), x.content.size());
    std::array<char, 8> text{};
    auto end = std::to_chars(text.data(), text.data() + text.size(),
                             sum.checksum(), 16);
    return std::string{text.data(), end.ptr};
  }();
  return version;
}

} // namespace stoker::pages
