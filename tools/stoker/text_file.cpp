#include "tools/stoker/text_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace stoker {

Result<std::string> read_text_file(const std::string& path,
                                   const std::string& what) {
  constexpr std::size_t bytes_max = std::size_t{16} * 1024 * 1024;
  auto failed = [&](const std::string& why) {
    return Error{Errc::failed, "cannot read " + what + ' ' + path + ": " + why};
  };
  std::error_code error;
  if (std::filesystem::exists(path, error)
      && !std::filesystem::is_regular_file(path, error))
    return failed(std::filesystem::is_directory(path, error)
                      ? std::strerror(EISDIR)
                      : "not a regular file");
  errno = 0;
  std::ifstream in{path};
  std::string text;
  // Room for the largest file would take longer to clear than most to read.
  std::array<char, 64 * 1024> part{};
  while (in && text.size() <= bytes_max) {
    in.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (!in.is_open() || in.bad())
    return failed(std::strerror(errno));
  if (text.size() > bytes_max)
    return failed("it is larger than 16 MB");
  return text;
}

} // namespace stoker
