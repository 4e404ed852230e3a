// What holds after any sequence of events, compared with a tree that computes
// everything anew. A failure prints the shortest sequence found, and a line
// that repeats it.

#include <limits>
#include <tuple>

#include <rapidcheck.h>

#include "tests/scheduling/tenants/naive_tenants.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using stoker::test::NaiveTenants;

namespace {

/// The numbers that make up an event; all have a meaning.
using Event
    = std::tuple<std::uint8_t, std::uint8_t, std::uint8_t, std::uint8_t>;
using Events = std::vector<Event>;

/// Rules of all kinds, by the bits of a number.
TenantsConfig config_of_bits(unsigned bits) {
  auto bit = [&](unsigned i) { return (bits >> i & 1) != 0; };
  TenantsConfig result;
  result.accounting = bit(0) ? Accounting::running : Accounting::requested;
  result.company_order
      = bit(1) ? CompanyOrder::usage : CompanyOrder::dominant_share;
  result.user_order
      = bit(2) ? UserOrder::occupancy : UserOrder::longest_waiting;
  result.application_order
      = bit(3) ? ApplicationOrder::sql_first : ApplicationOrder::fifo;
  result.priorities = bit(4);
  result.cap_at_purchased = bit(5);
  result.hold_after = bit(6) ? 2 : 0;
  result.usage_half_life = std::chrono::seconds{10};
  result.default_company = "a";
  result.companies = {{"a", 16, 64, 24}, {"b", {}, {}, {}, 48}, {"c", 8}};
  result.users = {{"a1", "a"},         {"a2", "a", 12},
                  {"b1", "b"},         {"b2", "b", {}, {}, 2},
                  {"b3", "b", {}, 32}, {"c1", "c"}};
  return result;
}

/// Without a company, with a user who is gone, and one elsewhere.
TenantsConfig changed(TenantsConfig config) {
  config.default_company.reset();
  config.companies.pop_back();
  config.hold_after = 1;
  config.users = {{"b1", "b"}, {"a1", "b", 20}, {"a2", "a"}, {"b3", "b"}};
  return config;
}

class Comparison {
  /// Does the same to the tree and to its copy.
  template <class F>
  auto both(F&& f) {
    auto result = f(tree_);
    RC_ASSERT(f(copy_) == result);
    return result;
  }

public:
  explicit Comparison(TenantsConfig config)
      : first_(config), tree_(config), copy_(config), naive_(config) {
  }

  void apply(const Event& event) {
    auto [what, a, b, c] = event;
    Resources some{1 + b % 16, 1 + c % 24};
    now_ += std::chrono::milliseconds{a};
    if (what < 96)
      join(a, some, what, what < 8);
    else if (what < 144)
      remove(a);
    else if (what < 180)
      set_request(a, some);
    else if (what < 192)
      set_least(a, b);
    else if (what < 196)
      widen(a, some);
    else if (what < 208)
      run(a);
    else if (what < 216)
      set_cluster({b % 64, c});
    else if (what < 220)
      reconfigure();
    else
      select();
    auto violation = tree_.invariant_violation();
    RC_ASSERT(violation.value_or("") == "");
    compare_requests();
  }

private:
  void join(int user, Resources request, int priority, bool runs) {
    const char* names[] = {"a1", "a2", "b1", "b2", "b3", "c1", "guest"};
    TenantTree::Entry entry{names[user % 7], request, priority % 3,
                            priority % 2 == 0, priority % 5 == 0};
    if (priority % 4 == 1)
      entry.least = Resources{1 + request.cores / 3, 1 + request.memory_mb / 3};
    entry.with_driver = priority % 7 == 0;
    if (priority % 3 == 1)
      entry.room = {1 + user % 3, 300 * (1 + user % 4)};
    if (priority % 3 > 0)
      entry.driver = request;
    if (!tree_.may_join(entry.user, entry.request))
      return;
    ProgramKey key = next_ % 3 == 0 ? ProgramKey{DriverKey{next_}}
                                    : ProgramKey{AppKey{next_}};
    entry.submitted = now_;
    ++next_;
    for (auto* x : {&tree_, &copy_})
      runs ? x->adopt(now_, key, entry) : x->add(now_, key, entry);
    runs ? naive_.adopt(now_, key, entry) : naive_.add(now_, key, entry);
  }

  void widen(int i, const Resources& more) {
    auto* app = pick(i);
    if (app == nullptr || !app->admitted)
      return;
    auto to = larger(app->request, smaller(app->wanted, more));
    auto could
        = both([&](auto& tree) { return tree.could_count(app->key, to); });
    RC_ASSERT(could == naive_.could_count(*app, to));
    if (!could)
      return;
    for (auto* x : {&tree_, &copy_})
      x->widen(now_, app->key, to);
    naive_.widen(now_, *app, to);
  }

  NaiveTenants::App* pick(int i) {
    auto& apps = naive_.apps();
    return apps.empty() ? nullptr
                        : &apps[static_cast<std::size_t>(i) % apps.size()];
  }

