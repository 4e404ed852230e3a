#include "storage/task_log_format.hpp"

#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "scheduling/jobs/job_names.hpp"
#include "storage/log_lines.hpp"

namespace stoker {

namespace {

namespace json = boost::json;

/// Writes a record, field by field.
class RecordWriter {
public:
  explicit RecordWriter(std::string& out) : out_(out) {
    out_ += '{';
  }

  /// The caller appends the value.
  std::string& begin(std::string_view name) {
    if (out_.back() != '{')
      out_ += ',';
    ((out_ += '"').append(name)) += "\":";
    return out_;
  }

  template <class T>
  void add(std::string_view name, const T& x) {
    append_json(begin(name), x);
  }

  void end() {
    out_ += '}';
  }

private:
  std::string& out_;
};

template <class T, class Append>
void append_list(std::string& out, const std::vector<T>& xs, Append append) {
  out += '[';
  for (const auto& x : xs) {
    if (&x != xs.data())
      out += ',';
    append(out, x);
  }
  out += ']';
}

/// Each run of tasks that have the same places: those of a whole stage often do.
void append_places(std::string& out,
                   const std::vector<std::vector<TaskPlace>>& places) {
  out += '[';
  for (std::size_t i = 0, end = 0; i < places.size(); i = end) {
    while (end < places.size() && places[end] == places[i])
      ++end;
    if (i > 0)
      out += ',';
    RecordWriter run{out};
    run.add("tasks", end - i);
    run.add("places", places[i]);
    run.end();
  }
  out += ']';
}

void append_stage(std::string& out, const StageSpec& x) {
  RecordWriter record{out};
  for_each_field(x, [&](auto field, const auto& value) {
    if constexpr (field.name == "places")
      append_places(record.begin(field.name), value);
    else
      record.add(field.name, value);
  });
  record.end();
}

void append_event(std::string& out, const JobSubmitted& x) {
  out += R"({"job":)";
  RecordWriter record{out};
  for_each_field(x.job, [&](auto field, const auto& value) {
    if constexpr (field.name == "stages")
      append_list(record.begin(field.name), value, append_stage);
    else
      record.add(field.name, value);
  });
  record.end();
  out += '}';
}

/// What is not as in a new one. Most fields of most tasks say nothing, and there are
/// many tasks.
void append_status(std::string& out, const TaskStatus& x) {
  static const TaskStatus unset;
  RecordWriter record{out};
  record.add("id", x.id);
  record.add("state", x.state);
  if (x.result)
    record.add("result", "(" + std::to_string(x.result->size()) + " bytes)");
  if (!x.last_lines.empty())
    append_json_string(record.begin("last_lines"), logged_end_of(x.last_lines));
  auto add_set
      = [&](std::string_view name, const auto& value, const auto& unset_value) {
          if (!(value == unset_value))
            record.add(name, value);
        };
  boost::mp11::mp_for_each<MembersOf<TaskStatus>>([&](auto member) {
    constexpr std::string_view name = decltype(member)::name;
    if constexpr (name != "id" && name != "state" && name != "result"
                  && name != "last_lines")
      add_set(name, x.*member.pointer, unset.*member.pointer);
  });
  record.end();
}

void append_event(std::string& out, const StatusUpdates& x) {
  RecordWriter record{out};
  record.add("exec_id", x.exec_id);
  append_list(record.begin("ended"), x.ended, append_status);
  record.add("returned", x.returned);
  record.end();
}

template <class T>
void append_event(std::string& out, const T& x) {
  append_json(out, x);
}

/// Takes the places out of the stages of a job, which they would not fit.
std::vector<json::value> take_places(json::value& submitted) {
  std::vector<json::value> result;
  auto* object = submitted.if_object();
  auto* job = object == nullptr ? nullptr : object->if_contains("job");
  object = job == nullptr ? nullptr : job->if_object();
  auto* list = object == nullptr ? nullptr : object->if_contains("stages");
  auto* stages = list == nullptr ? nullptr : list->if_array();
  if (stages == nullptr)
    return result;
  for (auto& stage : *stages) {
    auto& places = result.emplace_back();
    auto* fields = stage.if_object();
    if (fields == nullptr)
      continue;
    if (auto* found = fields->if_contains("places")) {
      places = std::move(*found);
      fields->erase("places");
    }
  }
  return result;
}

/// Reads what `append_places` writes. A task takes one of `left`, and so does each of
/// its places.
void read_places(const json::value& runs,
                 std::vector<std::vector<TaskPlace>>& target,
                 std::int64_t& left) {
  if (runs.is_null())
    return;
  json_detail::require(runs.is_array(), "places", "expected an array");
  for (const auto& run : runs.get_array()) {
    json_detail::require(run.is_object(), "places", "expected objects");
    std::int64_t tasks = 0;
    std::vector<TaskPlace> places;
    log_lines::read_member(run.get_object(), "tasks", tasks);
    log_lines::read_member(run.get_object(), "places", places);
    json_detail::require(tasks > 0 && tasks <= left, "places.tasks",
                         "expected a number of tasks");
    left -= tasks * (1 + static_cast<std::int64_t>(places.size()));
    json_detail::require(left >= 0, "places", "too many of them");
    target.insert(target.end(), static_cast<std::size_t>(tasks), places);
  }
}

JobSubmitted submitted_from(json::value from) {
  auto places = take_places(from);
  auto result = from_json<JobSubmitted>(from);
  auto left = logged_places_max;
  for (std::size_t i = 0; i < places.size(); ++i)
    read_places(places[i], result.job.stages[i].places, left);
  return result;
}

JobsEvent jobs_event_from_json(const json::value& from) {
  return log_lines::parse_event<JobsEvent>(
      from, []<class T>(const json::value& x) {
        if constexpr (std::is_same_v<T, JobSubmitted>)
          return submitted_from(x);
        else
          return from_json<T>(x);
      });
}

} // namespace

std::string to_line(const TaskLogHeader& header) {
  return to_line(header, log_lines::config_text(header.config));
}

void append_step(std::string& out, Instant at, const JobsEvent& event,
                 const JobsEffects& effects, JobsEffectLines& lines) {
  out += "{\"at\":";
  append_number(out, to_ms(at));
  out += R"(,"event":{")";
  std::visit(
      [&]<class T>(const T& x) {
        out.append(message_name<T>) += "\":";
        append_event(out, x);
      },
      event);
  out += "},\"effects\":[";
  for (const auto& effect : effects)
    log_lines::append_effect(out, lines.line(effect));
  out += "]}\n";
}

TaskLogHeader TaskLog::parse_header(std::string_view line) {
  auto result = log_lines::parse_header<TaskLog>(line);
  // Before executors said that they were there, nobody missed them.
  if (!log_lines::parse(line).as_object().at("config").as_object().contains(
          "heartbeats"))
    result.config.heartbeats.interval = Duration{0};
  log_lines::require_valid(validate(result.config));
  return result;
}

LoggedJobsStep TaskLog::parse_step(std::string line) {
  auto parsed = log_lines::parse(line);
  const auto& object = parsed.as_object();
  LoggedJobsStep result;
  result.at = Instant{Duration{object.at("at").to_number<std::int64_t>()}};
  result.event = jobs_event_from_json(object.at("event"));
  from_json(object.at("effects"), result.effects, "effects");
  result.line = std::move(line);
  return result;
}

} // namespace stoker
