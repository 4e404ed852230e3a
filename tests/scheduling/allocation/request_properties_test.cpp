// What holds of the book of requests after any sequence of events: compared with one
// that computes everything anew, and with a master that it has to agree with in the end,
// whatever was lost on the way. A failure prints the shortest sequence found, and a line
// that repeats it.

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include "scheduling/allocation/executor_requests.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

/// The numbers that make up an event; all have a meaning.
using RequestEvent = std::tuple<std::uint8_t, std::uint8_t, std::uint8_t>;
using RequestEvents = std::vector<RequestEvent>;

void require_sound(const ExecutorRequests& x) {
  RC_ASSERT(x.invariant_violation().value_or("") == "");
  RC_ASSERT(x.pending() >= 0);
  RC_ASSERT(x.released() >= 0);
}

// -- a naive book -------------------------------------------------------------

/// Remembers all that was said of each executor, and counts when asked.
class NaiveRequests {
public:
  explicit NaiveRequests(int wish) : wish_(wish) {
  }

  void want(int wish) {
    wish_ = wish;
  }
  void grant(int id) {
    if (!executors_.contains(id))
      executors_[id] = running() < wish_ ? "runs" : "given back";
  }
  void kill(int id) {
    if (is(id, "runs"))
      executors_[id] = "killed";
  }
  void refuse_kill(int id) {
    if (is(id, "killed"))
      executors_[id] = "runs";
  }
  void end(Instant now, int id, bool is_failure) {
    if (is(id, "runs")) {
      ++unexpected;
      if (is_failure)
        failed_.push_back(now);
    }
    executors_[id] = "over";
  }

  [[nodiscard]] int count(const std::string& what) const {
    auto result = 0;
    for (const auto& [id, state] : executors_)
      result += state == what ? 1 : 0;
    return result;
  }
  [[nodiscard]] int running() const {
    return count("runs");
  }
  [[nodiscard]] int pending() const {
    return running() < wish_ ? wish_ - running() : 0;
  }
  [[nodiscard]] int failures(Instant now, Duration validity) const {
    auto result = 0;
    for (auto time : failed_)
      result += time + validity < now ? 0 : 1;
    return result;
  }

  int unexpected = 0;

private:
  [[nodiscard]] bool is(int id, const std::string& what) const {
    auto found = executors_.find(id);
    return found != executors_.end() && found->second == what;
  }

  int wish_;
  std::map<int, std::string> executors_;
  std::vector<Instant> failed_;
};

void compare_with_naive(const RequestEvents& events) {
  constexpr Duration validity{100};
  ExecutorRequestsConfig config;
  config.failures_validity = validity;
  ExecutorRequests book{config, 3};
  NaiveRequests naive{3};
  Instant now{};
  book.leader_is(LeaderEpoch{1});
  for (auto [what, who, other] : events) {
    auto id = who % 12;
    switch (what % 6) {
    case 0:
      book.request_total(other % 8);
      naive.want(other % 8);
      break;
    case 1:
    case 2:
      (void)book.granted(id, "h");
      naive.grant(id);
      break;
    case 3:
      (void)book.kill({id, (id + other) % 12});
      naive.kill(id);
      naive.kill((id + other) % 12);
      if (auto kills = book.take_kills(); kills && other % 2 == 0) {
        book.kills_answered(*kills, false);
        for (auto killed : kills->exec_ids)
          naive.refuse_kill(killed);
      }
      break;
    case 4:
      (void)book.ended(now, id, other % 2 == 0);
      naive.end(now, id, other % 2 == 0);
      break;
    case 5:
      now += Duration{other};
    }
    require_sound(book);
    RC_ASSERT(book.running() == naive.running());
    RC_ASSERT(book.pending() == naive.pending());
    RC_ASSERT(book.released()
              == naive.count("killed") + naive.count("given back"));
    RC_ASSERT(book.unexpected_ends() == naive.unexpected);
    RC_ASSERT(book.failures(now) == naive.failures(now, validity));
  }
}

// -- as YARN's allocator ------------------------------------------------------

/// Each container is in one book at most, and none appears from nowhere.
void keep_as_yarn(const RequestEvents& events) {
  ExecutorRequestsConfig config;
  config.as_yarn = true;
  ExecutorRequests book{config, 3};
  auto next = 0;
  for (auto [what, who, other] : events) {
    auto known = next == 0 ? 0 : who % next;
    auto before = book.pending() + book.running() + book.released();
    switch (what % 5) {
    case 0:
      book.request_total(other % 8);
      break;
    case 1: {
      auto grant = book.granted(next++, "h");
      // A pending one became an executor, or one more is released.
      RC_ASSERT(book.pending() + book.running() + book.released() - before
                == (grant == ExecutorRequests::Grant::given_back   ? 1
                    : grant == ExecutorRequests::Grant::left_alone ? -1
                                                                   : 0));
      break;
    }
    case 2: {
      auto unexpected = book.unexpected_ends();
      auto end = book.ended({}, known, true);
      RC_ASSERT(before - book.pending() - book.running() - book.released()
                == (end == ExecutorRequests::End::unknown ? 0 : 1));
      RC_ASSERT(book.unexpected_ends() - unexpected
                == (end == ExecutorRequests::End::unexpected ? 1 : 0));
      break;
    }
    case 3:
      (void)book.kill({known});
      RC_ASSERT(book.pending() + book.running() + book.released() == before);
      break;
    case 4:
      book.update_requests();
      RC_ASSERT(book.pending() == std::max(0, book.wanted() - book.running()));
    }
    require_sound(book);
  }
}

// -- a master -----------------------------------------------------------------

