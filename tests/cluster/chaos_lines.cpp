#include "tests/cluster/chaos_lines.hpp"

#include <sstream>

#include "tests/cluster/sandbox.hpp"

namespace stoker::test {

namespace {

/// From a path like .../work-2/app-.../0.
int worker_of(const std::string& directory) {
  const std::string before = "/work-";
  auto i = directory.find(before);
  return i == std::string::npos
             ? 0
             : std::stoi(directory.substr(i + before.size()));
}

} // namespace

std::string writes_lines(const std::string& name, const std::string& seconds) {
  return "say() { echo \"$1 ${STOKER_INDEX:-0} ${STOKER_EXECUTOR_ID:-0} "
         "$(date +%s%3N) ${STOKER_WORK_DIR:--}\" >> "
         + name + "; }; exec 9>> " + name
         + "-${STOKER_INDEX:-0}.lock; "
           "say start; flock -n 9 || say twice; sleep "
         + seconds + "; say end";
}

std::vector<ChaosLine> read_chaos_lines(const std::string& path) {
  std::vector<ChaosLine> result;
  for (const auto& text : lines_of(contents_of(path))) {
    ChaosLine line;
    std::string directory;
    std::istringstream in{text};
    if (in >> line.what >> line.index >> line.executor >> line.at_ms
        >> directory) {
      line.worker = worker_of(directory);
      result.push_back(line);
    }
  }
  return result;
}

} // namespace stoker::test
