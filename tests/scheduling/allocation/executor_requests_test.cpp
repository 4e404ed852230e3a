// The book of requests: what is booked once, and what a new leader is told.

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduling/allocation/executor_requests.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

using Grant = ExecutorRequests::Grant;
using End = ExecutorRequests::End;

namespace {

constexpr Instant begin = from_ms(1'000'000);
constexpr LeaderEpoch first{3};
constexpr LeaderEpoch second{4};

/// "pending running released"
std::string figures(const ExecutorRequests& x) {
  CHECK(x.invariant_violation().value_or("") == "");
  return std::to_string(x.pending()) + ' ' + std::to_string(x.running()) + ' '
         + std::to_string(x.released());
}

/// Executors 0 and further run, as many as were wanted.
ExecutorRequests running_book(int executors) {
  ExecutorRequests result{{}, executors};
  CHECK(result.leader_is(first));
  for (int i = 0; i < executors; ++i)
    CHECK(result.granted(i, "h" + std::to_string(i)) == Grant::runs);
  CHECK(result.list_is_complete(first).empty());
  return result;
}

ExecutorRequests::Kills kills_of(ExecutorRequests& x) {
  auto result = x.take_kills();
  REQUIRE(result);
  return *result;
}

} // namespace

TEST_CASE("what is pending follows the wish, and no lower wish ends anything",
          "[allocation]") {
  ExecutorRequests book{{}, 2};
  CHECK(figures(book) == "2 0 0");
  CHECK(book.request_total(4));
  CHECK_FALSE(book.request_total(4));
  CHECK(book.granted(0, "h") == Grant::runs);
  CHECK(book.granted(1, "h") == Grant::runs);
  CHECK(figures(book) == "2 2 0");
  CHECK(book.request_total(1));
  CHECK(figures(book) == "0 2 0");
}

TEST_CASE("an executor that nobody wants any more is given back",
          "[allocation]") {
  ExecutorRequests book{{}, 2};
  book.leader_is(first);
  CHECK(book.granted(0, "h") == Grant::runs);
  // The second one is on its way.
  book.request_total(1);
  CHECK(book.granted(1, "h") == Grant::given_back);
  CHECK(figures(book) == "0 1 1");
  CHECK(kills_of(book).exec_ids == std::vector{1});
  CHECK(book.ended(begin, 1, false) == End::expected);
  CHECK(figures(book) == "0 1 0");
}

TEST_CASE("as YARN has it, such an executor is neither run nor given back",
          "[allocation]") {
  ExecutorRequestsConfig config;
  config.as_yarn = true;
  ExecutorRequests book{config, 2};
  book.update_requests();
  CHECK(book.granted(1, "h") == Grant::runs);
  book.request_total(1);
  CHECK(book.granted(2, "h") == Grant::left_alone);
  CHECK(figures(book) == "0 1 0");
}

TEST_CASE("a kill is booked once", "[allocation]") {
  auto book = running_book(2);
  auto kill = book.kill({0, 7});
  CHECK(kill.released == std::vector{0});
  CHECK(kill.unknown == std::vector{7});
  CHECK(figures(book) == "1 1 1");

  SECTION("though it is asked for again") {
    auto again = book.kill({0, 0});
    CHECK(again.released.empty());
    CHECK(again.released_before == std::vector{0, 0});
    CHECK(figures(book) == "1 1 1");
    CHECK(kills_of(book).exec_ids == std::vector{0});
    CHECK_FALSE(book.take_kills());
  }
  SECTION("though the end comes before the answer") {
    auto kills = kills_of(book);
    CHECK(book.ended(begin, 0, true) == End::expected);
    CHECK(figures(book) == "1 1 0");
    CHECK(book.kills_answered(kills, GENERATE(true, false)));
    CHECK(figures(book) == "1 1 0");
  }
  SECTION("though the end is told twice") {
    CHECK(book.ended(begin, 0, true) == End::expected);
    CHECK(book.ended(begin, 0, true) == End::unknown);
    CHECK(figures(book) == "1 1 0");
    CHECK(book.kill({0}).unknown == std::vector{0});
  }
  SECTION("though its start is told again") {
    CHECK(book.granted(0, "h0") == Grant::known);
    CHECK(figures(book) == "1 1 1");
    book.ended(begin, 0, false);
    CHECK(book.granted(0, "h0") == Grant::known);
    CHECK(figures(book) == "1 1 0");
  }
  CHECK(book.failures(begin) == 0);
  CHECK(book.unexpected_ends() == 0);
}

TEST_CASE("what may not be killed runs on, and what was given back does not",
          "[allocation]") {
  auto book = running_book(2);
  CHECK(book.granted(2, "h") == Grant::given_back);
  book.kill({1});
  auto kills = kills_of(book);
  CHECK(kills.exec_ids == std::vector{1, 2});
  CHECK(figures(book) == "1 1 2");
  CHECK(book.kills_answered(kills, false));
  CHECK(figures(book) == "0 2 1");
  CHECK(kills_of(book).exec_ids == std::vector{2});
  // Once more changes nothing.
  CHECK(book.kills_answered(kills, false));
  CHECK(figures(book) == "0 2 1");
}

TEST_CASE("an end that nobody wanted is counted, and a failure for a while",
          "[allocation]") {
  ExecutorRequestsConfig config;
  config.failures_validity = 10s;
  ExecutorRequests book{config, 3};
  for (int i = 0; i < 3; ++i)
    book.granted(i, "h");
  CHECK(book.ended(begin, 0, true) == End::unexpected);
  CHECK(book.ended(begin, 0, true) == End::unknown);
  CHECK(book.ended(begin + 1s, 1, false) == End::unexpected);
  CHECK(figures(book) == "2 1 0");
  CHECK(book.unexpected_ends() == 2);
  CHECK(book.failures(begin + 10s) == 1);
  CHECK(book.failures(begin + 10001ms) == 0);
  book.shut_down();
  CHECK(book.ended(begin + 20s, 2, true) == End::unexpected);
  CHECK(book.failures(begin + 20s) == 0);
}

