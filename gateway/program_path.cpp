#include "gateway/program_path.hpp"

#include <cctype>
#include <charconv>
#include <string_view>

namespace stoker {

namespace {

constexpr std::string_view hex_digits = "0123456789ABCDEF";

/// The characters of a path that stand for themselves in a URL (RFC 3986, section 3.3).
bool is_plain(char c) {
  constexpr std::string_view others = "/-._~!$&'()*+,;=:@";
  auto code = static_cast<unsigned char>(c);
  return code < 0x80
         && (std::isalnum(code) != 0
             || others.find(c) != std::string_view::npos);
}

/// Returns a path of a URL with its bytes in place of "%20" and the like; empty if a '%' is
/// followed by no byte, or by 0.
std::string decoded(std::string_view path) {
  std::string result;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '%') {
      result += path[i];
      continue;
    }
    auto digits = path.substr(i + 1, 2);
    unsigned byte = 0;
    auto end = digits.data() + digits.size();
    if (digits.size() < 2
        || std::from_chars(digits.data(), end, byte, 16).ptr != end
        || byte == 0)
      return {};
    result += static_cast<char>(byte);
    i += 2;
  }
  return result;
}

} // namespace

Result<std::string> program_path(const std::string& url) {
  std::string path{url};
  for (std::string_view scheme : {"file:", "local:"})
    if (url.starts_with(scheme)) {
      path.erase(0, scheme.size());
      // An empty host may stand in front of the path.
      if (path.starts_with("///"))
        path.erase(0, 2);
      path = decoded(path);
      break;
    }
  if (path.starts_with('/') && !path.starts_with("//"))
    return path;
  return invalid("the program '" + url
                 + "' cannot be fetched: name a file that is the same on each "
                   "worker, as file:/srv/jars/my.jar");
}

std::string program_url(const std::string& path) {
  std::string result = "file:";
  for (auto c : path) {
    if (is_plain(c)) {
      result += c;
      continue;
    }
    auto byte = static_cast<unsigned char>(c);
    result += {'%', hex_digits[byte / 16], hex_digits[byte % 16]};
  }
  return result;
}

} // namespace stoker
