#include "storage/message_log_format.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "messages/json_text.hpp"
#include "scheduling/master/render.hpp"

namespace stoker {

namespace {

namespace json = boost::json;

constexpr std::string_view header_name = "stoker_message_log";

/// Makes records of what the record of an application said of its instances.
void separate_instances(json::object& app, json::array& instances) {
  auto* list = app.if_contains("instances_done");
  auto* done = list == nullptr ? nullptr : list->if_array();
  if (done == nullptr)
    return;
  std::map<int, StoredInstance> known;
  for (const auto& index : *done)
    known[json::value_to<int>(index)].done = true;
  if (auto* failures = app.if_contains("instance_failures"))
    for (std::size_t i = 0; i < failures->as_array().size(); ++i)
      if (auto count = json::value_to<int>(failures->as_array()[i]); count > 0)
        known[static_cast<int>(i)].failures = count;
  auto ended = is_finished(from_json<ApplicationState>(app.at("state")));
  app["instances_done"] = done->size();
  if (ended)
    return;
  for (auto& [index, x] : known) {
    x.app_id = from_json<AppId>(app.at("id"));
    x.index = index;
    instances.push_back(to_json(x));
  }
}

/// What a leader of version 2 or before found, as it is found now.
json::value as_found_now(json::value elected) {
  auto* stored = elected.as_object().if_contains("stored");
  if (stored == nullptr || stored->as_object().contains("instances"))
    return elected;
  json::array instances;
  if (auto* apps = stored->as_object().if_contains("applications"))
    for (auto& app : apps->as_array())
      separate_instances(app.as_object(), instances);
  stored->as_object()["instances"] = std::move(instances);
  return elected;
}

Event event_from_json(const json::value& from) {
  if (!from.is_object() || from.get_object().size() != 1)
    throw JsonError{"event", "expected an object with one name"};
  const auto& entry = *from.get_object().begin();
  std::optional<Event> result;
  auto try_type = [&]<class T>() {
    if (entry.key() != message_name<T>)
      return;
    if constexpr (std::is_same_v<T, ElectedLeader>)
      result = from_json<T>(as_found_now(entry.value()));
    else
      result = from_json<T>(entry.value());
  };
  [&]<class... Ts>(std::variant<Ts...>*) {
    (try_type.template operator()<Ts>(), ...);
  }(static_cast<Event*>(nullptr));
  if (!result)
    throw JsonError{"event",
                    "not one of the known names: " + std::string{entry.key()}};
  return std::move(*result);
}

json::value parse(std::string_view line, json::error_code& error) {
  json::parse_options options;
  // Names come from users, in whatever bytes.
  options.allow_invalid_utf8 = true;
  return json::parse({line.data(), line.size()}, error, {}, options);
}

template <class T>
void read_member(const json::object& from, const char* name, T& x) {
  if (const auto* value = from.if_contains(name))
    from_json(*value, x, name);
}

} // namespace

bool begins_as_message_log(std::string_view text) {
  return text.starts_with("{\"stoker_message_log\":");
}

std::string to_line(const MessageLogHeader& header) {
  std::string result = "{\"";
  result += header_name;
  result += "\":";
  append_number(result, header.version);
  result += ",\"series\":";
  append_json(result, header.series);
  result += ",\"segment\":";
  append_number(result, header.segment);
  result += ",\"first_step\":";
  append_number(result, header.first_step);
  result += ",\"config\":";
  append_json(result, header.config);
  return result += "}\n";
}

void append_step(std::string& out, Instant at, const EndpointId& from,
                 const Event& event, const StepResult& result,
                 const ClusterConfig* made_with) {
  out += "{\"at\":";
  append_number(out, to_ms(at));
  out += ",\"from\":";
  append_json(out, from);
  out += R"(,"event":{")";
  std::visit(
      [&]<class T>(const T& x) {
        out.append(message_name<T>) += "\":";
        append_json(out, x);
      },
      event);
  out += "},\"effects\":[";
  auto separator = "\"";
  for_each_line(result, [&](std::string_view line) {
    out += separator;
    separator = ",\"";
    // Few have anything to escape.
    if (!json_detail::has_special(line)) {
      out.append(line) += '"';
      return;
    }
    out.pop_back();
    append_json_string(out, line);
  });
  out += ']';
  if (made_with != nullptr) {
    out += ",\"made_with\":";
    append_json(out, *made_with);
  }
  out += "}\n";
}

MessageLogHeader parse_message_log_header(std::string_view line) {
  json::error_code error;
  auto parsed = parse(line, error);
  const auto* object = parsed.if_object();
  const auto* version
      = error || object == nullptr ? nullptr : object->if_contains(header_name);
  if (version == nullptr)
    throw std::runtime_error{"not a message log of Stoker"};
  const auto* number = version->if_int64();
  if (number == nullptr || *number < 1 || *number > message_log_version)
    throw std::runtime_error{
        "a message log of version " + json::serialize(*version)
        + "; this program reads versions 1 to "
        + std::to_string(message_log_version)
        + ": use the 'stoker' that wrote it, or a newer one"};
  MessageLogHeader result;
  result.version = static_cast<int>(*number);
  const auto* config = object->if_contains("config");
  if (config == nullptr)
    throw std::runtime_error{"a message log without a configuration"};
  from_json(*config, result.config, "config");
  if (auto valid = validate(result.config); !valid)
    throw std::runtime_error{"the message log's configuration: "
                             + valid.error().message};
  read_member(*object, "series", result.series);
  read_member(*object, "segment", result.segment);
  read_member(*object, "first_step", result.first_step);
  if (result.first_step == 0 || result.segment == 0)
    throw std::runtime_error{"a message log whose numbers begin with 0"};
  return result;
}

LoggedStep parse_step(std::string line) {
  json::error_code error;
  auto parsed = parse(line, error);
  if (error)
    throw std::runtime_error{error.message()};
  const auto& object = parsed.as_object();
  LoggedStep result;
  result.at = Instant{Duration{object.at("at").to_number<std::int64_t>()}};
  from_json(object.at("from"), result.from, "from");
  result.event = event_from_json(object.at("event"));
  from_json(object.at("effects"), result.effects, "effects");
  if (const auto* config = object.if_contains("made_with")) {
    from_json(*config, result.made_with.emplace(), "made_with");
    if (auto valid = validate(*result.made_with); !valid)
      throw std::runtime_error{"made_with: " + valid.error().message};
  }
  result.line = std::move(line);
  return result;
}

} // namespace stoker
