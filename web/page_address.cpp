#include "web/page_address.hpp"

#include <charconv>
#include <cstdint>
#include <utility>

#include "web/url.hpp"

namespace stoker {

namespace {

template <class Number>
std::optional<Number> number_of(std::string_view x) {
  Number result{};
  auto [end, error] = std::from_chars(x.data(), x.data() + x.size(), result);
  if (error != std::errc{} || end != x.data() + x.size() || result < 0)
    return std::nullopt;
  return result;
}

std::optional<PageAddress> list_named(const std::string& name,
                                      std::string_view target) {
  if (name == "workers")
    return WorkersPage{page_number(target)};
  if (name == "applications")
    return ApplicationsPage{parse_list_address(target)};
  if (name == "drivers")
    return DriversPage{parse_list_address(target)};
  if (name == "queues")
    return QueuesPage{};
  if (name == "jobs")
    return JobsPage{};
  if (name == "events")
    return EventsPage{page_number(target),
                      query_value(target, "of").value_or("")};
  if (name == "history")
    return HistoryPage{parse_history_form(target)};
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
  if (parts->size() != 3 || !number)
    return std::nullopt;
  AppId app_id{(*parts)[1]};
  if (parts->front() == "executors")
    return ExecutorPage{{std::move(app_id), *number}};
  if (parts->front() == "jobs")
    return JobPage{std::move(app_id), JobId{*number}};
  return std::nullopt;
}

} // namespace stoker
