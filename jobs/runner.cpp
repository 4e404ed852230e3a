#include "jobs/runner.hpp"

#include <utility>

namespace stoker::jobs {

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
