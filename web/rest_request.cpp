#include "web/rest_request.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <boost/algorithm/string/case_conv.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/json/parse.hpp>
#include <boost/mp11/algorithm.hpp>

#include "messages/json.hpp"
#include "messages/printable.hpp"
#include "scheduling/common/dependency_id.hpp"
#include "scheduling/master/drivers.hpp"
#include "scheduling/planning/plan.hpp"
#include "storage/history_words.hpp"
#include "web/page_address.hpp"
#include "web/repeated_field.hpp"
#include "web/unknown_field.hpp"
#include "web/url.hpp"

namespace stoker {

namespace {

/// As deep as any message.
constexpr std::size_t json_depth_max = 16;

/// How many executors are told of, unless somebody asks for more.
constexpr int executors_default = 1000;

/// What is wrong with a request.
class RestProblem : public std::exception {
public:
  explicit RestProblem(std::string text) : text_(std::move(text)) {
  }

  /// All of it: what somebody has sent may have a zero byte in it.
  [[nodiscard]] const std::string& text() const noexcept {
    return text_;
  }

  [[nodiscard]] const char* what() const noexcept override {
    return text_.c_str();
  }

private:
  std::string text_;
};

/// A request whose path fits.
struct Call {
  const HttpRequest& request;

  /// What stands in the path where the pattern has a star.
  std::vector<std::string> ids;

  /// The names of the query that somebody has asked for.
  mutable std::set<std::string_view> names_read{};

  [[nodiscard]] std::optional<std::string> value(std::string_view name) const {
    names_read.insert(name);
    return query_value('?' + request.query, name);
  }

  /// A misspelt name, or a value that cannot be read, would silently ask for something else.
  void check_all_is_read() const {
    for (auto name : query_names(request.query))
      if (!names_read.contains(name))
        throw RestProblem{std::string{name} + ": there is no such parameter"};
    if (auto problem = malformed_query(request.query); !problem.empty())
      throw RestProblem{problem};
  }

  /// An order that says more than its path would not be carried out as it was meant.
  void check_no_body() const {
    boost::json::error_code error;
    if (request.body.empty())
      return;
    auto json = boost::json::parse(request.body, error);
    if (error || !json.is_object() || !json.get_object().empty())
      throw RestProblem{"the path says all: the body is empty, or {}"};
  }

  [[nodiscard]] bool flag(std::string_view name, bool otherwise) const {
    auto x = value(name);
    if (!x)
      return otherwise;
    if (*x != "true" && *x != "false")
      throw RestProblem{std::string{name} + " is true or false, not '" + *x
                        + "'"};
    return *x == "true";
  }

  template <class Number>
  [[nodiscard]] Number number(std::string_view name, Number otherwise) const {
    auto x = value(name);
    return x ? number_in<Number>(std::string{name}, *x) : otherwise;
  }

  template <class Number>
  static Number number_in(const std::string& name, const std::string& x) {
    Number result{};
    auto [end, error] = std::from_chars(x.data(), x.data() + x.size(), result);
    if (error != std::errc{} || end != x.data() + x.size() || result < 0)
      throw RestProblem{name + " is a whole number, not '" + x + "'"};
    return result;
  }

  template <class T>
  [[nodiscard]] T body() const {
    boost::json::parse_options options;
    options.max_depth = json_depth_max;
    boost::json::error_code error;
    auto json = boost::json::parse(request.body, error, {}, options);
    if (error)
      throw RestProblem{"the body is no JSON: " + error.message()};
    auto result = from_json<T>(json);
    if (auto name = unknown_field<T>(json); !name.empty())
      throw RestProblem{name + ": there is no such field"};
    if (auto name = repeated_field(request.body, json_depth_max); !name.empty())
      throw RestProblem{name + ": it is given more than once"};
    return result;
  }

