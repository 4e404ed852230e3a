// The document at /openapi.json holds together, and says what the server does.

#include "web/openapi.hpp"

#include <functional>
#include <regex>
#include <set>
#include <stdexcept>

#include <boost/algorithm/string/case_conv.hpp>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "storage/history_words.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/json_schema.hpp"
#include "web/rest_request.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

namespace json = boost::json;

const json::value& described() {
  static const auto result = json::parse(*openapi_document());
  return result;
}

const json::object& described_schemas() {
  return described().at_pointer("/components/schemas").as_object();
}

struct Operation {
  std::string path;

  /// As "GET".
  std::string method;
  const json::object& is;
};

std::vector<Operation> operations() {
  std::vector<Operation> result;
  for (const auto& path : described().at("paths").as_object())
    for (const auto& operation : path.value().as_object())
      result.push_back({std::string{path.key()},
                        operation.key() == "get" ? "GET" : "POST",
                        operation.value().as_object()});
  return result;
}

std::vector<json::object> parameters_of(const Operation& x,
                                        const std::string& place) {
  std::vector<json::object> result;
  if (const auto* all = x.is.if_contains("parameters"))
    for (const auto& parameter : all->as_array())
      if (parameter.at("in") == json::string_view{place})
        result.push_back(parameter.as_object());
  return result;
}

/// Calls `f` for each object in it, from the outermost on.
void each_object(const json::value& x,
                 const std::function<void(const json::object&)>& f) {
  if (const auto* list = x.if_array())
    for (const auto& element : *list)
      each_object(element, f);
  if (const auto* object = x.if_object()) {
    f(*object);
    for (const auto& member : *object)
      each_object(member.value(), f);
  }
}

/// A path with ids in it: "/drivers/{driver}" -> "/api/v1/drivers/1".
std::string path_with_ids(const std::string& path) {
  static const std::regex name{"\\{[a-z]+\\}"};
  return "/api/v1" + std::regex_replace(path, name, "1");
}

/// A pattern of words in any case begins like this, and no other one does.
constexpr const char* words_begin = "^([";

/// "all" -> "[Aa][Ll][Ll]".
std::string in_any_case(const std::string& word) {
  std::string result;
  for (auto x : word)
    result += '[' + boost::algorithm::to_upper_copy(std::string{x})
              + boost::algorithm::to_lower_copy(std::string{x}) + ']';
  return result;
}

std::string pattern_of(const json::value& schema) {
  const auto* pattern = schema.as_object().if_contains("pattern");
  return pattern ? pattern->as_string().c_str() : "";
}

/// The values that a schema names; in capitals where they may be in any case. Empty: it
/// names none.
std::vector<std::string> words_of(const json::value& schema) {
  std::vector<std::string> result;
  if (const auto* values = schema.as_object().if_contains("enum"))
    for (const auto& x : values->as_array())
      result.emplace_back(x.as_string().c_str());
  auto pattern = pattern_of(schema);
  if (!pattern.starts_with(words_begin))
    return result;
  static const std::regex letter{"\\[([A-Z])[a-z]\\]"};
  static const std::regex around{"[()^$?]"};
  auto plain = std::regex_replace(std::regex_replace(pattern, letter, "$1"),
                                  around, "");
  boost::algorithm::split(result, plain, boost::algorithm::is_any_of("|"));
  return result;
}

/// Of a parameter in the query, or of what is between its commas.
const json::value& schema_of_query(const std::string& path,
                                   const std::string& parameter) {
  const auto& all
      = described().at("paths").at(path).at("get").at("parameters").as_array();
  for (const auto& x : all)
    if (x.at("name") == json::string_view{parameter}) {
      const auto* items = x.at("schema").as_object().if_contains("items");
      return items ? *items : x.at("schema");
    }
  throw std::out_of_range{path + " has no parameter " + parameter};
}

/// A value that a parameter may have.
std::string sample(const json::object& parameter) {
  const auto& schema = parameter.at("schema").as_object();
  if (schema.at("type") == "array")
    return words_of(schema.at("items")).at(1) + ','
           + words_of(schema.at("items")).at(3);
  if (auto words = words_of(schema); !words.empty())
    return words.front();
  if (schema.at("type") == "boolean")
    return "true";
  if (schema.at("type") == "integer")
    return "1";
  return "2026-11";
}

