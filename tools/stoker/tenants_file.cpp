#include "tools/stoker/tenants_file.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include <toml++/toml.h>

#include "messages/printable.hpp"
#include "messages/states.hpp"
#include "scheduling/common/units.hpp"
#include "tools/stoker/text_file.hpp"
#include "tools/stoker/toml_text.hpp"

namespace stoker {

namespace {

/// Workers of one machine.
constexpr int instances_max = 1000;

/// Something is wrong at a line.
struct Wrong {
  toml::source_index line = 0;
  std::string what;
};

/// Takes a value; returns what was expected instead, if it is wrong.
using Setter = std::function<std::optional<std::string>(const toml::node&)>;
using Setters = std::map<std::string, Setter>;

/// What is too little is so for who takes it, too, and he says from where on it is enough.
template <class T>
Setter count(T& target) {
  return [&target](const auto& node) -> std::optional<std::string> {
    const auto* x = node.as_integer();
    using Limits = std::numeric_limits<int>;
    if (x == nullptr || x->get() < Limits::min() || x->get() > Limits::max())
      return "a whole number of at most 2147483647";
    target = static_cast<int>(x->get());
    return std::nullopt;
  };
}

/// A value that is written as a text.
template <class T, class Parse>
Setter text(T& target, Parse parse, const char* expected) {
  return [&target, parse,
          expected](const auto& node) -> std::optional<std::string> {
    const auto* x = node.as_string();
    auto value = x == nullptr ? std::nullopt : parse(x->get());
    if (!value)
      return expected;
    target = *value;
    return std::nullopt;
  };
}

template <class T>
Setter name(T& target) {
  return text(
      target, [](const std::string& x) { return std::optional{x}; }, "a text");
}

/// With a unit, as a number alone would be guessed wrong.
template <class T>
Setter memory(T& target) {
  auto parse = [](const std::string& x) -> std::optional<std::int64_t> {
    if (x.find_first_not_of("0123456789") == std::string::npos)
      return std::nullopt;
    return parse_memory_mb(x);
  };
  return text(target, parse, R"(a memory size in quotes, like "512m" or "4g")");
}

Setter duration(Duration& target) {
  auto parse = [](const std::string& x) -> std::optional<Duration> {
    if (x.find_first_not_of("0123456789") == std::string::npos)
      return std::nullopt;
    return parse_duration(x);
  };
  return text(target, parse, R"(a duration in quotes, like "30m" or "24h")");
}

Setter flag(bool& target) {
  return [&target](const auto& node) -> std::optional<std::string> {
    const auto* x = node.as_boolean();
    if (x == nullptr)
      return "true or false";
    target = x->get();
    return std::nullopt;
  };
}

/// One of an enumeration's names, with dashes.
template <class Enum>
Setter choice(Enum& target) {
  using Enumerators = boost::describe::describe_enumerators<Enum>;
  return [&target](const auto& node) -> std::optional<std::string> {
    std::string names;
    auto is_found = false;
    boost::mp11::mp_for_each<Enumerators>([&](auto x) {
      std::string word = x.name;
      std::replace(word.begin(), word.end(), '_', '-');
      if (const auto* written = node.as_string();
          written != nullptr && written->get() == word) {
        target = x.value;
        is_found = true;
      }
      names += (names.empty() ? "\"" : " or \"") + word + '"';
    });
    return is_found ? std::nullopt : std::optional{names};
  };
}

Setters policy_of(TenantsConfig& x) {
  return {{"accounting", choice(x.accounting)},
          {"company_order", choice(x.company_order)},
          {"usage_half_life", duration(x.usage_half_life)},
          {"user_order", choice(x.user_order)},
          {"application_order", choice(x.application_order)},
          {"priorities", flag(x.priorities)},
          {"cap_at_purchased", flag(x.cap_at_purchased)},
          {"default_company", name(x.default_company)},
          {"default_cores", count(x.default_request_cores)},
          {"hold_after", count(x.hold_after)},
          {"admit_in_part", flag(x.admit_in_part)}};
}

Setters workers_of(NodeWorkers& x) {
  return {{"instances", count(x.instances)},
          {"cores", count(x.cores)},
          {"memory", memory(x.memory_mb)}};
}

Setters executor_of(TenantsConfig& x) {
  return {{"min_cores", count(x.min_executor_cores)},
          {"min_memory", memory(x.min_executor_memory_mb)}};
}

Setters setters_of(CompanyConfig& x) {
  return {{"cores", count(x.cores)},
          {"memory", memory(x.memory_mb)},
          {"max_cores", count(x.max_cores)},
          {"max_memory", memory(x.max_memory_mb)}};
}

Setters setters_of(UserConfig& x) {
  return {{"company", name(x.company)},
          {"max_cores", count(x.max_cores)},
          {"max_memory", memory(x.max_memory_mb)},
          {"max_applications", count(x.max_applications)}};
}

toml::source_index line_of(const toml::node& node) {
  return node.source().begin.line;
}

const toml::table& table_of(const toml::node& node, const std::string& where) {
  const auto* table = node.as_table();
  if (table == nullptr)
    throw Wrong{line_of(node), where + " must be a table"};
  return *table;
}

/// Where a table begins, and where its keys are.
struct TableLines {
  toml::source_index table = 0;
  std::map<std::string, toml::source_index> keys;