  [[nodiscard]] ExecutorId executor() const {
    return {AppId{ids.at(0)}, number_in<int>("an executor", ids.at(1))};
  }
};

OutputRequest output_of(const Call& call, ProgramId program) {
  OutputRequest result;
  result.program = std::move(program);
  auto stream = call.value("stream").value_or("stdout");
  if (stream != "stdout" && stream != "stderr")
    throw RestProblem{"stream is stdout or stderr, not '" + stream + "'"};
  result.standard_error = stream == "stderr";
  result.follow = call.flag("follow", false);
  if (call.value("tail"))
    result.tail = call.number<std::int64_t>("tail", 0);
  return result;
}

RestRequest state_of(const Call& call) {
  RequestMasterState result;
  result.workers = call.flag("workers", true);
  result.applications = call.flag("applications", true);
  result.drivers = call.flag("drivers", true);
  result.executors_max = call.number<int>("executors_max", executors_default);
  if (auto id = call.value("app"))
    result.app_id = AppId{*id};
  return ReadState{result};
}

/// What `state_of` answers, of one kind alone.
RestRequest list_of(RequestMasterState kind, const Call& call) {
  if (kind.applications) {
    kind.executors_max = call.number<int>("executors_max", executors_default);
    if (auto id = call.value("app"))
      kind.app_id = AppId{*id};
  }
  return ReadState{kind};
}

RequestMasterState only(bool workers, bool applications, bool drivers) {
  RequestMasterState result;
  result.workers = workers;
  result.applications = applications;
  result.drivers = drivers;
  return result;
}

template <class Enum>
void add_names(std::vector<std::string>& to) {
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<Enum>>(
      [&](auto x) {
        if (std::ranges::find(to, x.name) == to.end())
          to.emplace_back(x.name);
      });
}

/// One that a job or a stage may have, in any case.
std::string job_state(const std::string& text) {
  std::vector<std::string> states;
  add_names<JobStatus>(states);
  add_names<StageStatus>(states);
  auto result = boost::algorithm::to_upper_copy(text);
  if (std::ranges::find(states, result) == states.end())
    throw RestProblem{"state: no job or stage is '" + text + "'; there are "
                      + list_text(states)};
  return result;
}

RestRequest jobs_of(const Call& call) {
  RequestJobs result;
  if (auto id = call.value("app"))
    result.app_id = AppId{*id};
  result.user = call.value("user");
  if (auto state = call.value("state"))
    result.state = job_state(*state);
  result.only_active = call.flag("active", false);
  result.rows_max = call.number<int>("rows_max", result.rows_max);
  return result;
}

/// What was read of a parameter.
template <class T>
T taken(const std::string& name, Result<T> x) {
  if (!x)
    throw RestProblem{name + ": " + x.error().message};
  return *std::move(x);
}

RestRequest history_of(const Call& call) {
  RequestHistory result;
  if (auto kinds = call.value("kind"))
    result.kinds = taken("kind", parse_history_kinds(*kinds));
  else if (!call.value("id") && !call.value("app"))
    // As the command line: what people have started.
    result.kinds = {HistoryKind::application, HistoryKind::driver};
  result.id = call.value("id");
  if (auto id = call.value("app"))
    result.app_id = AppId{*id};
  result.name = call.value("name");
  result.user = call.value("user");
  result.company = call.value("company");
  if (auto state = call.value("state"))
    result.state = taken("state", parse_history_state(*state, result.kinds));
  for (auto [name, to] : {std::pair{"since_ms", &result.since_ms},
                          std::pair{"until_ms", &result.until_ms}})
    if (call.value(name))
      *to = call.number<std::int64_t>(name, 0);
  result.rows_max = call.number<int>("rows_max", result.rows_max);
  result.after = call.value("after");
  return result;
}

RestRequest use_of(const Call& call) {
  return RequestUse{call.value("from"), call.value("to"), call.value("company"),
                    call.value("user")};
}

/// A browser whose connection broke says itself where it was.
RestRequest events_of(const Call& call) {
  const auto& last = call.request.last_event_id;
  auto after = call.number<std::uint64_t>("after", 0);
  if (!last.empty())
    after = Call::number_in<std::uint64_t>("Last-Event-ID", last);
  return FollowEvents{after, call.value("of").value_or("")};
}

/// What a driver waits for: first what has to end, then what has to end well.
Result<std::vector<Dependency>> dependencies_of(const DriverSubmission& x) {
  std::vector<Dependency> result;
  for (auto success : {false, true})
    for (const auto& id : success ? x.after_ok : x.after) {
      auto dependency = dependency_on(id, success);
      if (!dependency)
        return std::move(dependency).error();
      result.push_back(*std::move(dependency));
    }
  return result;
}

RestRequest submission_of(const Call& call) {
  auto result = call.body<DriverSubmission>();
  if (result.command.empty() || result.command.front().empty())
    throw RestProblem{"command: a program and its arguments are needed"};
  if (auto after = dependencies_of(result); !after)
    throw RestProblem{after.error().message};
  RequestSubmitDriver request;
  request.driver_description = description_of(result, {});
  request.submission = result.submission;
  if (auto valid = check_submission(request); !valid)
    throw RestProblem{valid.error().message};
  return result;
}

RestRequest plan_of(const Call& call) {
  auto result = call.body<RequestPlan>();
  if (auto valid = check_plan(result); !valid)
    throw RestProblem{valid.error().message};
  return result;
}

struct Route {
  std::string_view method;