/// 0: it is taken.
unsigned status_of_request(const std::string& method, const std::string& path,
                           const std::string& query = {},
                           const std::string& body = {}) {
  HttpRequest request;
  request.method = method;
  request.path = path;
  request.query = query;
  request.body = body;
  auto parsed = parse_rest_request(request);
  const auto* problem = std::get_if<HttpResponse>(&parsed);
  return problem ? problem->status : 0;
}

/// A submission with this besides its command.
std::string program_with(const std::string& more) {
  return R"({"command":["ls"],)" + more + '}';
}

std::string kinds(int count) {
  json::object result;
  for (int i = 0; i < count; ++i)
    result["kind" + std::to_string(i)] = 1;
  return json::serialize(result);
}

std::string ids(int count) {
  json::array result;
  for (int i = 0; i < count; ++i)
    result.emplace_back("app-" + std::to_string(i));
  return json::serialize(result);
}

std::string apps_of_a_plan(std::size_t count) {
  json::object result;
  result["add_apps"] = json::array(count, json::object{});
  return json::serialize(result);
}

std::string quoted(std::size_t characters) {
  return '"' + std::string(characters, 'x') + '"';
}

/// A body, and whether it is one that the server takes.
struct BodyRow {
  std::string body;
  bool is_taken;
};

/// The document and the server agree about these.
void check_bodies(const std::string& path, const std::string& schema,
                  const std::vector<BodyRow>& rows) {
  JsonSchema form{described(), "/components/schemas/" + schema};
  for (const auto& [body, is_taken] : rows) {
    INFO(body);
    CHECK(form.problems(json::parse(body)).empty() == is_taken);
    CHECK(status_of_request("POST", path, {}, body) == (is_taken ? 0U : 400U));
  }
}

} // namespace

TEST_CASE("each reference in the document leads to something in it", "[web]") {
  auto references = 0;
  each_object(described(), [&](const json::object& x) {
    CHECK_FALSE(x.contains("$id"));
    const auto* reference = x.if_contains("$ref");
    if (reference == nullptr)
      return;
    ++references;
    std::string text{reference->as_string().c_str()};
    INFO(text);
    REQUIRE(text.starts_with("#/components/"));
    json::error_code error;
    CHECK(described().find_pointer(text.substr(1), error) != nullptr);
  });
  CHECK(references > 100);
}

TEST_CASE("the document has what commands print, and each part of it",
          "[web]") {
  CHECK(described().at("openapi") == "3.1.0");
  static const std::regex plain{"[A-Za-z0-9._-]+"};
  for (const auto& schema : described_schemas()) {
    std::string name{schema.key()};
    INFO(name);
    CHECK(std::regex_match(name, plain));
    CHECK_FALSE(schema.value().as_object().contains("$defs"));
    CHECK_NOTHROW(JsonSchema{described(), "/components/schemas/" + name});
  }
  for (const auto* name :
       {"status", "status.worker", "queues", "plan", "explain", "submit",
        "status-jobs", "history", "use", "kill", "problem", "submission"})
    CHECK(described_schemas().contains(name));
}

TEST_CASE("each operation has a name, and what any request may be answered",
          "[web]") {
  std::set<std::string> names;
  for (const auto& x : operations()) {
    INFO(x.method << ' ' << x.path);
    CHECK(names.insert(x.is.at("operationId").as_string().c_str()).second);
    const auto& responses = x.is.at("responses").as_object();
    for (const auto* status :
         {"400", "401", "403", "413", "415", "421", "431", "501", "503"})
      CHECK(responses.contains(status));
    CHECK(responses.contains(
        x.path == "/drivers" && x.method == "POST" ? "201" : "200"));
    // What the path names is described, and nothing else.
    auto left = x.path;
    for (const auto& parameter : parameters_of(x, "path")) {
      auto name = '{' + std::string{parameter.at("name").as_string()} + '}';
      REQUIRE(contains(left, name));
      left.erase(left.find(name), name.size());
    }
    CHECK_FALSE(contains(left, "{"));
  }
}

