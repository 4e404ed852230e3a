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

/// Decides in which order the applications and drivers of many companies and users get
/// to share a cluster (document 001): a queue for each user stands before the waiting
/// list, the list of those that placement serves. What is said of applications here
/// holds for drivers as well.
///
///            add           select, admit_from               remove
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
  /// An application or driver that joins.
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

    /// When it was submitted: of a user, the earlier one goes first.
    Instant submitted{};

    /// What it cannot do without: an executor, or several at once. Where all of the
    /// request does not fit under caps and limits, it is admitted with this, and grows.
    /// Unset: it needs all of the request.
    std::optional<Resources> least{};

    /// The application of a driver: they count as one against the number of applications
    /// that a user may have, and it goes before all others of the user, since its driver
    /// runs, and counts, until the application has ended.
    bool with_driver = false;

    /// The cores and memory of a driver that may run applications; 0 of any other program.
    Resources driver{};

    /// The smallest executor of a driver that does not say which executors its application
    /// needs; 0 of any other program. The driver is admitted only if all drivers together
    /// leave room for the largest of these executors under the company's cap and under the
    /// user's limits. One that would leave no such room even alone is admitted alone: it may
    /// run no application.
    Resources room{};
  };

  /// @pre `validate(config)`
  explicit TenantTree(TenantsConfig config);

  // -- events -----------------------------------------------------------------

  /// What the ALIVE workers have in all. Looks at all companies, and, where
  /// users are ordered by occupancy, at all users with queued applications.
  void set_cluster(Instant now, Resources total);

  /// Puts an application into its user's queue. What it asks for is taken down
  /// to the largest figures that can be counted.
  /// One that could never be admitted, or of a user whom the rules do not know, waits
  /// until the rules change. @pre the key is new
  void add(Instant now, ProgramKey program, const Entry& entry);

  /// Takes an application as admitted with all of its request, whatever the caps: it
  /// runs already, as a new master finds it.
  /// A user who has no company gets one without purchase. @pre the key is new
  void adopt(Instant now, ProgramKey program, const Entry& entry);

  /// Admits a queued application with a part of what counts for its driver, which was
  /// admitted for both.
  /// @pre both are of one user, the driver is admitted, and `part` is neither more than
  /// the application asks for nor more than the driver does not run
  void admit_from(Instant now, ProgramKey driver, ProgramKey program,
                  Resources part);

  /// An admitted application ends, and another one of the same user takes its place and
  /// what counts for it, and runs nothing yet. @pre `from` is admitted, and `to` is new
  void hand_over(Instant now, ProgramKey from, ProgramKey to);

  /// Admits the next application, or gives an admitted one a unit more: whichever it
  /// was, returns it. Nothing: the waiting list fills the cluster, or nothing fits under
  /// caps and limits. Call it until then.
  ///
  /// With the accounting `running` that application counts as waiting until
  /// `set_waiting` says otherwise, so that the next is chosen only when it is known
  /// what the last one got.
  /// @return the application or driver
  std::optional<ProgramKey> select(Instant now);

  /// An application asks for more or less than before. A queued one: just that.
  /// An admitted one: less counts at once; more is wanted of `select`, in whole units
  /// (the size of an executor, or of all that are needed at once). An unknown one is harmless.
  void set_request(Instant now, ProgramKey program, Resources wanted,
                   Resources unit);

  /// Lets `to` count for a program, for which less counts since it was admitted.
  /// @pre `could_count`, and `to` is not more than it asks for
  void widen(Instant now, ProgramKey program, Resources to);

  /// Changes `Entry::least` and `Entry::elastic` of a queued application. Ignores others.
  void set_least(Instant now, ProgramKey program,
                 std::optional<Resources> least, bool elastic);

  /// What an admitted application's executors take now.
  /// @pre not more than `admitted_request(program)`
  void set_running(Instant now, ProgramKey program, Resources running);

  /// Whether an admitted application could still take executors and waits for room.
  /// With the accounting `running`, nothing is admitted while one waits `for_room`.
  /// One that waits for several `at_once` takes nothing meanwhile: what it does not
  /// run counts for its company and its user, but does not fill the cluster, and it
  /// does not grow.
  void set_waiting(ProgramKey program, Waits waits);

  /// Takes an application out, queued or admitted; an unknown one is harmless.
  void remove(Instant now, ProgramKey program);

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

  /// Returns whether one that needs so much could ever be admitted.
  /// @return why not, as `text` says it
  [[nodiscard]] Status may_join(const std::string& user, const Resources& least,
                                const RefusalText& text = {}) const;

  /// The most that can be admitted of one application or driver of the user; `unlimited`
  /// where nothing limits it.
  [[nodiscard]] Resources most_of(const std::string& user) const;

  /// Whether anything of the user may be started.
  [[nodiscard]] bool is_served(const std::string& user) const;

  /// Returns true if `to` could count for an admitted program now, under the company's cap and
  /// the user's limits.
  [[nodiscard]] bool could_count(ProgramKey program, const Resources& to) const;

  /// What counts for an application that was admitted; none for others.
  [[nodiscard]] Resources admitted_request(ProgramKey program) const;

  [[nodiscard]] bool is_queued(ProgramKey program) const {
    return state_.queues.find(program) != nullptr;
  }

  [[nodiscard]] bool is_admitted(ProgramKey program) const {
    return state_.admitted.find(program) != nullptr;
  }

  /// Returns whether an admitted application that has less than it wants should give up
  /// `part` of that, which it does not run any more: another user of the company waits
  /// for its turn, and one of them would get it.
  [[nodiscard]] bool has_to_yield(ProgramKey program,
                                  const Resources& part) const;

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
  [[nodiscard]] QueuePlace place(ProgramKey program, Instant now) const;

  /// Why an application is not admitted. @pre `is_queued(program)`
  [[nodiscard]] QueuedReason why_queued(ProgramKey program) const;

  /// Recomputes everything. Returns what is not as it should be, in one line.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  friend struct TenantTestAccess;

  TenantState state_;
};

} // namespace stoker