  void remove(int i) {
    if (auto* app = pick(i)) {
      auto key = app->key;
      naive_.remove(now_, key);
      for (auto* x : {&tree_, &copy_})
        x->remove(now_, key);
    }
  }

  void set_request(int i, Resources wanted) {
    if (auto* app = pick(i)) {
      set_request(app->key, wanted, {1 + i % 3, 1 + i % 5});
    }
  }

  void set_request(ProgramKey key, Resources wanted, Resources unit) {
    naive_.set_request(now_, key, wanted, unit);
    for (auto* x : {&tree_, &copy_})
      x->set_request(now_, key, wanted, unit);
  }

  void set_least(int i, int form) {
    auto* app = pick(i);
    if (app == nullptr)
      return;
    std::optional<Resources> least;
    if (form % 2 == 0)
      least = Resources{1 + app->request.cores / 2,
                        1 + app->request.memory_mb / 2};
    auto elastic = form % 3 == 0;
    for (auto* x : {&tree_, &copy_})
      x->set_least(now_, app->key, least, elastic);
    naive_.set_least(now_, *app, least, elastic);
  }

  void run(int i) {
    auto* app = pick(i);
    if (app == nullptr || !app->admitted)
      return;
    Resources running{app->request.cores * (i % 3) / 2,
                      app->request.memory_mb * (i % 3) / 2};
    auto waits = i % 5 == 0   ? Waits::for_room
                 : i % 5 == 1 ? Waits::at_once
                              : Waits::no;
    for (auto* x : {&tree_, &copy_}) {
      x->set_running(now_, app->key, running);
      x->set_waiting(app->key, waits);
    }
    naive_.set_running(now_, *app, running, waits);
  }

  void set_cluster(Resources total) {
    for (auto* x : {&tree_, &copy_})
      x->set_cluster(now_, total);
    naive_.set_cluster(now_, total);
  }

  void reconfigure() {
    is_changed_ = !is_changed_;
    auto config = is_changed_ ? changed(first_) : first_;
    for (auto* x : {&tree_, &copy_})
      x->reconfigure(now_, config);
    naive_.reconfigure(now_, config);
  }

  void select() {
    auto selected = both([&](auto& x) { return x.select(now_); });
    RC_ASSERT(selected == naive_.select(now_));
    for (const auto& x : naive_.apps())
      if (x.key == selected && x.elastic && x.unit == Resources{})
        set_request(x.key, x.wanted, {2, 3});
    auto infinite = std::numeric_limits<double>::infinity();
    for (const auto& x : tree_.view(now_).companies)
      RC_ASSERT(x.share.value_or(infinite) == naive_.share(x.name));
  }

  void compare_requests() {
    for (const auto& x : naive_.apps()) {
      RC_ASSERT(tree_.is_admitted(x.key) == x.admitted);
      if (x.admitted)
        RC_ASSERT(tree_.admitted_request(x.key) == x.request);
    }
  }

  TenantsConfig first_;
  TenantTree tree_;
  TenantTree copy_;
  NaiveTenants naive_;
  Instant now_{std::chrono::hours{1}};
  std::uint32_t next_ = 1;
  bool is_changed_ = false;
};

} // namespace

TEST_CASE("any sequence of events gives what a naive tree gives", "[tenants]") {
  CHECK(rc::check(
      "figures equal their sums, caps hold, and the choice is the promised one",
      [](std::uint8_t rules, const Events& events) {
        Comparison comparison{config_of_bits(rules)};
        comparison.apply({215, 0, 60, 200});
        for (const auto& x : events)
          comparison.apply(x);
      }));
}

TEST_CASE("no application waits for ever while others of its company end",
          "[tenants]") {
  CHECK(rc::check(
      "a bounded number goes before any application",
      [](std::uint8_t rules, const std::vector<std::uint8_t>& sizes) {
        auto config = config_of_bits(rules);
        config.accounting = Accounting::requested;
        config.priorities = false;
        config.application_order = ApplicationOrder::fifo;
        TenantTree tree{config};
        Instant now{};
        tree.set_cluster(now, {100, 1000});
        std::vector<ProgramKey> running;
        std::uint32_t next = 1;
        auto large = ProgramKey{AppKey{0}};
        auto goes = [&] {
          while (auto app = tree.select(now))
            running.push_back(*app);
          return tree.is_admitted(large);
        };
        // A stream of small ones never ends; each time the oldest ends.
        auto stream = [&] {
          auto size = sizes.empty() ? 1 : sizes[next % sizes.size()] % 8 + 1;
          tree.add(now, AppKey{next++}, {"a2", {size, 1}});
        };
        for (int i = 0; i < 20; ++i)
          stream();
        (void)goes();
        tree.add(now, large, {"a1", {16, 1}});
        for (int rounds = 0; rounds < 200 && !goes(); ++rounds) {
          stream();
          if (!running.empty()) {
            tree.remove(now, running.front());
            running.erase(running.begin());
          }
        }
        RC_ASSERT(tree.is_admitted(large));
      }));
}
