#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduling/tenants/tenant_tree.hpp"

namespace stoker::test {

/// Returns the element with this name, or null.
template <class List>
const typename List::value_type* named(const List& list,
                                       const std::string& name) {
  for (const auto& x : list)
    if (x.name == name)
      return &x;
  return nullptr;
}

/// What TenantTree promises, in the plainest way: a list of applications, and
/// everything else computed from it when it is needed. Several times slower
/// with each application, and easy to believe.
///
/// Averages of usage depend in their last bits on when they are brought up to
/// date, and the order of companies on these. So `now` is that of the same call
/// to a TenantTree, and both bring them up to date with each call.
class NaiveTenants {
public:
  struct App {
    ProgramKey key{};
    std::string user;
    std::string company;
    Resources request;
    Resources wanted;
    Resources unit;
    Resources running;
    int priority = 0;
    bool sql = false;
    bool elastic = false;
    Instant submitted;
    std::optional<Resources> least;
    bool with_driver = false;
    Resources room;
    Resources driver;
    bool admitted = false;
    Waits waits = Waits::no;
    int passed_over = 0;
    Selection turn = 0;
  };

  explicit NaiveTenants(TenantsConfig config) : config_(std::move(config)) {
  }

  std::vector<App>& apps() {
    return apps_;
  }
  void set_cluster(Instant now, Resources total);
  void add(Instant now, ProgramKey key, const TenantTree::Entry& entry);
  void adopt(Instant now, ProgramKey key, const TenantTree::Entry& entry);
  void remove(Instant now, ProgramKey key);
  void set_request(Instant now, ProgramKey key, Resources wanted,
                   Resources unit);
  [[nodiscard]] bool could_count(const App& app, const Resources& to) const;
  void widen(Instant now, App& app, Resources to);
  void set_least(Instant now, App& app, std::optional<Resources> least,
                 bool elastic);
  void set_running(Instant now, App& app, Resources running, Waits waits);
  void reconfigure(Instant now, TenantsConfig config);
  std::optional<ProgramKey> select(Instant now);

  /// What the order of companies compares, as of the last call; infinity for no
  /// purchase.
  [[nodiscard]] double share(const std::string& company) const;

private:
  /// What a company occupied on average, until the last call.
  struct Used {
    double cores = 0;
    double memory_mb = 0;
  };

  void advance(Instant now);
  void drop_holds();
  [[nodiscard]] Resources occupied_by(const std::string& company) const;
  [[nodiscard]] double share(double cores, double memory_mb,
                             const std::string& company) const;
  Resources sum(const std::function<bool(const App&)>& which,
                Resources App::*part) const;
  bool leaves_room(const App& app, const std::function<bool(const App&)>& which,
                   const Resources& most) const;

  /// Returns the member that counts as occupied.
  Resources App::*occupied() const {
    return config_.accounting == Accounting::running ? &App::running
                                                     : &App::request;
  }
  [[nodiscard]] Resources requested_by(const std::string& company) const;
  [[nodiscard]] Resources purchased(const std::string& company) const;
  [[nodiscard]] Resources cap(const std::string& company) const;
  [[nodiscard]] double share(const Resources& x,
                             const std::string& company) const;
  [[nodiscard]] bool full() const;

  /// Who of a company could be chosen, in the order of users: the first of the user's
  /// queue, if it fits under the user's limits, and admitted applications that want more
  /// and fit, by admission.
  struct Candidate {
    App* next = nullptr;
    std::vector<App*> growing;
  };
  std::vector<Candidate> candidates(const std::string& company);
  bool is_ready(const std::string& company, ProgramKey app);
  static Resources needed(const App& app);
  App* head(const std::string& user);
  static Resources next_growth(const App& app);
  bool fits_user(const App& app, const Resources& more) const;
  bool fits_company(const App& app, const Resources& more) const;
  bool could_fit(const App& app) const;
  bool leaves_room_to_company(const App& app) const;
  App* held(const std::string& company);
  App* driven(const std::string& company);
  App* choose(const std::string& company);
  void pass_over(App& app);
  void admit(App& app);
  void grow(App& app);
  std::vector<std::string> companies() const;

  TenantsConfig config_;
  Resources total_;
  std::vector<App> apps_;
  Selection turn_ = 0;
  std::map<std::string, Selection> users_;
  std::map<std::string, Selection> companies_;
  std::vector<std::string> retired_;

  Instant now_;
  std::map<std::string, Used> used_;

  /// Whether the choice is admitted with what it cannot do without: its company is held.
  bool with_least_ = false;

  /// By company, whose next application it is held for.
  std::map<std::string, ProgramKey> held_;
};

} // namespace stoker::test
