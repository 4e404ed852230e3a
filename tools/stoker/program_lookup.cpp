#include "tools/stoker/program_lookup.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace stoker {

namespace {

enum class ProgramFile { none, not_executable, executable };

ProgramFile look_up(const std::filesystem::path& file) {
  std::error_code error;
  auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status))
    return ProgramFile::none;
  return std::filesystem::is_regular_file(status)
                 && ::faccessat(AT_FDCWD, file.c_str(), X_OK, AT_EACCESS) == 0
             ? ProgramFile::executable
             : ProgramFile::not_executable;
}

} // namespace

Result<std::string> find_program(const std::string& program,
                                 const std::string& search_path,
                                 const std::string& directory) {
  namespace fs = std::filesystem;
  auto best = ProgramFile::none;
  auto result = program;
  if (program.find('/') != std::string::npos) {
    auto file = fs::path{directory} / program;
    best = look_up(file);
    result = file.lexically_normal().string();
  } else {
    for (std::size_t begin = 0; begin <= search_path.size();) {
      auto end = std::min(search_path.find(':', begin), search_path.size());
      // An empty or relative one begins in the working directory.
      auto folder
          = fs::path{directory} / search_path.substr(begin, end - begin);
      best = std::max(best, look_up(folder / program));
      begin = end + 1;
    }
  }
  if (best == ProgramFile::none)
    return invalid("there is no program '" + program + "'");
  if (best == ProgramFile::not_executable)
    return invalid("the program '" + program + "' is not executable");
  return result;
}

} // namespace stoker