TEST_CASE("each path of the document takes the methods that it says", "[web]") {
  for (const auto& path : described().at("paths").as_object()) {
    auto target = path_with_ids(std::string{path.key()});
    const auto& methods = path.value().as_object();
    for (const auto& [method, is_said] :
         {std::pair{"GET", methods.contains("get")},
          std::pair{"HEAD", methods.contains("get")},
          std::pair{"POST", methods.contains("post")}, std::pair{"PUT", false},
          std::pair{"DELETE", false}}) {
      INFO(method << ' ' << target);
      auto status = status_of_request(method, target);
      CHECK(status != 404);
      CHECK((status != 405) == is_said);
    }
  }
}

TEST_CASE("each parameter of the document is known", "[web]") {
  for (const auto& x : operations()) {
    std::string query;
    for (const auto& parameter : parameters_of(x, "query"))
      query += std::string{parameter.at("name").as_string()} + '='
               + sample(parameter) + '&';
    INFO(x.path << '?' << query);
    if (x.method == "GET")
      CHECK(status_of_request("GET", path_with_ids(x.path), query) == 0);
    CHECK(status_of_request(x.method, path_with_ids(x.path), query + "no=1")
          == 400);
  }
}

TEST_CASE("the words that the document names are those that are taken",
          "[web]") {
  std::string kinds;
  for (const auto& x : history_kind_names()) {
    kinds += (kinds.empty() ? "^(" : "|") + in_any_case(x);
    if (x.ends_with('s'))
      kinds += '?';
  }
  CHECK(pattern_of(schema_of_query("/history", "kind")) == kinds + ")$");
  CHECK(words_of(schema_of_query("/history", "state")) == history_states({}));
  auto states = words_of(schema_of_query("/jobs", "state"));
  CHECK(states.size() == 9);
  // All that there are are named where one is refused.
  HttpRequest request;
  request.method = "GET";
  request.path = "/api/v1/jobs";
  request.query = "state=none";
  CHECK(contains(std::get<HttpResponse>(parse_rest_request(request)).problem,
                 "there are " + list_text(states)));
}

TEST_CASE("a word that the document allows in any case is taken in any case",
          "[web]") {
  struct Row {
    std::string path;
    std::string parameter;
  };
  for (const auto& [path, parameter] :
       {Row{"/history", "kind"}, Row{"/history", "state"},
        Row{"/jobs", "state"}}) {
    const auto& schema = schema_of_query(path, parameter);
    std::regex pattern{pattern_of(schema)};
    auto agree = [&, p = path, name = parameter](const std::string& word,
                                                 bool is_taken) {
      INFO(p << '?' << name << '=' << word);
      CHECK(std::regex_match(word, pattern) == is_taken);
      // What may have ended otherwise is refused of others.
      auto more = p == "/history" && name == "state" ? "kind=all&" : "";
      CHECK(status_of_request("GET", "/api/v1" + p, more + name + '=' + word)
            == (is_taken ? 0U : 400U));
    };
    for (const auto& x : words_of(schema)) {
      auto lower = boost::algorithm::to_lower_copy(x);
      for (const auto& word : {x, lower, x.substr(0, 1) + lower.substr(1)})
        agree(word, true);
      // Kinds may be in the singular.
      if (parameter == "kind" && x.ends_with('S'))
        agree(lower.substr(0, lower.size() - 1), true);
      agree(x + 'x', false);
    }
    agree("none", false);
    agree("", false);
  }
}

