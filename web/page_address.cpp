#include "web/page_address.hpp"

#include <charconv>
#include <cstdint>
#include <vector>

namespace stoker {

namespace {

std::optional<unsigned> hex_digit(char x) {
  if (x >= '0' && x <= '9')
    return x - '0';
  if (x >= 'a' && x <= 'f')
    return x - 'a' + 10;
  if (x >= 'A' && x <= 'F')
    return x - 'A' + 10;
  return std::nullopt;
}

/// "a%20b" -> "a b"
/// @param in_query where "a+b" is that as well
std::optional<std::string> url_decoded(std::string_view x, bool in_query) {
  std::string result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] != '%') {
      result += x[i] == '+' && in_query ? ' ' : x[i];
      continue;
    }
    if (i + 2 >= x.size())
      return std::nullopt;
    auto high = hex_digit(x[i + 1]);
    auto low = hex_digit(x[i + 2]);
    if (!high || !low)
      return std::nullopt;
    result += static_cast<char>(*high << 4U | *low);
    i += 2;
  }
  return result;
}

template <class Number>
std::optional<Number> number_of(std::string_view x) {
  Number result{};
  auto [end, error] = std::from_chars(x.data(), x.data() + x.size(), result);
  if (error != std::errc{} || end != x.data() + x.size() || result < 0)
    return std::nullopt;
  return result;
}

/// Between slashes, decoded. Nothing: it cannot be.
std::optional<std::vector<std::string>> decoded_parts(std::string_view path) {
  std::vector<std::string> result;
  while (!path.empty()) {
    auto slash = path.find('/');
    auto part = url_decoded(path.substr(0, slash), false);
    if (!part)
      return std::nullopt;
    if (!part->empty())
      result.push_back(*std::move(part));
    path = slash == std::string_view::npos ? std::string_view{}
                                           : path.substr(slash + 1);
  }
  return result;
}

std::size_t page_number(std::string_view target) {
  auto value = query_value(target, "page");
  auto result
      = value ? number_of<std::int32_t>(*value) : std::optional<std::int32_t>{};
  return result && *result > 0 ? static_cast<std::size_t>(*result) : 1;
}

bool is_of_ended(std::string_view target) {
  return query_value(target, "state") == "ended";
}

std::optional<PageAddress> list_named(const std::string& name,
                                      std::string_view target) {
  if (name == "workers")
    return WorkersPage{page_number(target)};
  if (name == "applications")
    return ApplicationsPage{is_of_ended(target), page_number(target)};
  if (name == "drivers")
    return DriversPage{is_of_ended(target), page_number(target)};
  if (name == "queues")
    return QueuesPage{};
  if (name == "jobs")
    return JobsPage{};
  if (name == "events")
    return EventsPage{page_number(target),
                      query_value(target, "of").value_or("")};
  if (name == "plan")
    return PlanPage{parse_plan_form(target)};
  return std::nullopt;
}

std::optional<PageAddress> one_named(const std::string& name,
                                     const std::string& id,
                                     std::string_view target) {
  if (name == "workers")
    return WorkerPage{WorkerId{id}};
  if (name == "applications")
    return ApplicationPage{AppId{id}, page_number(target)};
  if (name == "drivers")
    return DriverPage{DriverId{id}};
  return std::nullopt;
}

} // namespace

std::optional<std::string> query_value(std::string_view target,
                                       std::string_view name) {
  auto mark = target.find('?');
  while (mark != std::string_view::npos) {
    target.remove_prefix(mark + 1);
    auto end = target.find('&');
    auto field = target.substr(0, end);
    auto equals = field.find('=');
    if (equals != std::string_view::npos && field.substr(0, equals) == name)
      return url_decoded(field.substr(equals + 1), true);
    mark = end;
  }
  return std::nullopt;
}

std::optional<PageAddress> parse_page_address(std::string_view target) {
  auto path = target.substr(0, target.find('?'));
  auto parts = decoded_parts(path);
  if (!path.starts_with('/') || !parts)
    return std::nullopt;
  if (parts->empty())
    return ClusterPage{};
  if (parts->size() == 1)
    return list_named(parts->front(), target);
  if (parts->size() == 2)
    return one_named((*parts)[0], (*parts)[1], target);
  auto number = number_of<int>(parts->back());
  if (parts->size() == 3 && parts->front() == "executors" && number)
    return ExecutorPage{{AppId{(*parts)[1]}, *number}};
  return std::nullopt;
}

} // namespace stoker
