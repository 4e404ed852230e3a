#include "process/program_files.hpp"

#include <algorithm>

namespace stoker::process {

std::vector<std::string>
program_files(const std::string& name,
              const std::map<std::string, std::string>& environment) {
  if (name.find('/') != std::string::npos)
    return {name};
  auto i = environment.find("PATH");
  std::string path
      = i != environment.end() ? i->second : "/usr/local/bin:/usr/bin:/bin";
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin <= path.size();) {
    auto end = std::min(path.find(':', begin), path.size());
    auto directory = path.substr(begin, end - begin);
    result.push_back((directory.empty() ? "." : directory) + "/" + name);
    begin = end + 1;
  }
  return result;
}

} // namespace stoker::process