TEST_CASE("a submission that the document allows is one that is taken",
          "[web]") {
  check_bodies(
      "/api/v1/drivers", "submission",
      {{R"({"command":["ls"]})", true},
       {R"({})", false},
       {R"({"command":[]})", false},
       {program_with(R"("nmae":"x")"), false},
       {program_with(R"("cores":0)"), false},
       {program_with(R"("cores":1000000)"), true},
       {program_with(R"("cores":1000001)"), false},
       {program_with(R"("memory_mb":0)"), false},
       {program_with(R"("memory_mb":1099511627776)"), true},
       {program_with(R"("memory_mb":1099511627777)"), false},
       {program_with(R"("max_restarts":-1)"), false},
       {program_with(R"("max_restarts":0)"), true},
       {program_with(R"("max_restarts":null)"), true},
       {program_with(R"("max_restarts":2147483647)"), true},
       {program_with(R"("max_restarts":2147483648)"), false},
       {program_with(R"("on_end":{"command":["ls"],"retries":1000})"), true},
       {program_with(R"("on_end":{"command":["ls"],"retries":1001})"), false},
       {program_with(R"("on_end":{"command":["ls"],"retries":-1})"), false},
       {program_with(R"("on_end":{"command":[]})"), false},
       {program_with(R"("on_end":{})"), false},
       {program_with(R"("executors":null)"), true},
       {program_with(R"("executors":{})"), true},
       {program_with(R"("executors":{"count":0})"), true},
       {program_with(R"("executors":{"count":100000,"cores":1000000,)"
                     R"("memory_mb":1099511627776,"resources":{"gpu":1}})"),
        true},
       {program_with(R"("executors":{"count":-1})"), false},
       {program_with(R"("executors":{"count":100001})"), false},
       {program_with(R"("executors":{"cores":0})"), false},
       {program_with(R"("executors":{"cores":1000001})"), false},
       {program_with(R"("executors":{"memory_mb":0})"), false},
       {program_with(R"("executors":{"memory_mb":1099511627777})"), false},
       {program_with(R"("executors":{"resources":{"gpu":0}})"), false},
       {program_with(R"("executors":{"number":1})"), false},
       {program_with(R"("resources":{"gpu":1})"), true},
       {program_with(R"("resources":{"gpu":0})"), false},
       {program_with(R"("resources":{"a gpu":1})"), false},
       {program_with(R"("resources":)" + kinds(64)), true},
       {program_with(R"("resources":)" + kinds(65)), false},
       {program_with(R"("name":)" + quoted(4096)), true},
       {program_with(R"("name":)" + quoted(4097)), false},
       {program_with(R"("submission":)" + quoted(256)), true},
       {program_with(R"("submission":)" + quoted(257)), false},
       {program_with(R"("after":)" + ids(100)), true},
       {program_with(R"("after":)" + ids(101)), false},
       {program_with(R"("after":["driver-1"],"after_ok":["app-1"])"), true},
       {program_with(R"("after":["app-1/0"])"), false},
       {program_with(R"("after_ok":["me"])"), false},
       {R"({"command":[""]})", false},
       {R"({"command":["ls",""]})", true},
       {R"({"command":["l\u0000s"]})", false},
       {R"({"command":["ls","\u0000"]})", false},
       {program_with(R"("on_end":{"command":[""]})"), false},
       {program_with(R"("on_end":{"command":["ls","\u0000"]})"), false},
       {program_with(R"("working_directory":"/\u0000")"), false},
       {program_with(R"("environment":{"A":"b=c"})"), true},
       {program_with(R"("environment":{"":"b"})"), false},
       {program_with(R"("environment":{"A=":"b"})"), false},
       {program_with(R"("environment":{"A\u0000":"b"})"), false},
       {program_with(R"("environment":{"A":"\u0000"})"), false}});
}

TEST_CASE("a plan that the document allows is one that is taken", "[web]") {
  check_bodies("/api/v1/plan", "plan_request",
               {{"{}", true},
                {R"({"ad_workers":[]})", false},
                {R"({"add_workers":[{}]})", true},
                {R"({"add_workers":[{"count":0}]})", false},
                {R"({"add_workers":[{"count":100000}]})", true},
                {R"({"add_workers":[{"count":100001}]})", false},
                {R"({"add_workers":[{"cores":0}]})", false},
                {R"({"add_workers":[{"cores":1000000}]})", true},
                {R"({"add_workers":[{"cores":1000001}]})", false},
                {R"({"add_workers":[{"memory_mb":1099511627776}]})", true},
                {R"({"add_workers":[{"memory_mb":1099511627777}]})", false},
                {apps_of_a_plan(100), true},
                {apps_of_a_plan(101), false},
                {R"({"add_workers":[{"memory_mb":0}]})", false},
                {R"({"end_drivers":["driver-1"],"add_drivers":[{"cores":2,)"
                 R"("executors":{"count":2,"resources":{"gpu":1}}}]})",
                 true},
                {R"({"add_drivers":[{"core":2}]})", false},
                {R"({"add_apps":[{"user":"ann","max_cores":2,"sql":true,)"
                 R"("priority":-1,"memory_per_task_mb":512,)"
                 R"("time_limit_ms":60000,"preferred_hosts":{"h1":1}}]})",
                 true}});
}
