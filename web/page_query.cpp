#include "web/page_query.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "scheduling/common/units.hpp"
#include "web/url.hpp"

namespace stoker {

namespace {

/// The names that the query of a page may have.
struct NamesOf {
  using Names = std::vector<std::string_view>;

  Names operator()(const WorkersPage&) const {
    return {"page"};
  }
  Names operator()(const ApplicationsPage&) const {
    return {"state", "user", "name", "page"};
  }
  Names operator()(const ApplicationPage&) const {
    return {"page"};
  }
  Names operator()(const DriversPage&) const {
    return {"state", "user", "name", "page"};
  }
  Names operator()(const EventsPage&) const {
    return {"of", "page"};
  }
  Names operator()(const HistoryPage&) const {
    return history_field_names();
  }
  Names operator()(const PlanPage&) const {
    return plan_field_names();
  }
  template <class Other>
  Names operator()(const Other&) const {
    return {};
  }
};

std::string list_of(const std::vector<std::string_view>& names) {
  std::string result;
  for (auto x : names)
    result += (result.empty() ? "" : ", ") + std::string{x};
  return result;
}

std::string what_there_is(const std::vector<std::string_view>& names) {
  switch (names.size()) {
  case 0:
    return "nothing is";
  case 1:
    return "only " + std::string{names.front()} + " is";
  default:
    return "there are " + list_of(names);
  }
}

/// What stands there, as it was typed, if that cannot be decoded.
std::string shown_value(std::string_view target, std::string_view name) {
  return " is '" + query_value(target, name).value_or("%...") + "'";
}

/// The first name that is none of those that are known.
std::optional<std::string_view>
unknown_name(const std::vector<std::string_view>& names,
             const std::vector<std::string_view>& known) {
  auto found = std::find_if(names.begin(), names.end(), [&](auto name) {
    return std::find(known.begin(), known.end(), name) == known.end();
  });
  return found == names.end() ? std::nullopt : std::optional{*found};
}

bool is_size(const std::string& x) {
  std::int64_t size = 0;
  auto [end, error] = std::from_chars(x.data(), x.data() + x.size(), size);
  return error == std::errc{} && end == x.data() + x.size() && size >= 0;
}

} // namespace

std::string query_problem(std::string_view target, const PageAddress& address) {
  auto mark = target.find('?');
  if (mark == std::string_view::npos)
    return {};
  auto known = std::visit(NamesOf{}, address);
  auto query = target.substr(mark + 1);
  auto names = query_names(query);
  if (auto name = unknown_name(names, known))
    return "there is no '" + std::string{*name}
           + "' to set on this page: " + what_there_is(known);
  auto has = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (has("page")) {
    auto page = query_value(target, "page");
    auto number = page ? parse_count(*page) : std::nullopt;
    if (!number || *number <= 0)
      return "page" + shown_value(target, "page")
             + ", which is not a number above 0";
  }
  // The history has states of its own.
  if (has("state") && !std::holds_alternative<HistoryPage>(address)) {
    auto state = query_value(target, "state");
    if (state != "ended" && state != "")
      return "state" + shown_value(target, "state")
             + ": it can be 'ended', or be left out";
  }
  return malformed_query(query);
}

std::string output_query_problem(std::string_view query) {
  const std::vector<std::string_view> known{"follow", "tail", "portion"};
  auto names = query_names(query);
  if (auto name = unknown_name(names, known))
    return "there is no '" + std::string{*name}
           + "' to set for an output: " + what_there_is(known);
  auto target = '?' + std::string{query};
  for (auto name : names) {
    auto value = query_value(target, name).value_or("%...");
    if (name == "tail" && !is_size(value))
      return "tail" + shown_value(target, name)
             + ", which is not a number of bytes";
    if (name == "follow" && value != "0" && value != "1")
      return "follow" + shown_value(target, name) + ": it can be 0 or 1";
  }
  return malformed_query(query);
}

} // namespace stoker
