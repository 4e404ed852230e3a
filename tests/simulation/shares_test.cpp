// Shares of companies whose elastic applications want three times the cluster:
// simulation/tenant_bursts.hpp, docs/tenants.md.

#include <cmath>

#include "simulation/tenant_bursts.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::simulation;

namespace {

#if defined(STOKER_SANITIZED)
/// What a sanitizer looks at needs no more, and takes ten times as long.
constexpr std::uint64_t clusters = 1;
#else
/// Together with those of the other test cases more than 10,000 bursts.
constexpr std::uint64_t clusters = 10;
#endif

constexpr int bursts_of_cluster = 350;

/// Of the cluster's cores.
constexpr double tolerance = 0.05;

/// Both companies have what they purchased, and together the whole cluster, on average
/// over the time in which both want at least as much.
void check_shares(TenantBursts what, std::uint64_t last = clusters) {
  what.bursts = bursts_of_cluster;
  for (what.seed = 1; what.seed <= last; ++what.seed) {
    auto shares = run(what);
    INFO(to_text(what, shares));
    REQUIRE(shares.violation.value_or("") == "");
    CHECK(shares.bursts >= what.bursts);
    // Else nothing was to be shared.
    CHECK(shares.contended > 0.9);
    CHECK(shares.companies[0].wanted + shares.companies[1].wanted > 3);
    for (const auto& company : shares.companies)
      CHECK(std::abs(company.occupied - company.purchased) <= tolerance);
  }
}

} // namespace

TEST_CASE("elastic applications that say at once what they need share by "
          "purchase",
          "[simulation][shares]") {
  TenantBursts what;
  what.load = TenantBursts::Load::applications;
  check_shares(what);
}

TEST_CASE("elastic applications that ask for more step by step share by "
          "purchase as they come and go",
          "[simulation][shares]") {
  TenantBursts what;
  what.load = TenantBursts::Load::growing_applications;
  check_shares(what);
}

TEST_CASE("elastic applications that stay share by purchase, whoever came "
          "first",
          "[simulation][shares]") {
  TenantBursts what;
  what.load = TenantBursts::Load::stages;
  check_shares(what);
}

TEST_CASE("elastic applications that stay share by purchase where that is the "
          "cap",
          "[simulation][shares]") {
  TenantBursts what;
  what.load = TenantBursts::Load::stages;
  what.cap_at_purchased = true;
  check_shares(what);
}

TEST_CASE("what executors take, too, can be what counts",
          "[simulation][shares]") {
  TenantBursts what;
  what.accounting = Accounting::running;
  for (auto load :
       {TenantBursts::Load::applications,
        TenantBursts::Load::growing_applications, TenantBursts::Load::stages}) {
    what.load = load;
    check_shares(what, 1);
  }
}