TEST_CASE("the end of an executor that was never heard of keeps it from coming",
          "[allocation]") {
  ExecutorRequests book{{}, 1};
  CHECK(book.ended(begin, 5, true) == End::unknown);
  CHECK(book.granted(5, "h") == Grant::known);
  CHECK(figures(book) == "1 0 0");
  CHECK(book.failures(begin) == 0);
}

// -- leaders ------------------------------------------------------------------

TEST_CASE("nothing is sent without a leader, and the wish once to each",
          "[allocation]") {
  ExecutorRequests book{{}, 2};
  CHECK_FALSE(book.take_request());
  CHECK(book.leader_is(first));
  auto request = book.take_request();
  REQUIRE(request);
  CHECK(request->total == 2);
  CHECK(request->epoch == first);
  CHECK_FALSE(request->hosts);
  CHECK_FALSE(book.take_request());
  CHECK_FALSE(book.is_acknowledged());
  CHECK(book.request_answered(*request, true));
  CHECK(book.is_acknowledged());
  CHECK_FALSE(book.take_request());
  book.request_total(5);
  CHECK_FALSE(book.is_acknowledged());
  CHECK(book.take_request()->total == 5);
  book.leader_is_lost();
  book.request_total(6);
  CHECK_FALSE(book.take_request());
  CHECK(book.leader_is(second));
  CHECK(book.take_request()->total == 6);
}

TEST_CASE("a wish that was refused is there to be sent again", "[allocation]") {
  ExecutorRequests book{{}, 2};
  book.leader_is(first);
  auto request = book.take_request().value();
  CHECK(book.request_answered(request, false));
  CHECK_FALSE(book.is_acknowledged());
  CHECK(book.take_request()->total == 2);
  // Its number is not that of the last one.
  CHECK_FALSE(book.request_answered(request, true));
  CHECK_FALSE(book.is_acknowledged());
}

TEST_CASE("what an earlier leader answers changes nothing", "[allocation]") {
  auto book = running_book(2);
  book.kill({0});
  auto request = book.take_request().value();
  auto kills = kills_of(book);
  CHECK(book.leader_is(second));
  auto accepted = GENERATE(true, false);
  CHECK_FALSE(book.request_answered(request, accepted));
  CHECK_FALSE(book.kills_answered(kills, accepted));
  CHECK_FALSE(book.leader_is(first));
  CHECK(figures(book) == "1 1 1");
  CHECK_FALSE(book.is_acknowledged());
  CHECK(book.take_request()->epoch == second);
  auto again = kills_of(book);
  CHECK(again.epoch == second);
  CHECK(again.exec_ids == std::vector{0});
}

TEST_CASE("a new leader's list says what runs, and what is over",
          "[allocation]") {
  auto book = running_book(4);
  book.kill({3});
  book.leader_is(second);
  CHECK(book.granted(0, "h0") == Grant::known);
  CHECK(book.granted(3, "h3") == Grant::known);
  // Of an earlier leader.
  CHECK(book.list_is_complete(first).empty());
  CHECK(figures(book) == "1 3 1");
  CHECK(book.list_is_complete(second) == std::vector{1, 2});
  CHECK(figures(book) == "3 1 1");
  CHECK(book.unexpected_ends() == 2);
  CHECK(book.failures(begin) == 0);
  // An end that comes late after all.
  CHECK(book.ended(begin, 1, true) == End::unknown);
  CHECK(book.list_is_complete(second).empty());
  CHECK(figures(book) == "3 1 1");
}

TEST_CASE("the wish names hosts by what is there and what is missing",
          "[allocation]") {
  ExecutorRequestsConfig config;
  config.slots = 2;
  ExecutorRequests book{config, 2};
  book.leader_is(first);
  book.granted(0, "a");
  book.granted(1, "c");
  (void)book.take_request();
  CHECK_FALSE(book.request_total(2, LocalityHints{8, {{"a", 8}, {"b", 8}}}));
  // Two each are wanted there, and no more are asked for.
  CHECK(book.take_request()->hosts == std::map<std::string, int>{{"a", 1}});
  book.request_total(4);
  CHECK(book.take_request()->hosts
        == std::map<std::string, int>{{"a", 2}, {"b", 1}});
  book.request_total(9);
  CHECK(book.take_request()->hosts
        == std::map<std::string, int>{{"a", 2}, {"b", 2}});
  book.request_total(9, LocalityHints{8, {{"a", 8}, {"b", 8}}});
  CHECK_FALSE(book.take_request());
  book.request_total(9, LocalityHints{});
  CHECK(book.take_request()->hosts == std::map<std::string, int>{});
}

TEST_CASE("what counts as an executor's failure", "[allocation]") {
  auto counts = [](ExecutorState state, std::optional<int> status = {}) {
    ExecutorUpdated x;
    x.state = state;
    x.exit_status = status;
    return is_failure(x);
  };
  CHECK(counts(ExecutorState::FAILED));
  CHECK(counts(ExecutorState::EXITED, 1));
  CHECK(counts(ExecutorState::EXITED, 137));
  CHECK_FALSE(counts(ExecutorState::EXITED, 0));
  CHECK_FALSE(counts(ExecutorState::KILLED, 143));
  CHECK_FALSE(counts(ExecutorState::LOST));
  CHECK_FALSE(counts(ExecutorState::DECOMMISSIONED));
}
