// What an operator is told of those who were not accepted.

#include "scheduling/master/refusals.hpp"

#include "tests/scheduling/master/trace.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

StepResult answers(MasterMessage message, const std::string& to) {
  StepResult result;
  result.messages.push_back(Send{EndpointId{to}, std::move(message)});
  return result;
}

} // namespace

TEST_CASE("a refused application is named, on one line", "[events]") {
  RegisterApplication x;
  x.driver = EndpointId{"d1"};
  x.description.name = "sums\n[standby] STANDBY";
  x.description.user = "eve";
  CHECK(refusal_in(x, answers(ApplicationRemoved{"nobody knows eve"}, "d1"))
        == Refusal{"application",
                   "application name=\"sums?[standby] STANDBY\" user=eve "
                   "reason=\"nobody knows eve\""});
  // What others are told is no answer.
  CHECK(!refusal_in(x, answers(ApplicationRemoved{"it has ended"}, "d2")));
  CHECK(!refusal_in(x, answers(MasterInStandby{}, "d1")));
}

TEST_CASE("a refused worker and a refused driver are named", "[events]") {
  RegisterWorker worker;
  worker.id = WorkerId{"w1"};
  worker.worker = EndpointId{"e1"};
  worker.host = "h1";
  CHECK(refusal_in(worker, answers(RegisterWorkerFailed{"twice"}, "e1"))
        == Refusal{"worker", "worker worker=w1 host=h1 reason=twice"});
  RequestSubmitDriver driver;
  driver.driver_description.name = "nightly";
  driver.driver_description.user = "ann";
  StepResult result;
  result.messages.push_back(
      Reply{SubmitDriverResponse{false, std::nullopt, "too large"}});
  CHECK(refusal_in(driver, result)
        == Refusal{"driver", "driver name=nightly user=ann "
                             "reason=\"too large\""});
  result.messages = {Reply{SubmitDriverResponse{true, DriverId{"d"}, {}}}};
  CHECK(!refusal_in(driver, result));
}

TEST_CASE("what a refused peer sends is shortened in a log", "[events]") {
  const std::string flood(100'000, 'n');
  constexpr std::size_t line_max = 1000;
  auto is_short = [&](const std::optional<Refusal>& x) {
    return x && x->fields.size() < line_max
           && x->fields.find("nnn...") != std::string::npos;
  };
  RegisterApplication app;
  app.driver = EndpointId{"d1"};
  app.description.name = flood;
  app.description.user = flood;
  CHECK(is_short(refusal_in(app, answers(ApplicationRemoved{flood}, "d1"))));
  RegisterWorker worker;
  worker.id = WorkerId{flood};
  worker.worker = EndpointId{"e1"};
  worker.host = flood;
  CHECK(
      is_short(refusal_in(worker, answers(RegisterWorkerFailed{flood}, "e1"))));
  RequestSubmitDriver driver;
  driver.driver_description.name = flood;
  driver.driver_description.user = flood;
  StepResult result;
  result.messages.push_back(
      Reply{SubmitDriverResponse{false, std::nullopt, flood}});
  CHECK(is_short(refusal_in(driver, result)));
}

TEST_CASE("a worker whose host is no name of a host is refused", "[events]") {
  Trace trace;
  (void)trace.run("elect");
  CHECK(trace.run("worker w1 4 cores 4 GB at <i>h1:7")
        == "to w1: RegisterWorkerFailed message=\"its host is no name or "
           "address of a host: '<i>h1'\"\n");
  CHECK(trace.run("worker w2 4 cores 4 GB at node-1.rack_2:7")
            .starts_with("to w2: RegisteredWorker"));
}
