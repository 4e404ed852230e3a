// The schemas of what commands print with --json: that they describe the types
// that are printed, every field of them, and that the validator fails where it
// should. tests/cluster/json_output_test.cpp compares them with what the
// program prints.

#include "messages/all.hpp"
#include "messages/json.hpp"
#include "scheduling/common/random.hpp"
#include "scheduling/jobs/jobs_snapshot.hpp"
#include "scheduling/master/stored.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/fill.hpp"
#include "tests/support/json_schema.hpp"

using namespace stoker;
using namespace stoker::test;

namespace json = boost::json;

namespace {

using Texts = std::vector<std::string>;

JsonSchema schema_of(const std::string& name) {
  return JsonSchema::read(STOKER_ROOT "/docs/schemas/" + name + ".json");
}

/// Values of all kinds, and one with nothing in it.
template <class T, class Wrap>
void check_type(const std::string& name, Wrap wrap) {
  INFO(name);
  auto schema = schema_of(name);
  CHECK(schema.problems(wrap(to_json(T{}))).empty());
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    INFO("seed " << seed);
    Random random{seed};
    T x{};
    fill(x, random);
    // Parsed again, as a reader of the output does.
    auto value = json::parse(json::serialize(wrap(to_json(x))));
    CHECK(schema.problems(value) == Texts{});
    // Looks at the whole value again for each of its members.
    if (seed == 1)
      CHECK(schema_gaps(schema, value) == Texts{});
  }
}

template <class T>
void check_type(const std::string& name) {
  check_type<T>(name, [](json::value x) { return x; });
}

template <class T>
void check_event(const std::string& event) {
  check_type<T>("run", [&](json::value x) {
    x.as_object()["event"] = event;
    return x;
  });
}

std::string defect_of(const char* schema) {
  try {
    JsonSchema{json::parse(schema)};
    return {};
  } catch (const std::runtime_error& e) {
    return e.what();
  }
}

Texts problems_of(const char* schema, const char* value) {
  return JsonSchema{json::parse(schema)}.problems(json::parse(value));
}

} // namespace

TEST_CASE("the schemas describe each field of what commands print") {
  check_type<MasterStateResponse>("status");
  check_type<QueuesResponse>("queues");
  check_type<HistoryResponse>("history");
  check_type<UseResponse>("use");
  check_type<JobsResponse>("status-jobs");
  check_type<ExplanationResponse>("explain");
  check_type<PlanResponse>("plan");
  check_type<DecommissionWorkersResponse>("decommission");
  check_type<SubmitDriverResponse>("submit");
  check_type<ProgramEnd>("wait");
  check_type<OutputPart>("logs");
  check_type<JobsSnapshot>("replay-job");
  check_event<ExecutorAdded>("executor_added");
  check_event<ExecutorUpdated>("executor_updated");
  check_type<StoredState>("data", [](json::value x) {
    auto& object = x.as_object();
    object["version"] = 1;
    object["epoch"] = 2;
    object["master_url"] = "stoker://one:7070";
    object["since_ms"] = 3;
    object["unreadable"] = json::array{"app-1"};
    return x;
  });
}

// -- the validator ------------------------------------------------------------

TEST_CASE("a validator tells what is wrong, and where") {
  constexpr const char* schema = R"({
    "type": "object", "additionalProperties": false,
    "required": ["id", "places"],
    "properties": {
      "id": {"description": "x", "type": "string"},
      "state": {"description": "x", "enum": ["ALIVE", "DEAD"]},
      "places": {"description": "x", "type": "array",
                 "items": {"$ref": "#/$defs/place"}},
      "limit": {"description": "x", "type": ["integer", "null"]},
      "by_name": {"description": "x", "type": "object",
                  "additionalProperties": {"type": "integer"}},
      "either": {"description": "x", "anyOf": [{"type": "null"},
                                              {"$ref": "#/$defs/place"}]}},
    "$defs": {"place": {"type": "object", "additionalProperties": false,
      "required": ["x"],
      "properties": {"x": {"description": "x", "type": "number"}}}}})";
  struct Row {
    const char* value;
    Texts problems;
  };
  for (const auto& [value, problems] : {
           Row{R"({"id": "a", "places": []})", {}},
           Row{R"({"id": "a", "places": [{"x": 1}, {"x": 1.5}], "limit": null,
                   "state": "DEAD", "by_name": {"b": 2}, "either": {"x": 0}})",
               {}},
           Row{R"({"id": "a"})", {"the value: lacks places"}},
           Row{R"({"id": 1, "places": []})",
               {R"(/id: is not of type "string")"}},
           Row{R"({"id": "a", "places": [], "more": 1})",
               {"/more: must not be there"}},
           Row{R"({"id": "a", "places": [{"x": 1}, {}]})",
               {"/places/1: lacks x"}},
           Row{R"({"id": "a", "places": [{"x": 1, "y": 2}]})",
               {"/places/0/y: must not be there"}},
           Row{R"({"id": "a", "places": [], "state": "LOST"})",
               {R"(/state: is "LOST", none of ["ALIVE","DEAD"])"}},
           Row{R"({"id": "a", "places": [], "limit": 1.5})",
               {R"(/limit: is not of type ["integer","null"])"}},
           Row{R"({"id": "a", "places": [], "by_name": {"b/c": "d"}})",
               {R"(/by_name/b~1c: is not of type "integer")"}},
           Row{R"({"id": "a", "places": [], "either": {}})",
               {R"(/either: is not of type "null")", "/either: lacks x"}},
           Row{"[]", {R"(the value: is not of type "object")"}},
       }) {
    INFO(value);
    CHECK(problems_of(schema, value) == problems);
  }
}

