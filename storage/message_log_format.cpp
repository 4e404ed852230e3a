#include "storage/message_log_format.hpp"

#include <cstddef>
#include <map>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "messages/json_text.hpp"
#include "scheduling/master/render.hpp"
#include "storage/log_lines.hpp"

namespace stoker {

namespace {

namespace json = boost::json;

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
  return log_lines::parse_event<Event>(from, []<class T>(const json::value& x) {
    if constexpr (std::is_same_v<T, ElectedLeader>)
      return from_json<T>(as_found_now(x));
    else
      return from_json<T>(x);
  });
}

} // namespace

std::string to_line(const MessageLogHeader& header) {
  return to_line(header, log_lines::config_text(header.config));
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
  for_each_line(result, [&](std::string_view line) {
    log_lines::append_effect(out, line);
  });
  out += ']';
  if (made_with != nullptr) {
    out += ",\"made_with\":";
    append_json(out, *made_with);
  }
  out += "}\n";
}

MessageLogHeader MasterLog::parse_header(std::string_view line) {
  auto result = log_lines::parse_header<MasterLog>(line);
  log_lines::require_valid(validate(result.config));
  return result;
}

LoggedStep MasterLog::parse_step(std::string line) {
  auto parsed = log_lines::parse(line);
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
