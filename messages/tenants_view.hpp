#pragma once

// What people are told of companies, users and the order of their
// applications. Computed when asked for; nothing is decided with it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "messages/describe.hpp"
#include "messages/resources.hpp"
#include "messages/tenants_config.hpp"

namespace stoker {

/// One figure each for the whole cluster, a company, and a user.
struct TenantFigures {
  /// What admitted applications and drivers asked for, as far as it was granted.
  Resources requested;

  /// What their executors, and the drivers, take.
  Resources running;

  std::int64_t queued = 0;
  std::int64_t admitted = 0;

  /// How many of the admitted ones are applications that count with their drivers, and
  /// not against a number of applications.
  std::int64_t with_driver = 0;

  /// The cores and memory of the admitted drivers that may run applications.
  Resources drivers;
};
BOOST_DESCRIBE_STRUCT(TenantFigures, (),
                      (requested, running, queued, admitted, with_driver,
                       drivers))

struct UserView {
  std::string name;

  /// Its place in the order of its company: 1 is asked first; 0: it has
  /// nothing queued.
  int place = 0;

  TenantFigures figures;

  /// What it occupies of its company's purchase, as a fraction, in cores or
  /// memory, whichever is more. Unset: nothing was purchased.
  std::optional<double> share;

  /// Why its next application cannot be admitted now; empty: it can.
  std::string blocked;
};
BOOST_DESCRIBE_STRUCT(UserView, (), (name, place, figures, share, blocked))

struct CompanyView {
  std::string name;

  /// Its place in the order: 1 is asked first; 0: it has nothing queued.
  int place = 0;

  Resources purchased;

  /// Unset: no cap.
  std::optional<std::int64_t> max_cores;
  std::optional<std::int64_t> max_memory_mb;

  TenantFigures figures;

  /// What the order compares: the fraction of its purchase that it occupies,
  /// in cores or memory, whichever is more; with the order `usage`, together
  /// with what it occupied in the past. Unset: nothing was purchased.
  std::optional<double> share;

  /// What it occupied in the past, on average, where what was long ago counts
  /// little. In cores and MB.
  double usage_cores = 0;
  double usage_memory_mb = 0;

  /// Why no application of it can be admitted now; empty: one can.
  std::string blocked;

  std::vector<UserView> users;
};
BOOST_DESCRIBE_STRUCT(CompanyView, (),
                      (name, place, purchased, max_cores, max_memory_mb,
                       figures, share, usage_cores, usage_memory_mb, blocked,
                       users))

struct TenantsView {
  Resources total;
  TenantFigures figures;
  Accounting accounting{};
  CompanyOrder company_order{};
  UserOrder user_order{};
  ApplicationOrder application_order{};

  /// Why nothing is admitted now, whoever comes; empty: there is room.
  std::string full;

  /// In order of the file.
  std::vector<CompanyView> companies;
};
BOOST_DESCRIBE_STRUCT(TenantsView, (),
                      (total, figures, accounting, company_order, user_order,
                       application_order, full, companies))

/// Where an application stands.
struct QueuePlace {
  /// False: nobody knows the application, and all else is empty.
  bool known = false;

  bool admitted = false;
  std::string company;
  std::string user;

  /// What it asks for or was admitted with.
  Resources request;

  // 1 is the first; 0 when it is admitted.
  std::int64_t position_in_queue = 0;
  int user_place = 0;
  int company_place = 0;

  /// Why it waits, in one line; empty when it is admitted.
  std::string reason;

  /// What keeps it is a limit of its user, and not its company's cap.
  bool at_limit = false;
};
BOOST_DESCRIBE_STRUCT(QueuePlace, (),
                      (known, admitted, company, user, request,
                       position_in_queue, user_place, company_place, reason,
                       at_limit))

} // namespace stoker
