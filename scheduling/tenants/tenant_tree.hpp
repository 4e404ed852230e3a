#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "messages/tenants_view.hpp"
#include "scheduling/common/instant.hpp"
#include "scheduling/tenants/tenant_records.hpp"
#include "scheduling/tenants/tenants_config.hpp"
#include "scheduling/tenants/tenants_stored.hpp"

namespace stoker {

/// Decides in which order the applications of many companies and users get to
/// share a cluster (document 001): a queue for each user stands before the
/// waiting list, the list of those that placement serves.
///
///            add                    select                  remove
///     (new) -----> queued by user --------> admitted -----------> (gone)
///        \              |                      ^  | set_request
///         \             +--- remove ---------> |  | top_up
///          +------------------ adopt ----------+--+
///
/// An application is admitted by three choices: the company that occupies the
/// smallest part of what it purchased, of it the user who waits longest, of him
/// the application that came first; the configuration knows other orders. What
/// it asks for then counts for the whole, its company and its user, until it is
/// removed. Admission goes on until what is admitted fills the cluster.
///
/// Whoever cannot go is passed by: a user whose next application does not fit
/// under a limit of his, or under the company's cap; and a company without any
/// that fits. So nothing that could go waits. An application that was passed by
/// `hold_after` times for the cap holds its company until there is room for it,
/// so that it does not wait for ever.
///
/// Deterministic: equal calls give equal results. A plain value. No operation
/// looks at all users or all applications, unless it says so.
///
/// @pre `now` does not go backwards from call to call.
class TenantTree {
public:
  /// An application that joins.
  struct Entry {
    std::string user;

    /// What all its executors need together.
    Resources request;

    /// Higher is first, where the configuration has `priorities`.
    int priority = 0;
    bool sql = false;
  };

  /// @pre `!validate(config)`
  explicit TenantTree(TenantsConfig config);

  // -- events -----------------------------------------------------------------

  /// What the ALIVE workers have in all. Looks at all companies, and, where
  /// users are ordered by occupancy, at all users with queued applications.
  void set_cluster(Instant now, Resources total);

  /// Puts an application into its user's queue. What it asks for is taken down
  /// to the largest figures that can be counted.
  /// @pre `!refusal(entry.user, entry.request)`, and the key is new
  void add(Instant now, AppKey app, const Entry& entry);

  /// Takes an application as admitted, whatever the caps: it runs already, as a
  /// new master finds it.
  /// A user who has no company gets one without purchase. @pre the key is new
  void adopt(Instant now, AppKey app, const Entry& entry);

  /// Admits the next application. Nothing: the waiting list fills the cluster,
  /// or no application fits under caps and limits. Call it until then.
  ///
  /// With the accounting `running` an admitted application counts as waiting
  /// until `set_waiting` says otherwise, so that the next is admitted only when
  /// it is known what the last one got.
  std::optional<AppKey> select(Instant now);

  /// An application asks for more or less than before. A queued one: just that.
  /// An admitted one: less counts at once; more as far as caps and limits allow
  /// it, in whole units (the size of an executor), and the rest stays wanted
  /// for `top_up`. An unknown one is harmless.
  void set_request(Instant now, AppKey app, Resources wanted, Resources unit);

  /// Gives admitted applications that want more what caps and limits now allow,
  /// in order of admission, but not in a company that is held for one that
  /// waits. Returns those that got something. Costs nothing unless a company
  /// where somebody wants more has got more room since the last call.
  std::vector<AppKey> top_up(Instant now);

  /// What an admitted application's executors take now.
  /// @pre not more than `admitted_request(app)`
  void set_running(Instant now, AppKey app, Resources running);

  /// Whether an admitted application could still take an executor and waits for
  /// room. With the accounting `running`, nothing is admitted meanwhile.
  void set_waiting(AppKey app, bool waiting);

  /// Takes an application out, queued or admitted; an unknown one is harmless.
  void remove(Instant now, AppKey app);

