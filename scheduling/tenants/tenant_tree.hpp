#pragma once

#include <optional>
#include <string>
#include <vector>

#include "messages/resources.hpp"
#include "messages/result.hpp"
#include "messages/tenants_config.hpp"
#include "messages/tenants_view.hpp"
#include "scheduling/common/instant.hpp"
#include "scheduling/common/keys.hpp"
#include "scheduling/tenants/tenant_reasons.hpp"
#include "scheduling/tenants/tenant_state.hpp"
#include "scheduling/tenants/tenants_stored.hpp"

namespace stoker {

/// Decides in which order the applications of many companies and users get to
/// share a cluster (document 001): a queue for each user stands before the
/// waiting list, the list of those that placement serves.
///
///            add                    select                  remove
///     (new) -----> queued by user --------> admitted -----------> (gone)
///        \              |                      ^  | set_request
///         \             +--- remove ---------> |  | select
///          +------------------ adopt ----------+--+
///
/// An application is admitted by three choices: the company that occupies the
/// smallest part of what it purchased, of it the user who waits longest, of him
/// the application that came first; the configuration knows other orders. What
/// it asks for then counts for the whole, its company and its user, until it is
/// removed. Admission goes on until what is admitted fills the cluster.
///
/// An admitted application that wants more, as an elastic one does from the beginning,
/// waits with the others: when its user is
/// chosen, it is given one unit more, the size of an executor, before the user's next
/// application is admitted.
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

    /// It says how many executors it wants, and another number when its load changes:
    /// when it is admitted nothing counts yet, and it grows to what it asks for.
    /// `set_request` has to tell its unit before the next `select`.
    bool elastic = false;
  };

  /// @pre `validate(config)`
  explicit TenantTree(TenantsConfig config);

  // -- events -----------------------------------------------------------------

  /// What the ALIVE workers have in all. Looks at all companies, and, where
  /// users are ordered by occupancy, at all users with queued applications.
  void set_cluster(Instant now, Resources total);

  /// Puts an application into its user's queue. What it asks for is taken down
  /// to the largest figures that can be counted.
  /// @pre `may_join(entry.user, entry.request)`, and the key is new
  void add(Instant now, AppKey app, const Entry& entry);

  /// Takes an application as admitted with all of its request, whatever the caps: it
  /// runs already, as a new master finds it.
  /// A user who has no company gets one without purchase. @pre the key is new
  void adopt(Instant now, AppKey app, const Entry& entry);

  /// Admits the next application, or gives an admitted one a unit more: whichever it
  /// was, returns it. Nothing: the waiting list fills the cluster, or nothing fits under
  /// caps and limits. Call it until then.
  ///
  /// With the accounting `running` that application counts as waiting until
  /// `set_waiting` says otherwise, so that the next is chosen only when it is known
  /// what the last one got.
  std::optional<AppKey> select(Instant now);

  /// An application asks for more or less than before. A queued one: just that.
  /// An admitted one: less counts at once; more is wanted of `select`, in whole units
  /// (the size of an executor, or of all that are needed at once). An unknown one is harmless.
  void set_request(Instant now, AppKey app, Resources wanted, Resources unit);

  /// What an admitted application's executors take now.
  /// @pre not more than `admitted_request(app)`
  void set_running(Instant now, AppKey app, Resources running);

  /// Whether an admitted application could still take executors and waits for room.
  /// With the accounting `running`, nothing is admitted while one waits `for_room`.
  /// One that waits for several `at_once` takes nothing meanwhile: what it does not
  /// run counts for its company and its user, but does not fill the cluster, and it
  /// does not grow.
  void set_waiting(AppKey app, Waits waits);

  /// Takes an application out, queued or admitted; an unknown one is harmless.
  void remove(Instant now, AppKey app);

  /// Changes the rules. Queues, admitted applications, past usage and times of
  /// selection are kept for those who still exist. A user who is now in another
  /// company takes his applications along. Whoever has no company any more
  /// keeps the one he had until his applications have ended; if that is gone
  /// too, it has no purchase and comes last. Looks at everything.
  /// @pre `validate(config)`
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
    return state_.rules.config();
  }

  /// Whether an application could ever be admitted; if not, why.
  [[nodiscard]] Status may_join(const std::string& user,
                                const Resources& request) const;

  /// What counts for an application that was admitted; none for others.
  [[nodiscard]] Resources admitted_request(AppKey app) const;

  [[nodiscard]] bool is_queued(AppKey app) const {
    return state_.queues.find(app) != nullptr;
  }

  [[nodiscard]] bool is_admitted(AppKey app) const {
    return state_.admitted.find(app) != nullptr;
  }

  /// Whether what is admitted fills the cluster.
  [[nodiscard]] bool full() const;

  /// With what, in one line; empty: there is room.
  [[nodiscard]] std::string why_full() const;

  [[nodiscard]] const TenantFigures& figures() const noexcept {
    return state_.occupancy.whole();
  }

  /// All there is to tell. Looks at all companies and users.
  [[nodiscard]] TenantsView view(Instant now) const;

  /// Where an application stands. Looks at all companies, the users of one, and
  /// those of the user's applications that come before it.
  [[nodiscard]] QueuePlace place(AppKey app, Instant now) const;

  /// Why an application is not admitted. @pre `is_queued(app)`
  [[nodiscard]] QueuedReason why_queued(AppKey app) const;

  /// Recomputes everything. Returns what is not as it should be, in one line.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  friend struct TenantTestAccess;

  TenantState state_;
};

} // namespace stoker
