#include "gateway/program_path.hpp"

#include <string_view>

namespace stoker {

Result<std::string> program_path(const std::string& url) {
  std::string_view path{url};
  for (std::string_view scheme : {"file:", "local:"})
    if (path.starts_with(scheme)) {
      path.remove_prefix(scheme.size());
      // An empty host may stand in front of the path.
      if (path.starts_with("///"))
        path.remove_prefix(2);
      break;
    }
  if (path.starts_with('/') && !path.starts_with("//"))
    return std::string{path};
  return invalid("the program '" + url
                 + "' cannot be fetched: name a file that is the same on each "
                   "worker, as file:/srv/jars/my.jar");
}

} // namespace stoker