  /// Changes the rules. Queues, admitted applications, past usage and times of
  /// selection are kept for those who still exist. A user who is now in another
  /// company takes his applications along. Whoever has no company any more
  /// keeps the one he had until his applications have ended; if that is gone
  /// too, it has no purchase and comes last. Looks at everything.
  /// @pre `!validate(config)`
  void reconfigure(Instant now, TenantsConfig config);

  // -- what is stored ---------------------------------------------------------

  /// What has changed since the last call, of companies' and users' pasts, as
  /// it is now.
  TenantChanges take_changes();

  /// Takes over the past of companies and users: when they were served last, and
  /// what companies have used. A new leader calls it once all applications are
  /// there: what they occupy counts for usage since that was stored. Names that
  /// are not known are passed over.
  void restore(Instant now, const std::vector<StoredCompany>& companies,
               const std::vector<StoredUser>& users);

  // -- queries ----------------------------------------------------------------

  [[nodiscard]] const TenantsConfig& config() const noexcept {
    return config_;
  }

  /// Why an application could never be admitted, in one line; nothing: it can.
  [[nodiscard]] std::optional<std::string>
  refusal(const std::string& user, const Resources& request) const;

  /// What counts for an application that was admitted; none for others.
  [[nodiscard]] Resources admitted_request(AppKey app) const;

  [[nodiscard]] bool is_admitted(AppKey app) const {
    return admitted_.contains(app);
  }

  /// Whether what is admitted fills the cluster.
  [[nodiscard]] bool full() const;

  [[nodiscard]] const TenantFigures& figures() const noexcept {
    return whole_;
  }

  /// All there is to tell. Looks at all companies and users.
  [[nodiscard]] TenantsView view(Instant now) const;

  /// Where an application stands. Looks at all companies, the users of one, and
  /// those of the user's applications that come before it.
  [[nodiscard]] QueuePlace place(AppKey app, Instant now) const;

  /// Recomputes everything. Returns what is not as it should be, in one line.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  /// Tests break what is private, to see that `invariant_violation` tells.
  friend struct TenantTreeAccess;

  // -- look-up ----------------------------------------------------------------

  TenantCompany& at(CompanyNumber number) {
    return companies_[static_cast<std::size_t>(number)];
  }
  const TenantCompany& at(CompanyNumber number) const {
    return companies_[static_cast<std::size_t>(number)];
  }
  TenantUser& at(UserNumber number) {
    return users_[static_cast<std::size_t>(number)];
  }
  const TenantUser& at(UserNumber number) const {
    return users_[static_cast<std::size_t>(number)];
  }

  /// The figures that the orders go by.
  const Resources& occupied(const TenantFigures& x) const noexcept {
    return config_.accounting == Accounting::requested ? x.requested
                                                       : x.running;
  }

  QueueRank queue_rank(AppKey key, const TenantApp& app) const;

  /// The user's number; a new one for somebody who is not listed.
  UserNumber user_number(const std::string& name);
  UserNumber new_user(const std::string& name, CompanyNumber company);

  /// The company's number; a new one without purchase if there is none.
  CompanyNumber company_number(const std::string& name);

  // -- figures ----------------------------------------------------------------

  /// Applies a change to a user's figures and all above.
  template <class Edit>
  void count(UserNumber number, Edit&& edit) {
    auto& user = at(number);
    edit(user.figures);
    edit(at(user.company).figures);
    edit(whole_);
    touched_companies_.insert(user.company);
  }

  /// Changes what counts for an admitted application.
  void count_request(TenantApp& app, const Resources& to);

  /// Makes a queued application an admitted one.
  void admit(AppKey key, TenantApp& app);
  void set_waiting(AdmittedApp& app, bool waiting);

  /// Grants what an admitted application wants, as far as possible. Returns
  /// whether it got something.
  bool grow(AppKey key);

  /// What `grow` may grant now.
  [[nodiscard]] Resources grant(const TenantApp& app,
                                const AdmittedApp& more) const;

  /// Drops a user who is not listed and has nothing.
  void forget(UserNumber number);

