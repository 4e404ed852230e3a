#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "messages/ids.hpp"
#include "messages/job_ids.hpp"
#include "messages/program_id.hpp"
#include "web/history_form.hpp"
#include "web/list_address.hpp"
#include "web/plan_form.hpp"

namespace stoker {

// Pages for people, and what they are of. Pages of long lists are counted from 1.

struct ClusterPage {};
struct WorkersPage {
  std::size_t page = 1;
};
struct WorkerPage {
  WorkerId id;
};
struct ApplicationsPage {
  ListAddress list;
};
struct ApplicationPage {
  AppId id;
  std::size_t page = 1;
};
struct ExecutorPage {
  ExecutorId id;
};
struct DriversPage {
  ListAddress list;
};
struct DriverPage {
  DriverId id;
};
struct QueuesPage {};

/// Of all applications.
struct JobsPage {};
struct JobPage {
  AppId app_id;
  JobId id;
};
struct EventsPage {
  std::size_t page = 1;

  /// Only those that name it, as an id of an application; empty: all.
  std::string of;
};

/// What has ended, and what was used by month.
struct HistoryPage {
  HistoryForm form;
};
struct PlanPage {
  PlanForm form;
};

using PageAddress
    = std::variant<ClusterPage, WorkersPage, WorkerPage, ApplicationsPage,
                   ApplicationPage, ExecutorPage, DriversPage, DriverPage,
                   QueuesPage, JobsPage, JobPage, HistoryPage, EventsPage,
                   PlanPage>;

/// @param target a path, with a query or without: "/workers?page=2". Nothing: there is no
/// such page.
std::optional<PageAddress> parse_page_address(std::string_view target);

} // namespace stoker