  /// Returns the line of a key that is there, or of the table.
  [[nodiscard]] toml::source_index of(const std::string& key) const {
    auto found = keys.find(key);
    return found == keys.end() ? table : found->second;
  }
};

TableLines read_values(const toml::node& node, const std::string& where,
                       const Setters& setters) {
  TableLines lines;
  lines.table = line_of(node);
  for (const auto& [key, value] : table_of(node, where)) {
    auto setter = setters.find(std::string{key.str()});
    if (setter == setters.end())
      throw Wrong{line_of(value),
                  "unknown key " + std::string{key.str()} + " in " + where};
    if (auto expected = setter->second(value))
      throw Wrong{line_of(value),
                  where + ": " + setter->first + " must be " + *expected};
    lines.keys[setter->first] = line_of(value);
  }
  return lines;
}

/// Reads tables of one kind, which people name, in order of the file.
template <class T>
std::vector<TableLines> read_named(const toml::node& node,
                                   const std::string& kind,
                                   std::vector<T>& out) {
  std::vector<std::pair<TableLines, T>> found;
  for (const auto& [key, value] : table_of(node, kind)) {
    T x;
    x.name = key.str();
    auto lines = read_values(value, kind + '.' + x.name, setters_of(x));
    found.emplace_back(std::move(lines), std::move(x));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) {
                     return a.first.table < b.first.table;
                   });
  std::vector<TableLines> lines;
  for (auto& [line, x] : found) {
    lines.push_back(std::move(line));
    out.push_back(std::move(x));
  }
  return lines;
}

/// All that a file says.
struct TenantsFile {
  TenantsConfig tenants;
  NodeWorkers workers;

  /// What is allowed and hardly meant.
  std::vector<Wrong> doubts;
};

void read_workers(const toml::node& node, NodeWorkers& out) {
  auto lines = read_values(node, "workers", workers_of(out));
  if (out.instances < 1 || out.instances > instances_max)
    throw Wrong{lines.of("instances"), "workers: instances must be from 1 to "
                                           + std::to_string(instances_max)};
  if (out.cores.value_or(1) < 1 || out.memory_mb == 0)
    throw Wrong{lines.of(out.memory_mb == 0 ? "memory" : "cores"),
                "workers: a worker needs at least 1 core and 1 MB"};
}

/// Where keys of this name belong, as "[policy]"; "[workers] or [users.NAME]"; or empty.
std::string tables_with(const std::string& key) {
  TenantsConfig config;
  NodeWorkers workers;
  CompanyConfig company;
  UserConfig user;
  const std::pair<const char*, Setters> tables[]{
      {"[policy]", policy_of(config)},
      {"[executor]", executor_of(config)},
      {"[workers]", workers_of(workers)},
      {"[companies.NAME]", setters_of(company)},
      {"[users.NAME]", setters_of(user)}};
  std::string result;
  for (const auto& [table, setters] : tables)
    if (setters.contains(key))
      result += (result.empty() ? "" : " or ") + std::string{table};
  return result;
}

/// What stands outside of all tables that there are.
Wrong unknown_entry(const std::string& key, const toml::node& value) {
  if (value.is_table())
    return {line_of(value),
            "unknown table " + key
                + "; there are policy, executor, workers, companies and users"};
  auto tables = tables_with(key);
  return {line_of(value),
          tables.empty()
              ? "unknown key " + key + " outside of all tables"
              : key + " stands outside of all tables: it belongs in " + tables};
}

/// Where the values stand that a file may have.
struct FileLines {
  std::vector<TableLines> companies;
  std::vector<TableLines> users;
  TableLines rules{1, {}};

