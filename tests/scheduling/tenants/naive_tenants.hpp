#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduling/common/instant.hpp"
#include "scheduling/tenants/tenant_tree.hpp"

namespace stoker::test {

/// What TenantTree promises, in the plainest way: a list of applications, and
/// everything else computed from it when it is needed. Several times slower
/// with each application, and easy to believe.
class NaiveTenants {
public:
  /// What the order of companies compares, and infinity for no purchase.
  using Share = std::function<double(const std::string& company)>;

  struct App {
    AppKey key{};
    std::string user;
    std::string company;
    Resources request;
    Resources wanted;
    Resources unit;
    Resources running;
    int priority = 0;
    bool sql = false;
    bool admitted = false;
    bool waiting = false;
    int passed_over = 0;
    Selection turn = 0;
  };

  explicit NaiveTenants(TenantsConfig config) : config_(std::move(config)) {
  }

  std::vector<App>& apps() {
    return apps_;
  }
  /// Time goes on until `now`; what happens next happens then.
  void advance(Instant now);
  void set_cluster(Resources total);
  void add(AppKey key, const TenantTree::Entry& entry);
  void adopt(AppKey key, const TenantTree::Entry& entry);
  void remove(AppKey key);
  void set_request(AppKey key, Resources wanted, Resources unit);
  std::vector<AppKey> top_up();
  void reconfigure(TenantsConfig config);

  /// @param share near `share_of`. Averages of usage differ in their last bits
  /// with the order of additions, so that nearly equal ones may swap.
  std::optional<AppKey> select(const Share& share);

  /// The part of its purchase that a company occupies; with the order `usage`,
  /// the average of the past besides.
  [[nodiscard]] double share_of(const std::string& company) const;

  /// To be called when a figure was changed from outside.
  void drop_holds();

private:
  Resources sum(const std::function<bool(const App&)>& which,
                bool running) const;
  /// What a company occupied from one time to another.
  struct Occupied {
    Instant from;
    Instant to;
    Resources what;
  };

  [[nodiscard]] Resources requested_by(const std::string& company) const;
  [[nodiscard]] Resources occupied_by(const std::string& company) const;
  [[nodiscard]] Resources purchased(const std::string& company) const;
  [[nodiscard]] Resources cap(const std::string& company) const;
  [[nodiscard]] double share(const Resources& x,
                             const std::string& company) const;
  [[nodiscard]] double share(double cores, double memory_mb,
                             const std::string& company) const;
  [[nodiscard]] bool full() const;

  /// The first of each user's queue that fits under the user's limits, in the
  /// order of users.
  std::vector<App*> ready(const std::string& company);
  App* head(const std::string& user);
  bool fits_user(const App& app, const Resources& more) const;
  bool fits_company(const App& app, const Resources& more) const;
  bool could_fit(const App& app) const;
  App* held(const std::string& company);
  App* choose(const std::string& company);
  void pass_over(App& app);
  void admit(App& app);
  bool grow(App& app);
  std::vector<std::string> companies() const;

  TenantsConfig config_;
  Resources total_;
  std::vector<App> apps_;
  Selection turn_ = 0;
  std::map<std::string, Selection> users_;
  std::map<std::string, Selection> companies_;
  std::vector<std::string> retired_;

  /// All of the past, by company.
  std::map<std::string, std::vector<Occupied>> past_;
  Instant now_;

  /// By company, whose next application it is held for.
  std::map<std::string, AppKey> held_;
};

} // namespace stoker::test