  /// Parts of the path behind /api/v1; '*' is an id.
  std::array<std::string_view, 4> pattern;
  RestRequest (*make)(const Call& call);
};

constexpr std::string_view any_id = "*";

const std::array<Route, 23> routes{
    {{"GET", {"status"}, state_of},
     {"GET",
      {"workers"},
      [](const Call& x) { return list_of(only(true, false, false), x); }},
     {"GET",
      {"applications"},
      [](const Call& x) { return list_of(only(false, true, false), x); }},
     {"GET",
      {"drivers"},
      [](const Call& x) { return list_of(only(false, false, true), x); }},
     {"GET",
      {"workers", any_id},
      [](const Call& x) -> RestRequest {
        return ReadWorker{WorkerId{x.ids.at(0)}};
      }},
     {"GET",
      {"applications", any_id},
      [](const Call& x) -> RestRequest {
        return ReadApplication{AppId{x.ids.at(0)}};
      }},
     {"GET",
      {"applications", any_id, "explanation"},
      [](const Call& x) -> RestRequest {
        return RequestExplanation{AppId{x.ids.at(0)}, std::nullopt};
      }},
     {"POST",
      {"applications", any_id, "kill"},
      [](const Call& x) -> RestRequest {
        x.check_no_body();
        return EndApplication{AppId{x.ids.at(0)}};
      }},
     {"GET",
      {"executors", any_id, any_id},
      [](const Call& x) -> RestRequest { return ReadExecutor{x.executor()}; }},
     {"GET",
      {"executors", any_id, any_id, "output"},
      [](const Call& x) -> RestRequest { return output_of(x, x.executor()); }},
     {"POST",
      {"executors", any_id, any_id, "kill"},
      [](const Call& x) -> RestRequest {
        x.check_no_body();
        return EndExecutor{x.executor()};
      }},
     {"POST", {"drivers"}, submission_of},
     {"GET",
      {"submissions", any_id},
      [](const Call& x) -> RestRequest { return ReadSubmission{x.ids.at(0)}; }},
     {"GET",
      {"drivers", any_id},
      [](const Call& x) -> RestRequest {
        return ReadDriver{DriverId{x.ids.at(0)}};
      }},
     {"GET",
      {"drivers", any_id, "explanation"},
      [](const Call& x) -> RestRequest {
        return RequestExplanation{{}, DriverId{x.ids.at(0)}};
      }},
     {"GET",
      {"drivers", any_id, "output"},
      [](const Call& x) -> RestRequest {
        return output_of(x, DriverId{x.ids.at(0)});
      }},
     {"POST",
      {"drivers", any_id, "kill"},
      [](const Call& x) -> RestRequest {
        x.check_no_body();
        return EndDriver{DriverId{x.ids.at(0)}};
      }},
     {"GET",
      {"queues"},
      [](const Call&) -> RestRequest { return RequestQueues{}; }},
     {"GET", {"jobs"}, jobs_of},
     {"GET", {"history"}, history_of},
     {"GET", {"use"}, use_of},
     {"POST", {"plan"}, plan_of},
     {"GET", {"events"}, events_of}}};

/// As "/a//b" and "/a/" have: no pattern does.
bool has_empty_part(std::string_view path) {
  return path.ends_with('/') || path.find("//") != std::string_view::npos;
}

/// The ids in a path that fits a pattern.
std::optional<std::vector<std::string>>
ids_in(const std::vector<std::string>& parts, const Route& route) {
  std::vector<std::string> result;
  std::size_t i = 0;
  for (auto expected : route.pattern) {
    if (expected.empty())
      break;
    if (i == parts.size())
      return std::nullopt;
    if (expected == any_id)
      result.push_back(parts[i]);
    else if (parts[i] != expected)
      return std::nullopt;
    ++i;
  }
  return i == parts.size() ? std::optional{std::move(result)} : std::nullopt;
}

} // namespace

std::variant<RestRequest, HttpResponse>
parse_rest_request(const HttpRequest& request) {
  auto nothing_there = [] {
    return http_problem(404,
                        "there is nothing at this path: see /openapi.json");
  };
  auto parts = decoded_parts(request.path);
  // Behind "api" and "v1".
  if (!parts || parts->size() < 2 || has_empty_part(request.path))
    return nothing_there();
  parts->erase(parts->begin(), parts->begin() + 2);
  std::string allowed;
  auto method = request.method == "HEAD" ? "GET" : request.method;
  for (const auto& route : routes) {
    auto ids = ids_in(*parts, route);
    if (!ids)
      continue;
    if (method != route.method) {
      allowed += (allowed.empty() ? "" : ", ") + std::string{route.method}
                 + (route.method == "GET" ? ", HEAD" : "");
      continue;
    }
    try {
      Call call{request, *std::move(ids)};
      auto result = route.make(call);
      call.check_all_is_read();
      return result;
    } catch (const RestProblem& e) {
      return http_problem(400, printable(e.text()));
    } catch (const JsonError& e) {
      return http_problem(400, printable(e.what()));
    }
  }
  if (!allowed.empty())
    return http_other_method(allowed);
  return nothing_there();
}

DriverDescription description_of(const DriverSubmission& x,
                                 const std::string& user) {
  DriverDescription result;
  result.command.arguments = x.command;
  result.command.environment = x.environment;
  result.command.working_directory = x.working_directory;
  result.command.working_directory_required = !x.working_directory.empty();
  const auto& program = x.command.front();
  result.name
      = x.name.empty() ? program.substr(program.rfind('/') + 1) : x.name;
  result.user = user;
  result.cores = x.cores;
  result.memory_mb = x.memory_mb;
  result.resources = x.resources;
  result.supervise = x.supervise || x.max_restarts;
  result.max_restarts = x.max_restarts;
  if (auto after = dependencies_of(x))
    result.after = *std::move(after);
  if (x.on_end) {
    auto& hook = result.on_end.emplace();
    hook.command = result.command;
    hook.command.arguments = x.on_end->command;
    hook.retries = x.on_end->retries;
  }
  if (const auto& y = x.executors)
    result.executors
        = DriverExecutors{y->count, y->cores, y->memory_mb, y->resources};
  result.reject_if_it_cannot_fit = !x.wait;
  return result;
}

} // namespace stoker