  [[nodiscard]] toml::source_index of(const TenantsProblem& x) const {
    return x.company ? companies[*x.company].of(x.key)
           : x.user  ? users[*x.user].of(x.key)
                     : rules.of(x.key);
  }
};

TenantsFile read_tables(const toml::table& root) {
  TenantsFile file;
  auto& result = file.tenants;
  result.admit_in_part = true;
  FileLines lines;
  for (const auto& [key, value] : root) {
    if (key.str() == "policy") {
      auto policy = read_values(value, "policy", policy_of(result));
      lines.rules.table = policy.table;
      lines.rules.keys.merge(policy.keys);
    } else if (key.str() == "executor") {
      lines.rules.keys.merge(
          read_values(value, "executor", executor_of(result)).keys);
    } else if (key.str() == "companies") {
      lines.companies = read_named(value, "companies", result.companies);
    } else if (key.str() == "users") {
      lines.users = read_named(value, "users", result.users);
    } else if (key.str() == "workers") {
      read_workers(value, file.workers);
    } else {
      throw unknown_entry(std::string{key.str()}, value);
    }
  }
  if (auto problem = find_problem(result))
    throw Wrong{lines.of(*problem), problem->text};
  for (const auto& doubt : find_doubts(result))
    file.doubts.push_back({lines.of(doubt), doubt.text});
  return file;
}

Result<TenantsFile> parse(std::string_view text, const std::string& path) {
  auto wrong = [&](toml::source_index line, std::string_view what) {
    auto said = line == 0 ? "cannot read the tenants file " + path + ": "
                          : path + ':' + std::to_string(line) + ": ";
    // Names in the text may be anything; one line it shall be.
    for (auto c : what)
      said += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    return Error{Errc::invalid_request, std::move(said)};
  };
  try {
    return read_tables(parse_toml(text, path));
  } catch (const TomlProblem& e) {
    return wrong(e.line, e.what);
  } catch (const Wrong& e) {
    return wrong(e.line, e.what);
  }
}

Result<TenantsFile> read_file(const std::string& path) {
  auto text = read_text_file(path, "the tenants file");
  if (!text)
    return std::move(text).error();
  return parse(*text, path);
}

} // namespace

Result<CheckedTenants> check_tenants_file(const std::string& path) {
  auto file = read_file(path);
  if (!file)
    return std::move(file).error();
  CheckedTenants result;
  for (const auto& doubt : file->doubts)
    result.doubts.push_back(path + ':' + std::to_string(doubt.line) + ": "
                            + printable(doubt.what));
  result.tenants = (*std::move(file)).tenants;
  return result;
}

Result<TenantsConfig> read_tenants_file(const std::string& path) {
  auto checked = check_tenants_file(path);
  if (!checked)
    return std::move(checked).error();
  return (*std::move(checked)).tenants;
}

Result<NodeWorkers> read_node_workers(const std::string& path) {
  auto file = read_file(path);
  if (!file)
    return std::move(file).error();
  return file->workers;
}

Result<TenantsConfig> parse_tenants(std::string_view text,
                                    const std::string& path) {
  auto file = parse(text, path);
  if (!file)
    return std::move(file).error();
  return (*std::move(file)).tenants;
}

} // namespace stoker