/// Gives as many executors as were asked for, and are there. Its messages arrive in
/// order, or with the connection not at all.
class SmallMaster {
public:
  explicit SmallMaster(ExecutorRequests& book) : book_(book) {
    connect();
  }

  void hear(int requested) {
    limit_ = requested;
    serve();
  }
  void end(const std::vector<int>& ids) {
    for (auto id : ids)
      if (present_.erase(id) == 1)
        said_.push_back([this, id] { (void)book_.ended({}, id, false); });
    serve();
  }
  void lose_one(unsigned which) {
    if (present_.empty())
      return;
    auto i = std::next(present_.begin(),
                       static_cast<std::ptrdiff_t>(which % present_.size()));
    auto id = *i;
    present_.erase(i);
    said_.push_back([this, id] { (void)book_.ended({}, id, true); });
    serve();
  }
  void allow(int capacity) {
    capacity_ = capacity;
    serve();
  }

  /// What was said and has not arrived is lost. Perhaps another one leads, who knows
  /// what was stored.
  void connect(bool is_new = true) {
    said_.clear();
    epoch_.value += is_new ? 1 : 0;
    book_.leader_is_lost();
    RC_ASSERT(book_.leader_is(epoch_));
    for (auto id : present_)
      said_.push_back([this, id] { (void)book_.granted(id, "h"); });
    said_.push_back(
        [this, epoch = epoch_] { (void)book_.list_is_complete(epoch); });
  }

  /// The next message arrives. Returns whether there was one.
  bool deliver() {
    if (said_.empty())
      return false;
    auto next = std::move(said_.front());
    said_.pop_front();
    next();
    return true;
  }

  [[nodiscard]] const std::set<int>& present() const noexcept {
    return present_;
  }

private:
  void serve() {
    auto most = static_cast<std::size_t>(std::min(limit_, capacity_));
    while (present_.size() < most) {
      auto id = next_++;
      present_.insert(id);
      said_.push_back([this, id] { (void)book_.granted(id, "h"); });
    }
  }

  ExecutorRequests& book_;
  LeaderEpoch epoch_;
  std::deque<std::function<void()>> said_;
  std::set<int> present_;
  int next_ = 0;
  int limit_ = 0;
  int capacity_ = 100;
};

/// What an application sends, and has not arrived.
class SmallApplication {
public:
  SmallApplication() : master_(book_) {
  }

  void happen(const RequestEvent& event) {
    auto [what, who, other] = event;
    switch (what % 9) {
    case 0:
      book_.request_total(other % 8);
      break;
    case 1:
      (void)book_.kill({who % 10, other % 10});
      break;
    case 2:
      master_.lose_one(who);
      break;
    case 3:
      master_.allow(other % 8);
      break;
    case 4:
      if (auto request = book_.take_request())
        sent_.push_back({*request, std::nullopt});
      if (auto kills = book_.take_kills())
        sent_.push_back({std::nullopt, *kills});
      break;
    case 5:
      arrive(other % 2 == 0);
      break;
    case 6:
    case 7:
      (void)master_.deliver();
      break;
    case 8:
      // Answers that were under way come all the same, and too late.
      for (const auto& x : std::exchange(sent_, {}))
        late_.push_back(x);
      master_.connect(other % 2 == 0);
      for (const auto& x : late_)
        if (x.request)
          RC_ASSERT(!(book_.request_answered(*x.request, true)
                      && book_.is_acknowledged()));
    }
    require_sound(book_);
  }

  /// All that is under way arrives.
  void settle() {
    master_.allow(100);
    for (int i = 0; i < 1000; ++i) {
      happen({4, 0, 0});
      auto any = !sent_.empty();
      while (!sent_.empty())
        arrive(true);
      any = master_.deliver() || any;
      if (!any)
        return;
    }
    RC_FAIL("it does not settle");
  }

  void require_agreement() const {
    RC_ASSERT(book_.released() == 0);
    RC_ASSERT(book_.pending() == 0);
    RC_ASSERT(book_.is_acknowledged());
    std::set<int> running;
    for (const auto& [id, x] : book_.executors())
      running.insert(id);
    RC_ASSERT(running == master_.present());
    RC_ASSERT(book_.running() >= book_.wanted());
  }

private:
  struct Sent {
    std::optional<ExecutorRequests::Request> request;
    std::optional<ExecutorRequests::Kills> kills;
  };

  /// The oldest message arrives, and its answer, if that is not lost.
  void arrive(bool is_answered) {
    if (sent_.empty())
      return;
    auto x = sent_.front();
    sent_.erase(sent_.begin());
    if (x.request) {
      master_.hear(x.request->total);
      book_.request_answered(*x.request, is_answered);
    }
    if (x.kills) {
      master_.end(x.kills->exec_ids);
      // A kill whose answer does not come is not taken back.
      if (is_answered)
        book_.kills_answered(*x.kills, true);
    }
  }

  ExecutorRequests book_{{}, 3};
  SmallMaster master_;
  std::vector<Sent> sent_;
  std::vector<Sent> late_;
};

void agree_with_master(const RequestEvents& events) {
  SmallApplication application;
  for (const auto& x : events)
    application.happen(x);
  application.settle();
  application.require_agreement();
}

} // namespace

TEST_CASE("the book says what one does that counts anew each time",
          "[allocation][random]") {
  CHECK(rc::check(compare_with_naive));
}

TEST_CASE("as YARN has it, nothing is in two books, or comes from nowhere",
          "[allocation][random]") {
  CHECK(rc::check(keep_as_yarn));
}

TEST_CASE("book and master agree in the end, whatever was lost on the way",
          "[allocation][random]") {
  CHECK(rc::check(agree_with_master));
}