TEST_CASE("a validator chooses one of several alternatives, and counts") {
  constexpr const char* either = R"({"oneOf": [
    {"type": "object", "additionalProperties": {"type": "string"},
     "properties": {"event": {"const": "a"}}, "required": ["event"]},
    {"type": "object", "additionalProperties": {"type": "string"},
     "properties": {"event": {"const": "b"}}, "required": ["event"]}]})";
  CHECK(problems_of(either, R"({"event": "a", "x": "y"})").empty());
  CHECK(problems_of(either, R"({"event": "c"})").size() == 2);
  CHECK(problems_of(R"({"oneOf": [{"type": "integer"}, {"type": "number"}]})",
                    "1")
        == Texts{"the value: fits more than one of the alternatives"});
  constexpr const char* one = R"({"type": "object", "minProperties": 1,
    "maxProperties": 1, "propertyNames": {"enum": ["a", "b"]}})";
  CHECK(problems_of(one, R"({"a": 1})").empty());
  CHECK(problems_of(one, "{}").size() == 1);
  CHECK(problems_of(one, R"({"a": 1, "b": 1})").size() == 1);
  CHECK(problems_of(one, R"({"c": 1})").size() == 1);
}

TEST_CASE("a validator knows how large something may be") {
  struct Row {
    const char* schema;
    const char* value;
    Texts problems;
  };
  for (const auto& [schema, value, problems] : {
           Row{R"({"minimum": 1, "maximum": 3})", "1", {}},
           Row{R"({"minimum": 1, "maximum": 3})", "3", {}},
           Row{R"({"minimum": 1})", "0", {"the value: 0 is beyond minimum 1"}},
           Row{R"({"maximum": 3})", "4", {"the value: 4 is beyond maximum 3"}},
           Row{R"({"maxLength": 2})", R"("äß")", {}},
           Row{R"({"maxLength": 2})",
               R"("abc")",
               {"the value: 3 is beyond maxLength 2"}},
           Row{R"({"minLength": 1})",
               R"("")",
               {"the value: 0 is beyond minLength 1"}},
           Row{R"({"minItems": 1})",
               "[]",
               {"the value: 0 is beyond minItems 1"}},
           Row{R"({"maxItems": 1})",
               "[1, 2]",
               {"the value: 2 is beyond maxItems 1"}},
           Row{R"({"pattern": "^[a-z]+$"})", R"("abc")", {}},
           Row{R"({"pattern": "^[a-z]+$"})",
               R"("aBc")",
               {"the value: does not have the form ^[a-z]+$"}},
           Row{R"({"propertyNames": {"pattern": "^a"}})",
               R"({"b": 1})",
               {"/b: does not have the form ^a"}},
       }) {
    INFO(schema << ' ' << value);
    CHECK(problems_of(schema, value) == problems);
  }
}

TEST_CASE("a schema in a document refers to others in it") {
  auto document = json::parse(R"({
    "all": {"pair": {"type": "array", "items": {"$ref": "#/all/a.number"}},
            "a.number": {"type": "integer"}, "odd": {"$ref": "#/all/none"}}})");
  JsonSchema pair{document, "/all/pair"};
  CHECK(pair.problems(json::parse("[1, 2]")).empty());
  CHECK(pair.problems(json::parse(R"(["x"])"))
        == Texts{R"(/0: is not of type "integer")"});
  CHECK_THROWS_AS((JsonSchema{document, "/all/odd"}), std::runtime_error);
}

TEST_CASE("a schema that does not say what it seems to is refused") {
  CHECK(defect_of(R"({"typ": "object"})") == "the schema: unknown keyword typ");
  CHECK(defect_of(R"({"type": "text"})") == "the schema: unknown type");
  CHECK(defect_of(R"({"items": {"$ref": "#/$defs/none"}})")
        == "/items: refers to nothing");
  CHECK(defect_of(R"({"required": ["a"]})")
        == "the schema: requires what it does not describe");
  CHECK(defect_of(R"({"properties": {}})")
        == "the schema: leaves other properties open");
  CHECK(defect_of(R"({"additionalProperties": false, "required": ["b"],
                      "properties": {"a": {"description": "x"}}})")
        == "the schema: requires what it does not describe");
  CHECK(defect_of(R"({"additionalProperties": false,
                      "properties": {"a": {"type": "string"}}})")
        == "/a: has no description");
}

TEST_CASE("a schema that lets too much pass is found out") {
  auto gaps = [](const char* schema, const char* value) {
    return schema_gaps(JsonSchema{json::parse(schema)}, json::parse(value));
  };
  CHECK(gaps(R"({"additionalProperties": true, "required": ["a"],
                 "properties": {"a": {"description": "x"}}})",
             R"({"a": 1})")
        == Texts{": valid with an unknown member"});
  CHECK(gaps(R"({"anyOf": [
                  {"additionalProperties": false, "required": ["a"],
                   "properties": {"a": {"description": "x"}}},
                  {"type": "object", "maxProperties": 0}]})",
             R"({"a": 1})")
        == Texts{": valid without a"});
}
