#include "storage/message_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <stdexcept>

#include "messages/json.hpp"
#include "messages/secrets.hpp"
#include "scheduling/cluster.hpp"
#include "scheduling/render.hpp"

namespace stoker {

namespace {

namespace json = boost::json;

constexpr int version = 1;
constexpr const char* header_name = "stoker_message_log";

/// `{"RegisterWorker": {...}}`
json::value event_to_json(const Event& event) {
  auto result = std::visit(
      []<class T>(const T& x) {
        return json::value(json::object{{message_name<T>, to_json(x)}});
      },
      event);
  hide_secrets(result);
  return result;
}

/// Empties the file, or makes it, for its owner alone.
void make_private(const std::string& path) {
  auto file
      = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0)
    throw std::runtime_error{"cannot write the message log " + path + ": "
                             + std::strerror(errno)};
  // A device, as /dev/null, belongs to everybody.
  struct stat status {};
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode))
    fchmod(file, 0600);
  close(file);
}

Event event_from_json(const json::value& from) {
  if (!from.is_object() || from.get_object().size() != 1)
    throw JsonError{"event", "expected an object with one name"};
  const auto& entry = *from.get_object().begin();
  std::optional<Event> result;
  auto try_type = [&]<class T>() {
    if (entry.key() == message_name<T>)
      result = from_json<T>(entry.value());
  };
  [&]<class... Ts>(std::variant<Ts...>*) {
    (try_type.template operator()<Ts>(), ...);
  }(static_cast<Event*>(nullptr));
  if (!result)
    throw JsonError{"event",
                    "not one of the known names: " + std::string{entry.key()}};
  return *result;
}

LoggedStep step_from_json(const json::value& from) {
  const auto& object = from.as_object();
  LoggedStep result;
  result.at = Instant{Duration{object.at("at").to_number<std::int64_t>()}};
  from_json(object.at("from"), result.from, "from");
  result.event = event_from_json(object.at("event"));
  from_json(object.at("effects"), result.effects, "effects");
  return result;
}

} // namespace

MessageLogWriter::MessageLogWriter(const std::string& path,
                                   const ClusterConfig& config) {
  make_private(path);
  out_.open(path, std::ios::app);
  out_ << json::serialize(
      json::object{{header_name, version}, {"config", to_json(config)}})
       << '\n'
       << std::flush;
  if (!out_)
    throw std::runtime_error{"cannot write the message log " + path};
}

bool MessageLogWriter::append(Instant at, const EndpointId& from,
                              const Event& event, const Effects& effects) {
  if (!out_)
    return true;
  json::array rendered;
  for (const auto& effect : effects)
    rendered.push_back(json::value(to_string(effect)));
  out_ << json::serialize(json::object{{"at", to_ms(at)},
                                       {"from", from.value},
                                       {"event", event_to_json(event)},
                                       {"effects", std::move(rendered)}})
       << '\n'
       << std::flush;
  return static_cast<bool>(out_);
}

MessageLogReader::MessageLogReader(std::istream& in) : in_(in) {
  std::string line;
  std::getline(in_, line);
  line_number_ = 1;
  json::error_code error;
  auto header = json::parse(line, error);
  if (error || !header.is_object()
      || !header.get_object().contains(header_name))
    throw std::runtime_error{"not a message log of Stoker"};
  if (header.at(header_name) != version)
    throw std::runtime_error{
        "a message log of version " + json::serialize(header.at(header_name))
        + "; this program reads version " + std::to_string(version)};
  const auto* config = header.get_object().if_contains("config");
  if (config == nullptr)
    throw std::runtime_error{"a message log without a configuration"};
  from_json(*config, config_, "config");
  if (auto problem = validate(config_))
    throw std::runtime_error{"the message log's configuration: " + *problem};
}

std::optional<LoggedStep> MessageLogReader::next() {
  std::string line;
  if (!std::getline(in_, line))
    return std::nullopt;
  ++line_number_;
  // Without its end a line may be cut off anywhere, even where it still reads
  // as JSON. Its step was not carried out as a whole.
  if (in_.eof())
    return std::nullopt;
  try {
    auto step = step_from_json(json::parse(line));
    if (step.at < last_at_)
      throw std::runtime_error{"its time is before the last one's"};
    last_at_ = step.at;
    return step;
  } catch (const std::exception& e) {
    throw std::runtime_error{"line " + std::to_string(line_number_)
                             + " is damaged: " + e.what()};
  }
}

std::optional<std::string> replay(std::istream& in) {
  MessageLogReader log{in};
  Cluster cluster{log.config()};
  for (std::size_t number = 1; auto step = log.next(); ++number) {
    std::vector<std::string> effects;
    for (const auto& effect : cluster.step(step->at, step->event))
      effects.push_back(to_string(effect));
    auto describe = [&](const std::string& problem) {
      return "step " + std::to_string(number) + " (" + to_string(step->event)
             + "): " + problem;
    };
    for (std::size_t i = 0; i < std::max(effects.size(), step->effects.size());
         ++i) {
      if (i >= effects.size())
        return describe("then: " + step->effects[i] + ", now: nothing");
      if (i >= step->effects.size())
        return describe("then: nothing, now: " + effects[i]);
      if (effects[i] != step->effects[i])
        return describe("then: " + step->effects[i] + ", now: " + effects[i]);
    }
  }
  return std::nullopt;
}

} // namespace stoker
