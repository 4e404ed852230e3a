#include "web/submission_request.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "gateway/program_path.hpp"
#include "scheduling/common/spark_release.hpp"
#include "scheduling/common/units.hpp"

namespace stoker {

namespace {

namespace json = boost::json;

using Texts = std::map<std::string, std::string>;

/// An object in an object is the deepest that makes sense.
constexpr std::size_t depth_max = 8;

/// As "4.0.0-preview2"; also a name that a directory may have.
constexpr std::size_t version_length_max = 32;

/// Spark's own, for drivers that say nothing.
constexpr std::int64_t default_memory_mb = 1024;
constexpr std::int64_t bytes_of_mb = 1024 * 1024;

constexpr std::array known_fields{
    "action",      "message",   "clientSparkVersion",   "appArgs",
    "appResource", "mainClass", "environmentVariables", "sparkProperties"};

// -- JSON ---------------------------------------------------------------------

/// Numbers and flags are taken for their texts. Nothing: it is neither.
std::optional<std::string> text_of(const json::value& x) {
  if (const auto* text = x.if_string())
    return std::string{*text};
  if (x.is_structured() || x.is_null())
    return std::nullopt;
  return json::serialize(x);
}

Result<std::string> text_field(const json::object& from, const char* name) {
  const auto* found = from.if_contains(name);
  auto result = found == nullptr ? std::nullopt : text_of(*found);
  if (!result)
    return invalid(std::string{"the field "} + name + " has to be a text");
  return *std::move(result);
}

/// Null where it is not there.
Result<const json::value*> optional_field(const json::object& from,
                                          const char* name) {
  const auto* found = from.if_contains(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

Result<std::vector<std::string>> list_field(const json::object& from,
                                            const char* name) {
  auto problem = [&] {
    return invalid(std::string{"the field "} + name
                   + " has to be a list of texts");
  };
  std::vector<std::string> result;
  auto found = *optional_field(from, name);
  if (found == nullptr)
    return result;
  if (!found->is_array())
    return problem();
  for (const auto& x : found->get_array()) {
    auto text = text_of(x);
    if (!text)
      return problem();
    result.push_back(*std::move(text));
  }
  return result;
}

/// Members that are null count as absent.
Result<Texts> map_field(const json::object& from, const char* name) {
  auto problem = [&] {
    return invalid(std::string{"the field "} + name
                   + " has to be an object of texts");
  };
  Texts result;
  auto found = *optional_field(from, name);
  if (found == nullptr)
    return result;
  if (!found->is_object())
    return problem();
  for (const auto& [key, value] : found->get_object()) {
    if (value.is_null())
      continue;
    auto text = text_of(value);
    if (!text)
      return problem();
    result.emplace(std::string{key}, *std::move(text));
  }
  return result;
}

Result<json::object> object_of(std::string_view body) {
  json::parse_options options;
  options.max_depth = depth_max;
  json::error_code error;
  auto value = json::parse({body.data(), body.size()}, error, {}, options);
  if (error)
    return invalid("the body of the request is no JSON: " + error.message());
  if (!value.is_object())
    return invalid("the body of the request has to be an object");
  return std::move(value.get_object());
}

// -- what the properties say --------------------------------------------------

const std::string* find(const Texts& properties, const char* name) {
  auto found = properties.find(name);
  return found == properties.end() ? nullptr : &found->second;
}

Error wrong_property(const std::string& name, const std::string& value) {
  return invalid("the property " + name + " cannot be '" + value + "'");
}

/// In MB. Spark takes a number without a unit for bytes.
Result<std::int64_t> memory_of(const Texts& properties, const char* name) {
  const auto* text = find(properties, name);
  if (text == nullptr)
    return default_memory_mb;
  if (auto bytes = parse_bytes(*text))
    return *bytes / bytes_of_mb;
  if (auto mb = parse_memory_mb(*text))
    return *mb;
  return wrong_property(name, *text);
}

Result<int> cores_of(const Texts& properties, const char* name) {
  const auto* text = find(properties, name);
  if (text == nullptr)
    return 1;
  auto result = parse_count(*text);
  if (!result)
    return wrong_property(name, *text);
  return *result;
}

Result<bool> flag_of(const Texts& properties, const char* name) {
  const auto* text = find(properties, name);
  if (text == nullptr)
    return false;
  auto result = parse_flag(*text);
  if (!result)
    return wrong_property(name, *text);
  return *result;
}

/// What stands between colons.
std::vector<std::string> paths_of(const Texts& properties, const char* name) {
  std::vector<std::string> result;
  const auto* text = find(properties, name);
  if (text == nullptr)
    return result;
  std::string_view rest{*text};
  while (!rest.empty()) {
    auto colon = std::min(rest.find(':'), rest.size());
    if (colon > 0)
      result.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return result;
}

/// spark.driver.resource.NAME.amount
Result<ResourceAmounts> resources_of(const Texts& properties) {
  constexpr std::string_view prefix = "spark.driver.resource.";
  constexpr std::string_view suffix = ".amount";
  ResourceAmounts result;
  for (auto i = properties.lower_bound(std::string{prefix});
       i != properties.end() && i->first.starts_with(prefix); ++i) {
    const auto& [name, text] = *i;
    if (!name.ends_with(suffix) || name.size() <= prefix.size() + suffix.size())
      continue;
    auto amount = parse_count(text);
    if (!amount || *amount <= 0)
      return wrong_property(name, text);
    result.emplace(
        name.substr(prefix.size(), name.size() - prefix.size() - suffix.size()),
        *amount);
  }
  return result;
}

/// The driver connects to the port of Spark's protocol, whichever its client was given.
std::string master_of(const Texts& properties, const SubmissionPlace& place) {
  const auto* given = find(properties, "spark.master");
  if (given == nullptr)
    return place.spark_url;
  auto result = *given;
  auto from = ':' + std::to_string(place.rest_port);
  auto to = place.spark_url.substr(
      std::min(place.spark_url.rfind(':'), place.spark_url.size()));
  for (auto at = result.find(from); at != std::string::npos;
       at = result.find(from, at + to.size())) {
    auto end = at + from.size();
    // Not the beginning of another number.
    if (end == result.size() || result[end] == ',')
      result.replace(at, from.size(), to);
  }
  return result;
}

std::vector<std::string> java_options_of(Texts properties,
                                         const SubmissionPlace& place) {
  properties["spark.master"] = master_of(properties, place);
  std::vector<std::string> result;
  for (const auto& [name, value] : properties)
    result.push_back("-D" + name + '=' + value);
  for (const auto* name :
       {"spark.driver.defaultJavaOptions", "spark.driver.extraJavaOptions"})
    if (const auto* options = find(properties, name))
      for (auto& x : split_options(*options))
        result.push_back(std::move(x));
  return result;
}

// -- the driver ---------------------------------------------------------------

Result<std::string> version_of(const std::string& given,
                               const SubmissionPlace& place) {
  auto is_plain = [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
           || (c >= 'A' && c <= 'Z') || c == '.' || c == '-';
  };
  if (given.empty())
    return place.default_version;
  if (given.size() > version_length_max
      || !std::ranges::all_of(given, is_plain))
    return invalid(
        "the field clientSparkVersion has to be a version, as 4.1.4");
  // Spark's own server takes whatever clients say.
  return spark_release_of(given) ? given : place.default_version;
}

/// The class that Spark's workers run for all drivers, with the user's class.
Result<Command> command_of(const json::object& request, const Texts& properties,
                           const SubmissionPlace& place) {
  auto main_class = text_field(request, "mainClass");
  auto jar = text_field(request, "appResource");
  // Some programs are in a jar of Spark's own, or in a file that they are told.
  if (jar && !jar->empty()) {
    jar = program_path(*jar);
    if (!jar)
      jar = invalid("the field appResource: " + jar.error().message);
  }
  auto given_version = text_field(request, "clientSparkVersion");
  auto version = given_version ? version_of(*given_version, place)
                               : std::move(given_version);
  auto arguments = list_field(request, "appArgs");
  auto environment = map_field(request, "environmentVariables");
  for (const auto* x : {&main_class, &jar, &version})
    if (!*x)
      return x->error();
  if (!arguments)
    return std::move(arguments).error();
  if (!environment)
    return std::move(environment).error();
  Command result;
  result.arguments = {"{{WORKER_URL}}", *jar, *std::move(main_class)};
  result.arguments.insert(result.arguments.end(), arguments->begin(),
                          arguments->end());
  result.environment = *std::move(environment);
  // They are true of the submitter's machine.
  result.environment.erase("SPARK_LOCAL_IP");
  result.environment.erase("SPARK_LOCAL_HOSTNAME");
  result.spark
      = SparkProgram{*std::move(version),
                     "org.apache.spark.deploy.worker.DriverWrapper",
                     paths_of(properties, "spark.driver.extraClassPath"),
                     paths_of(properties, "spark.driver.extraLibraryPath"),
                     java_options_of(properties, place),
                     *std::move(jar)};
  return result;
}

Status check_text(const std::string& what, const std::string& text) {
  if (text.find('\0') == std::string::npos)
    return {};
  return invalid(what + " has a character that no program can be given");
}

/// Nothing of a command line or an environment has a zero.
Status check_texts(const Command& x) {
  for (const auto* list :
       {&x.arguments, &x.spark->java_options, &x.spark->class_path_entries,
        &x.spark->library_path_entries})
    for (const auto& text : *list)
      if (auto status = check_text("an argument or a property", text); !status)
        return status;
  for (const auto& [name, value] : x.environment) {
    if (name.empty() || name.find('=') != std::string::npos)
      return invalid("the environment has a variable without a proper name");
    if (auto status = check_text("the environment", name + value); !status)
      return status;
  }
  return {};
}

Result<DriverDescription> describe(const json::object& request,
                                   const SubmissionPlace& place) {
  auto properties = map_field(request, "sparkProperties");
  if (!properties)
    return std::move(properties).error();
  auto command = command_of(request, *properties, place);
  if (!command)
    return std::move(command).error();
  if (auto status = check_texts(*command); !status)
    return std::move(status).error();
  auto memory = memory_of(*properties, "spark.driver.memory");
  if (!memory)
    return std::move(memory).error();
  auto cores = cores_of(*properties, "spark.driver.cores");
  if (!cores)
    return std::move(cores).error();
  auto supervise = flag_of(*properties, "spark.driver.supervise");
  if (!supervise)
    return std::move(supervise).error();
  auto resources = resources_of(*properties);
  if (!resources)
    return std::move(resources).error();
  DriverDescription result;
  const auto* name = find(*properties, "spark.app.name");
  result.name = name != nullptr ? *name : command->arguments.at(2);
  result.command = *std::move(command);
  result.cores = *cores;
  result.memory_mb = *memory;
  result.supervise = *supervise;
  result.resources = *std::move(resources);
  return result;
}

} // namespace

std::vector<std::string> split_options(std::string_view text) {
  std::vector<std::string> result;
  std::string word;
  auto in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = text[i];
    auto is_space = c == ' ' || (c >= '\t' && c <= '\r');
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
      in_word = true;
    } else if (quote == 0 && is_space) {
      if (std::exchange(in_word, false))
        result.push_back(std::exchange(word, {}));
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word)
    result.push_back(std::move(word));
  return result;
}

Result<SubmittedDriver> read_submission(std::string_view body,
                                        const SubmissionPlace& place) {
  auto request = object_of(body);
  if (!request)
    return std::move(request).error();
  auto action = text_field(*request, "action");
  if (!action)
    return std::move(action).error();
  if (*action != "CreateSubmissionRequest")
    return invalid("the field action has to be CreateSubmissionRequest here");
  auto description = describe(*request, place);
  if (!description)
    return std::move(description).error();
  SubmittedDriver result{*std::move(description), {}};
  for (const auto& [name, ignored] : *request)
    if (std::ranges::find(known_fields, name) == known_fields.end())
      result.unknown_fields.emplace_back(name);
  return result;
}

} // namespace stoker
