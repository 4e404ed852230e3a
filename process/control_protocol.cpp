#include "process/control_protocol.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

#include <boost/json.hpp>

namespace stoker::process {

namespace {

namespace json = boost::json;

using std::chrono::milliseconds;

constexpr std::array<std::pair<RequestKind, std::string_view>, 5> request_names{
    {
        {RequestKind::hello, "hello"},
        {RequestKind::end, "end"},
        {RequestKind::keep, "keep"},
        {RequestKind::input, "input"},
        {RequestKind::acknowledge, "acknowledge"},
    }};

constexpr std::array<std::pair<Phase, std::string_view>, 5> phase_names{{
    {Phase::starting, "starting"},
    {Phase::running, "running"},
    {Phase::could_not_start, "could_not_start"},
    {Phase::ended, "ended"},
    {Phase::lost, "lost"},
}};

template <class Names, class Value>
std::string_view name_of(const Names& names, Value value) {
  for (const auto& [candidate, name] : names)
    if (candidate == value)
      return name;
  throw std::logic_error{"a value without a name"};
}

template <class Names>
auto value_of(const Names& names, std::string_view wanted) {
  for (const auto& [value, name] : names)
    if (name == wanted)
      return value;
  throw std::runtime_error{"an unknown name"};
}

/// Throws if `text` is not an object of our version.
json::object parse_object(std::string_view text) {
  json::parse_options options;
  // Arguments and names of files are bytes, whatever their encoding.
  options.allow_invalid_utf8 = true;
  auto value
      = json::parse(json::string_view{text.data(), text.size()}, {}, options);
  auto& object = value.as_object();
  if (object.at("version").to_number<int>() != protocol_version)
    throw std::runtime_error{"another version of the protocol"};
  return std::move(object);
}

std::string to_std(const json::value& value) {
  const auto& text = value.as_string();
  return {text.data(), text.size()};
}

template <class T = int>
std::optional<T> to_optional(const json::value& value) {
  if (value.is_null())
    return std::nullopt;
  return value.to_number<T>();
}

template <class T>
json::value from_optional(std::optional<T> value) {
  return value ? json::value(*value) : json::value(nullptr);
}

json::value from_kept(const KeptOutput& x) {
  return json::object{{"out", from_optional(x.out)},
                      {"err", from_optional(x.err)},
                      {"paused", x.paused}};
}

KeptOutput to_kept(const json::value& value) {
  const auto& object = value.as_object();
  // An older worker says nothing of it.
  const auto* paused = object.if_contains("paused");
  return {to_optional<std::int64_t>(object.at("out")),
          to_optional<std::int64_t>(object.at("err")),
          paused != nullptr && paused->as_bool()};
}

json::value from_input(const InputPiece& x) {
  return json::object{{"offset", x.offset}, {"bytes", x.bytes}, {"end", x.end}};
}

/// Throws for what cannot be.
InputPiece to_input(const json::value& value) {
  const auto& object = value.as_object();
  InputPiece result{object.at("offset").to_number<std::int64_t>(),
                    object.at("bytes").to_number<std::size_t>(),
                    object.at("end").as_bool()};
  constexpr auto offset_max = std::numeric_limits<std::int64_t>::max() / 2;
  if (result.offset < 0 || result.offset > offset_max
      || result.bytes > input_bytes_max)
    throw std::runtime_error{"an impossible piece of input"};
  return result;
}

json::value from_use(const std::optional<ResourceUse>& x) {
  if (!x)
    return nullptr;
  return json::object{{"cpu_ms", x->cpu_ms},
                      {"peak_memory_mb", x->peak_memory_mb},
                      {"output_bytes", x->output_bytes}};
}

/// A supervisor that was started by an older program says nothing of it.
std::optional<ResourceUse> to_use(const json::value* value) {
  if (value == nullptr || value->is_null())
    return std::nullopt;
  const auto& object = value->as_object();
  return ResourceUse{object.at("cpu_ms").to_number<std::int64_t>(),
                     object.at("peak_memory_mb").to_number<std::int64_t>(),
                     object.at("output_bytes").to_number<std::int64_t>()};
}

json::value from_written(const std::optional<WrittenOutput>& x) {
  if (!x)
    return nullptr;
  return json::object{{"out", x->out}, {"err", x->err}};
}

/// A supervisor that was started by an older program says nothing of it.
std::optional<WrittenOutput> to_written(const json::value* value) {
  if (value == nullptr || value->is_null())
    return std::nullopt;
  const auto& object = value->as_object();
  return WrittenOutput{object.at("out").to_number<std::int64_t>(),
                       object.at("err").to_number<std::int64_t>()};
}

json::value from_process(const ProcessId& id) {
  return json::object{{"pid", id.pid}, {"start", id.start}};
}

ProcessId to_process(const json::value& value) {
  const auto& object = value.as_object();
  return ProcessId{object.at("pid").to_number<pid_t>(),
                   object.at("start").to_number<std::uint64_t>()};
}

milliseconds to_milliseconds(const json::value& value) {
  return milliseconds{value.to_number<milliseconds::rep>()};
}

Launch launch_from(const json::object& object) {
  Launch result;
  result.token = to_std(object.at("token"));
  auto& spec = result.spec;
  spec.title = to_std(object.at("title"));
  for (const auto& argument : object.at("arguments").as_array())
    spec.arguments.push_back(to_std(argument));
  for (const auto& [name, value] : object.at("environment").as_object())
    spec.environment.emplace(std::string{name.data(), name.size()},
                             to_std(value));
  spec.directory = to_std(object.at("directory"));
  if (const auto* own = object.if_contains("program_directory"))
    spec.program_directory = to_std(*own);
  for (const auto& [name, text] : object.at("files").as_object())
    spec.files.emplace(std::string{name.data(), name.size()}, to_std(text));
  spec.working_directory = to_std(object.at("working_directory"));
  spec.working_directory_required
      = object.at("working_directory_required").as_bool();
  spec.orphan_grace = to_milliseconds(object.at("orphan_grace_ms"));
  spec.kill_grace = to_milliseconds(object.at("kill_grace_ms"));
  spec.log_bytes_max = object.at("log_bytes_max").to_number<std::int64_t>();
  spec.log_files = object.at("log_files").to_number<int>();
  spec.open_files_max = object.at("open_files_max").to_number<std::uint64_t>();
  spec.kept_output = to_kept(object.at("kept_output"));
  spec.spark_worker_port = object.at("spark_worker_port").as_bool();
  // A worker that was started from an older program says nothing of it.
  if (const auto* input = object.if_contains("input"))
    spec.input = input->as_bool();
  if (const auto* grace = object.if_contains("stop_grace_ms"))
    spec.stop_grace = to_milliseconds(*grace);
  return result;
}

State state_from(const json::object& object) {
  State result;
  result.phase = value_of(phase_names, to_std(object.at("phase")));
  result.token = to_std(object.at("token"));
  result.cgroup = to_std(object.at("cgroup"));
  result.guard = to_process(object.at("guard"));
  result.supervisor = to_process(object.at("supervisor"));
  result.program = to_process(object.at("program"));
  result.error = object.at("error").to_number<int>();
  // A supervisor of an older program says nothing of it.
  if (const auto* in_directory = object.if_contains("in_directory"))
    result.in_directory = in_directory->as_bool();
  result.message = to_std(object.at("message"));
  result.exit_code = to_optional(object.at("exit_code"));
  result.signal = to_optional(object.at("signal"));
  result.requested = object.at("requested").as_bool();
  result.output_error = object.at("output_error").to_number<int>();
  result.lost_output = object.at("lost_output").to_number<std::int64_t>();
  result.written = to_written(object.if_contains("written"));
  result.use = to_use(object.if_contains("use"));
  if (const auto* ended = object.if_contains("ended_ms"))
    result.ended_ms = to_optional<std::int64_t>(*ended);
  if (const auto* takes_input = object.if_contains("takes_input"))
    result.takes_input = takes_input->as_bool();
  if (const auto* names_oldest = object.if_contains("names_oldest"))
    result.names_oldest = names_oldest->as_bool();
  if (const auto* mark = object.if_contains("mark"))
    result.mark = mark->to_number<LaunchMark>();
  return result;
}

InputState input_state_from(const json::object& object) {
  InputState result;
  result.taken = object.at("taken").to_number<std::int64_t>();
  result.closed = object.at("closed").as_bool();
  if (const auto& problem = object.at("problem"); !problem.is_null())
    result.problem = to_std(problem);
  return result;
}

} // namespace

std::int64_t milliseconds_since_1970() {
  return std::chrono::floor<milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

bool is_final(Phase phase) noexcept {
  return phase != Phase::starting && phase != Phase::running;
}

std::string to_json(const Launch& launch) {
  const auto& spec = launch.spec;
  json::array arguments;
  for (const auto& argument : spec.arguments)
    arguments.emplace_back(argument);
  json::object environment;
  for (const auto& [name, value] : spec.environment)
    environment.emplace(name, value);
  json::object files;
  for (const auto& [name, text] : spec.files)
    files.emplace(name, text);
  return json::serialize(json::object{
      {"version", protocol_version},
      {"token", launch.token},
      {"title", spec.title},
      {"arguments", std::move(arguments)},
      {"environment", std::move(environment)},
      {"directory", spec.directory},
      {"program_directory", spec.program_directory},
      {"files", std::move(files)},
      {"working_directory", spec.working_directory},
      {"working_directory_required", spec.working_directory_required},
      {"orphan_grace_ms", spec.orphan_grace.count()},
      {"kill_grace_ms", spec.kill_grace.count()},
      {"stop_grace_ms", spec.stop_grace.count()},
      {"log_bytes_max", spec.log_bytes_max},
      {"log_files", spec.log_files},
      {"open_files_max", spec.open_files_max},
      {"kept_output", from_kept(spec.kept_output)},
      {"spark_worker_port", spec.spark_worker_port},
      {"input", spec.input},
  });
}

std::string to_json(const Request& request) {
  json::object result{
      {"version", protocol_version},
      {"request", name_of(request_names, request.kind)},
  };
  if (request.kind == RequestKind::keep)
    result["kept"] = from_kept(request.kept);
  if (request.kind == RequestKind::input)
    result["input"] = from_input(request.input);
  return json::serialize(result);
}

std::string to_json(const State& state) {
  return json::serialize(json::object{
      {"version", protocol_version},
      {"phase", name_of(phase_names, state.phase)},
      {"token", state.token},
      {"cgroup", state.cgroup},
      {"guard", from_process(state.guard)},
      {"supervisor", from_process(state.supervisor)},
      {"program", from_process(state.program)},
      {"error", state.error},
      {"in_directory", state.in_directory},
      {"message", state.message},
      {"exit_code", from_optional(state.exit_code)},
      {"signal", from_optional(state.signal)},
      {"requested", state.requested},
      {"output_error", state.output_error},
      {"lost_output", state.lost_output},
      {"written", from_written(state.written)},
      {"use", from_use(state.use)},
      {"ended_ms", from_optional(state.ended_ms)},
      {"takes_input", state.takes_input},
      {"names_oldest", state.names_oldest},
      {"mark", state.mark},
  });
}

std::string to_json(const InputState& state) {
  return json::serialize(json::object{
      {"version", protocol_version},
      {"taken", state.taken},
      {"closed", state.closed},
      {"problem",
       state.problem ? json::value(*state.problem) : json::value(nullptr)},
  });
}

// Boost.JSON and the functions above tell any deviation by an exception; what
// exactly was wrong matters to nobody.

Result<Launch> parse_launch(std::string_view text) {
  try {
    auto result = launch_from(parse_object(text));
    if (auto status = validate(result.spec); !status)
      return std::move(status).error();
    return result;
  } catch (const std::exception&) {
    return Error{Errc::unreadable, "the launch cannot be read"};
  }
}

std::optional<Request> parse_request(std::string_view text) {
  try {
    auto object = parse_object(text);
    Request result;
    result.kind = value_of(request_names, to_std(object.at("request")));
    if (result.kind == RequestKind::keep)
      result.kept = to_kept(object.at("kept"));
    if (result.kind == RequestKind::input)
      result.input = to_input(object.at("input"));
    return result;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::optional<State> parse_state(std::string_view text) {
  try {
    return state_from(parse_object(text));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::optional<std::variant<State, InputState>>
parse_news(std::string_view text) {
  try {
    auto object = parse_object(text);
    if (object.contains("taken"))
      return input_state_from(object);
    return state_from(object);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

} // namespace stoker::process
