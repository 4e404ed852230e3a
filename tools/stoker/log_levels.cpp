#include "tools/stoker/log_levels.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "scheduling/common/units.hpp"
#include "tools/stoker/log_events.hpp"

namespace stoker {

namespace {

constexpr std::array<std::pair<std::string_view, LogLevels::Level>, 7>
    level_names{{{"debug", spdlog::level::debug},
                 {"info", spdlog::level::info},
                 {"warn", spdlog::level::warn},
                 // As it stands in the lines of a log.
                 {"warning", spdlog::level::warn},
                 {"error", spdlog::level::err},
                 {"critical", spdlog::level::critical},
                 {"off", spdlog::level::off}}};

std::optional<LogLevels::Level> level_named(std::string_view name) {
  for (const auto& [known, level] : level_names)
    if (known == name)
      return level;
  return std::nullopt;
}

bool begins_event(std::string_view name) {
  return std::any_of(
      std::begin(log_events), std::end(log_events), [&](std::string_view x) {
        return x.starts_with(name)
               && (x.size() == name.size() || x[name.size()] == '-');
      });
}

} // namespace

Result<LogLevels> LogLevels::parse(std::string_view text, Level all) {
  LogLevels result{all};
  while (!text.empty()) {
    auto end = std::min(text.find(','), text.size());
    auto word = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    auto sign = word.find('=');
    auto name = sign == std::string_view::npos ? word : word.substr(sign + 1);
    auto level = level_named(name);
    if (!level)
      return Error{Errc::invalid_request,
                   "'" + std::string{name}
                       + "' is no level of a log: debug, info, warn, error, "
                         "critical or off, as in warn,spark=info"};
    if (sign == std::string_view::npos) {
      result.all_ = *level;
      continue;
    }
    auto part = word.substr(0, sign);
    if (!begins_event(part))
      return Error{Errc::invalid_request,
                   "no event is called '" + std::string{part}
                       + "', or begins so: names of events, or how they begin "
                         "up to a '-', are those of the log's lines, as in "
                         "warn,spark=info"};
    result.parts_.insert_or_assign(std::string{part}, *level);
  }
  return result;
}

LogLevels::Level LogLevels::of(std::string_view event) const {
  for (auto part = event; !part.empty();) {
    if (auto found = parts_.find(part); found != parts_.end())
      return found->second;
    auto dash = part.rfind('-');
    part = dash == std::string_view::npos ? std::string_view{}
                                          : part.substr(0, dash);
  }
  return all_;
}

LogLevels::Level LogLevels::lowest() const {
  auto result = all_;
  for (const auto& [part, level] : parts_)
    result = std::min(result, level);
  return result;
}

std::string_view event_of(std::string_view line) {
  auto end = line.find("] ");
  return line.starts_with('[') && end != std::string_view::npos
             ? line.substr(1, end - 1)
             : std::string_view{};
}

} // namespace stoker