  // -- orders -----------------------------------------------------------------

  /// Lets usage follow what was occupied until now.
  void advance(Instant now);

  /// The part of a company's purchase, in cores or memory, whichever is more.
  [[nodiscard]] static double share(double cores, double memory_mb,
                                    const TenantCompany& company);
  [[nodiscard]] static double share(const Resources& x,
                                    const TenantCompany& company);

  /// Usage with the time since `advanced_`, which has the weight `newer`.
  [[nodiscard]] std::pair<double, double> usage(const TenantCompany& company,
                                                double newer) const;
  [[nodiscard]] CompanyRank rank(CompanyNumber number, double newer) const;
  [[nodiscard]] UserRank rank(UserNumber number) const;
  [[nodiscard]] static bool is_ready(const TenantUser& user);

  /// Brings `TenantUser::next` up to date with the queue.
  void refresh_next(TenantUser& user);

  /// Brings the place of a user and his company up to date with the figures.
  void refresh(UserNumber number);
  void refresh(CompanyNumber number);

  /// Looks at a company again that might have more room.
  void reopen(CompanyNumber number);

  /// Sets purchases and caps from the configuration and the cluster's size.
  void apply_cluster();
  void apply_cluster(CompanyNumber number);

  // -- selection --------------------------------------------------------------

  [[nodiscard]] static bool fits_company(const Resources& more,
                                         const TenantCompany& company);
  [[nodiscard]] static bool fits_user(const Resources& more,
                                      const TenantUser& user);

  /// The user of the company who goes next, if any fits under its cap. Counts
  /// whom he passes by.
  std::optional<UserNumber> choose_user(CompanyNumber number);

  /// Counts that another of the company goes before this user's next
  /// application, if that is for want of room under the cap.
  void pass_over(UserNumber number);

  /// Whether the company waits for an application that could fit some day.
  [[nodiscard]] bool is_held(const TenantCompany& company) const;

  // -- explanations -----------------------------------------------------------

  [[nodiscard]] std::string why_full() const;
  [[nodiscard]] std::string why_blocked(const TenantCompany& company) const;
  [[nodiscard]] static std::string why_blocked(const TenantUser& user);
  [[nodiscard]] CompanyView view_of(CompanyNumber number, double newer) const;
  [[nodiscard]] UserView view_of(const TenantUser& user) const;

  // -- reconfiguration --------------------------------------------------------

  /// Takes over all that `old`, which knew other rules, had.
  void take_over(TenantTree& old);
  std::vector<UserNumber> take_over_users(const TenantTree& old);

  // -- invariants -------------------------------------------------------------

  [[nodiscard]] std::optional<std::string> wrong_figures() const;
  [[nodiscard]] std::optional<std::string> wrong_users() const;
  [[nodiscard]] std::optional<std::string> wrong_companies() const;

  // -- data -------------------------------------------------------------------

  TenantsConfig config_;
  Resources total_;
  TenantFigures whole_;

  /// Those of the configuration, in its order, then those that are retired.
  std::vector<TenantCompany> companies_;
  std::vector<TenantUser> users_;
  std::vector<UserNumber> free_users_;
  std::map<std::string, CompanyNumber> company_numbers_;
  std::map<std::string, UserNumber> user_numbers_;

  std::unordered_map<AppKey, TenantApp> apps_;
  std::unordered_map<AppKey, AdmittedApp> admitted_;

  /// Companies that may have an application to admit.
  std::set<CompanyRank> open_;

  /// Companies where somebody who wants more might get it.
  std::set<CompanyNumber> may_grow_;

  /// How many admitted applications wait for room.
  std::int64_t waiting_ = 0;
  Selection selection_ = 0;

  /// Until when `TenantCompany::usage_cores` and memory count.
  Instant advanced_;

  /// Of whom something changed that is stored.
  std::set<CompanyNumber> touched_companies_;
  std::set<UserNumber> touched_users_;
  std::vector<std::string> gone_users_;
};

} // namespace stoker
