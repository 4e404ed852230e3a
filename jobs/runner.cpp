#include "jobs/runner.hpp"

#include <filesystem>
#include <utility>

namespace stoker::jobs {

Status run_saving(Runner& runner, const Node& target, Action action,
                  const std::string& directory) {
  if (directory.empty())
    return invalid("save() needs the name of a directory");
  std::error_code error;
  // Executors work elsewhere.
  auto path = std::filesystem::absolute(directory, error);
  if (error)
    return Error{Errc::io,
                 "cannot find out the working directory: " + error.message()};
  action.output = TaskOutputKind::file;
  action.directory = path.lexically_normal();
  return runner.run(target, action,
                    [](std::size_t, std::string_view) -> Status { return {}; });
}

Status run_whole(Runner& runner, const Node& target, const Action& action,
                 const std::function<Status(std::string bytes)>& take) {
  std::size_t task = 0;
  std::string result;
  auto begun = false;
  auto end = [&]() -> Status {
    if (!begun)
      return {};
    return take(std::exchange(result, {}));
  };
  auto status
      = runner.run(target, action,
                   [&](std::size_t number, std::string_view bytes) -> Status {
                     if (begun && number != task)
                       if (auto taken = end(); !taken)
                         return taken;
                     begun = true;
                     task = number;
                     result += bytes;
                     return {};
                   });
  if (!status)
    return status;
  return end();
}

} // namespace stoker::jobs
