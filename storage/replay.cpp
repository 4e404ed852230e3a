#include "storage/replay.hpp"

#include <utility>

#include "scheduling/master/render.hpp"

namespace stoker {

Replay replay(MessageLogReader& log, const ReplayOptions& options) {
  Replay result{0, std::nullopt, Cluster{log.config()}};
  replay_detail::take_steps(log, options, result, [&](LoggedStep& step) {
    if (step.made_with)
      result.cluster = Cluster{*std::move(step.made_with)};
    return to_lines(result.cluster.step(step.at, step.event));
  });
  return result;
}

Replay replay(std::istream& in, const ReplayOptions& options) {
  MessageLogReader log{in};
  return replay(log, options);
}

Result<Replay> replay_file(const std::string& path,
                           const ReplayOptions& options) {
  return if_readable([&] {
    MessageLogReader log{message_log_files(path)};
    return replay(log, options);
  });
}

} // namespace stoker
