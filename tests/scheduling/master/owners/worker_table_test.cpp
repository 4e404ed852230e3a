// Who is registered, and how it is found: scheduling/master/worker_table.hpp.

#include "scheduling/master/worker_table.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

StoredWorker worker(const std::string& name, const std::string& host = "h",
                    int port = 0) {
  StoredWorker result;
  result.id = WorkerId{name};
  result.endpoint = EndpointId{"to-" + name};
  result.host = host;
  result.port = port;
  return result;
}

} // namespace

TEST_CASE("a worker is found by id, host, address and endpoint", "[owners]") {
  WorkerTable x;
  auto a = x.add(worker("a", "h1", 7078));
  auto b = x.add(worker("b", "h1"));
  auto c = x.add(worker("c", "h2", 7078));
  CHECK(x.find(WorkerId{"b"}) == b);
  CHECK_FALSE(x.find(WorkerId{"d"}));
  CHECK(x.on_host("h1") == std::set<WorkerKey>{a, b});
  CHECK(x.on_host("h3").empty());
  CHECK(x.find_by_address("h2", 7078) == c);
  CHECK_FALSE(x.find_by_address("h2", 7079));
  CHECK(x.find_by_endpoint(EndpointId{"to-a"}) == a);
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("a worker is reached over its last connection only", "[owners]") {
  WorkerTable x;
  auto a = x.add(worker("a"));
  x.connect(a, EndpointId{"other"});
  CHECK_FALSE(x.find_by_endpoint(EndpointId{"to-a"}));
  CHECK(x.find_by_endpoint(EndpointId{"other"}) == a);
  x.disconnect(a);
  CHECK_FALSE(x.is_connected(a));
  CHECK_FALSE(x.find_by_endpoint(EndpointId{"other"}));
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("only the last question is answered", "[owners]") {
  WorkerTable x;
  auto a = x.add(worker("a"));
  CHECK_FALSE(x.take_answer(a, std::nullopt));
  auto first = x.ask(a, LeaderEpoch{7});
  auto second = x.ask(a, LeaderEpoch{7});
  CHECK_FALSE(x.take_answer(a, first));
  CHECK(x.take_answer(a, second));
  CHECK_FALSE(x.take_answer(a, second));
  // A worker that names no question answers what it was asked.
  (void)x.ask(a, LeaderEpoch{7});
  CHECK(x.take_answer(a, std::nullopt));
  // Nor does it answer another leader's.
  auto third = x.ask(a, LeaderEpoch{7});
  CHECK_FALSE(x.take_answer(a, StateQuestion{LeaderEpoch{6}, third.number}));
}

TEST_CASE("what was asked over a connection is not answered over another",
          "[owners]") {
  WorkerTable x;
  auto a = x.add(worker("a"));
  auto question = x.ask(a, LeaderEpoch{7});
  auto again = GENERATE(false, true);
  if (again)
    x.connect(a, EndpointId{"other"});
  else
    x.disconnect(a);
  CHECK_FALSE(x.take_answer(a, question));
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("a lost worker is shown until it is removed", "[owners]") {
  WorkerTable x;
  auto a = x.add(worker("a", "h", 7078));
  CHECK(x.set_state(a, WorkerState::DEAD) == WorkerState::ALIVE);
  x.disconnect(a);
  CHECK(x.find(WorkerId{"a"}) == a);
  CHECK_FALSE(x.find_present(WorkerId{"a"}));
  x.remove(a);
  CHECK_FALSE(x.find(WorkerId{"a"}));
  CHECK_FALSE(x.find_by_address("h", 7078));
  CHECK(x.on_host("h").empty());
  CHECK_FALSE(x.invariant_violation());
  // Keys are never given twice.
  CHECK(x.add(worker("b")) != a);
}

TEST_CASE("workers of an identity are counted while they are not dead",
          "[owners]") {
  WorkerTable x;
  auto a = x.add(worker("a"));
  auto b = x.add(worker("b"));
  CHECK(x.present_of("") == 2);
  x.give_to(a, "node n1");
  x.give_to(b, "node n1");
  CHECK(x.present_of("") == 0);
  CHECK(x.present_of("node n1") == 2);
  x.set_state(a, WorkerState::DEAD);
  CHECK(x.present_of("node n1") == 1);
  x.remove(a);
  CHECK(x.present_of("node n1") == 1);
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("a worker is restored under its number, once", "[owners]") {
  WorkerTable x;
  auto stored = worker("a");
  stored.number = 7;
  CHECK(x.restore(stored) == WorkerKey{7});
  CHECK_FALSE(x.restore(stored));
  stored.number = 8;
  CHECK_FALSE(x.restore(stored));
  CHECK(x.add(worker("b")) == WorkerKey{8});
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("a table of workers notices when one is not what it was",
          "[owners]") {
  WorkerTable x;
  auto a = x.add(worker("a", "h", 7078));
  REQUIRE_FALSE(x.invariant_violation());
  auto& stored = x.edit(a).stored;
  SECTION("its id") {
    stored.id = WorkerId{"b"};
  }
  SECTION("its number") {
    stored.number = 5;
  }
  SECTION("its host") {
    stored.host = "other";
  }
  SECTION("its port") {
    stored.port = 7079;
  }
  SECTION("its endpoint") {
    stored.endpoint = EndpointId{"other"};
  }
  CHECK(x.invariant_violation());
}
