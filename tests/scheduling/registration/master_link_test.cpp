// Whose messages count: scheduling/registration/master_link.hpp.

#include "scheduling/registration/master_link.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

using Admission = MasterLink::Admission;

const LeaderEpoch first{1};
const LeaderEpoch second{2};

/// Of two masters.
struct LinkFixture {
  Instant now{};
  MasterLink link{config()};

  static RegistrationConfig config() {
    RegistrationConfig result;
    result.masters = 2;
    return result;
  }

  static ConnectToMaster connect(const MasterLink::Action& x) {
    REQUIRE(std::holds_alternative<ConnectToMaster>(x));
    return std::get<ConnectToMaster>(x);
  }

  /// Registers over the connection that `x` asks for.
  ConnectionNumber register_over(const MasterLink::Action& x) {
    auto number = connect(x).connection;
    CHECK(std::holds_alternative<MasterLink::Register>(
        link.on(now, MasterConnected{number})));
    link.registered();
    return number;
  }

  static bool is_nothing(const MasterLink::Action& x) {
    return std::holds_alternative<std::monostate>(x);
  }
};

} // namespace

TEST_CASE_METHOD(LinkFixture, "each connection has a number of its own",
                 "[registration]") {
  auto one = connect(link.start(now));
  auto two = connect(
      link.on(now, MasterConnectionFailed{one.connection, "refused"}));
  CHECK(one.master != two.master);
  CHECK(one.connection != 0);
  CHECK(two.connection > one.connection);
}

TEST_CASE_METHOD(LinkFixture,
                 "what happens to a connection that was left is late",
                 "[registration]") {
  auto one = register_over(link.start(now));
  CHECK(link.is_connected());
  auto two = connect(link.search_on(now, master_in_standby)).connection;
  CHECK_FALSE(link.is_connected());
  CHECK(is_nothing(link.on(now, MasterConnected{one})));
  CHECK(is_nothing(link.on(now, MasterConnectionFailed{one, "refused"})));
  CHECK(is_nothing(link.on(now, MasterDisconnected{one})));
  CHECK_FALSE(link.is_connected());
  CHECK(link.failed_round().empty());
  CHECK(std::holds_alternative<MasterLink::Register>(
      link.on(now, MasterConnected{two})));
  CHECK(is_nothing(link.on(now, MasterDisconnected{one})));
  CHECK(link.is_connected());
}

TEST_CASE_METHOD(LinkFixture, "breaks are counted from one registration on",
                 "[registration]") {
  auto broken = register_over(link.start(now));
  CHECK(link.breaks() == 0);
  auto next = link.on(now, MasterDisconnected{broken});
  CHECK(link.breaks() == 1);
  // A connection that was left breaks for nobody.
  (void)link.on(now, MasterDisconnected{broken});
  CHECK(link.breaks() == 1);
  register_over(next);
  CHECK(link.breaks() == 0);
}

TEST_CASE_METHOD(LinkFixture, "messages count over the present connection only",
                 "[registration]") {
  CHECK(link.admit({}) == Admission::ignore);
  auto next = link.start(now);
  auto one = connect(next).connection;
  CHECK(link.admit({one, first}) == Admission::ignore);
  (void)register_over(next);
  CHECK(link.admit({one, first}) == Admission::accept);
  CHECK(link.admit({one + 1, first}) == Admission::ignore);
  CHECK(link.admit({0, first}) == Admission::ignore);
  auto two = register_over(link.on(now, MasterDisconnected{one}));
  CHECK(link.admit({one, first}) == Admission::ignore);
  CHECK(link.admit({two, first}) == Admission::accept);
}

TEST_CASE_METHOD(LinkFixture, "messages of deposed leaders do not count",
                 "[registration]") {
  auto one = register_over(link.start(now));
  CHECK(link.admit({one, second}) == Admission::accept);
  CHECK(link.admit({one, first}) == Admission::search_on);
  CHECK(link.admit({one, second}) == Admission::accept);
  // Sent by a master that leads without a stored state, or does not lead.
  CHECK(link.admit({one, {}}) == Admission::accept);
  auto two = register_over(link.search_on(now, master_deposed));
  CHECK(link.admit({two, first}) == Admission::search_on);
}

TEST_CASE_METHOD(LinkFixture,
                 "an epoch over a connection that was left is not heard",
                 "[registration]") {
  auto one = register_over(link.start(now));
  auto two = register_over(link.on(now, MasterDisconnected{one}));
  CHECK(link.admit({one, second}) == Admission::ignore);
  CHECK(link.admit({two, first}) == Admission::accept);
}

TEST_CASE_METHOD(LinkFixture,
                 "a search has the reasons of its last round once that failed",
                 "[registration]") {
  auto number = connect(link.start(now)).connection;
  number
      = connect(link.on(now, MasterConnectionFailed{number, "no"})).connection;
  CHECK(link.failed_round().empty());
  CHECK(is_nothing(link.on(now, MasterConnectionFailed{number, "not now"})));
  CHECK(link.failed_round() == "no; not now");
  now = link.due().value();
  number = register_over(link.tick(now));
  CHECK(link.failed_round().empty());
  number = connect(link.on(now, MasterDisconnected{number})).connection;
  (void)link.on(now, MasterConnectionFailed{number, "no"});
  CHECK(link.failed_round().empty());
}

TEST_CASE_METHOD(LinkFixture,
                 "a reason of failed attempts is new once in each search",
                 "[registration]") {
  auto number = connect(link.start(now)).connection;
  auto fail = [&](const std::string& reason) {
    MasterConnectionFailed x{number, reason};
    auto is_new = link.is_new_failure(x);
    auto next = link.on(now, x);
    if (is_nothing(next)) {
      now = link.due().value();
      next = link.tick(now);
    }
    number = connect(next).connection;
    return is_new;
  };
  CHECK(fail("refused"));
  // Of the other master.
  CHECK(fail("no route"));
  CHECK_FALSE(fail("refused"));
  CHECK_FALSE(fail("no route"));
  CHECK(fail("another build"));
  CHECK_FALSE(fail("another build"));
  CHECK_FALSE(
      link.is_new_failure({number - 1, "of a connection that was left"}));
  (void)link.on(now, MasterConnected{number});
  link.registered();
  number = connect(link.on(now, MasterDisconnected{number})).connection;
  CHECK(fail("refused"));
  // Somebody may give another reason each time.
  int told = 0;
  for (int i = 0; i < 100; ++i)
    told += fail(std::to_string(i)) ? 1 : 0;
  CHECK(told < 20);
}

TEST_CASE_METHOD(LinkFixture, "after the end of searches the connection stays",
                 "[registration]") {
  auto one = register_over(link.start(now));
  link.stop_searching();
  CHECK_FALSE(link.is_registered());
  CHECK(link.is_connected());
  CHECK(link.admit({one, first}) == Admission::accept);
  CHECK(is_nothing(link.search_on(now, master_in_standby)));
  CHECK(is_nothing(link.on(now, MasterDisconnected{one})));
  CHECK_FALSE(link.is_connected());
  CHECK_FALSE(link.due());
}
