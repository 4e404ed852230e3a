// What is written is what Spark's own master has sent, byte for byte.

#include "spark/message_writer.hpp"

#include "spark/frame.hpp"
#include "tests/spark/written_content.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::spark;
using namespace stoker::spark::test;

namespace {

/// Compares what was recorded of both versions with what is written for them.
/// @param same_bytes whether Scala 2.12 also writes the same bytes; it writes the tables of
/// enumerations, which nobody reads
template <class Message>
void expect(const Message& x, const std::string& number_3_5,
            const std::string& number_4_1, bool same_bytes = true) {
  CAPTURE(number_3_5, number_4_1);
  auto new_form = write(table("4.1.4"), x);
  CHECK((new_form == recorded_content("4.1.4", number_4_1)));
  auto old_form = write(table("3.5.9"), x);
  auto recorded_old = recorded_content("3.5.9", number_3_5);
  CHECK((!same_bytes || old_form == recorded_old));
  CHECK(fields_of(old_form) == fields_of(recorded_old));
}

const RpcAddress master{"127.0.0.1", 7077};

} // namespace

TEST_CASE("what is told to drivers is what Spark's master tells them",
          "[spark]") {
  expect(ExecutorUpdated{0, ExecutorState::running, {}, {}, {}}, "014", "014",
         false);
  expect(
      ExecutorUpdated{
          0, ExecutorState::exited, "Command exited with code 137", 137, {}},
      "040", "040", false);
  expect(ExecutorUpdated{2,
                         ExecutorState::lost,
                         "worker lost: Not receiving heartbeat for 9 seconds",
                         {},
                         "127.0.0.1"},
         "041", "041", false);
  expect(ExecutorUpdated{0,
                         ExecutorState::decommissioned,
                         "worker decommissioned",
                         {},
                         "127.0.0.1"},
         "046", "045", false);
}

TEST_CASE("messages with names of their own session are the same bytes",
          "[spark]") {
  struct Session {
    const char* version;
    const char* app;
    const char* worker;
    const char* lost_worker;
    const char* added;
    const char* removed;
    const char* removed_why;
  };
  auto x = GENERATE(
      Session{"3.5.9", "app-20261121061713-0000",
              "worker-20261121061702-127.0.0.1-7101",
              "worker-20261121062005-127.0.0.1-7102", "012", "044", "KILLED"},
      Session{"4.1.4", "app-20261121062345-0000",
              "worker-20261121062329-127.0.0.1-7101",
              "worker-20261121062657-127.0.0.1-7102", "011", "068", "FAILED"});
  const auto& form = table(x.version);
  CHECK((write(form, RegisteredApplication{x.app, master})
         == recorded_content(x.version, "010")));
  CHECK((write(form, ExecutorAdded{0, x.worker, "127.0.0.1:7101", 2, 600})
         == recorded_content(x.version, x.added)));
  CHECK((write(form, WorkerRemoved{x.lost_worker, "127.0.0.1",
                                   "Not receiving heartbeat for 9 seconds"})
         == recorded_content(x.version, "042")));
  CHECK((write(form, ApplicationRemoved{x.removed_why})
         == recorded_content(x.version, x.removed)));
}

TEST_CASE("who submits is answered as by Spark's master", "[spark]") {
  struct Session {
    const char* version;
    const char* worker;
    const char* running;
  };
  auto x = GENERATE(
      Session{"3.5.9", "worker-20261121063247-127.0.0.1-7101", "056"},
      Session{"4.1.4", "worker-20261121063656-127.0.0.1-7101", "053"});
  auto written = write(table(x.version),
                       DriverStatusResponse{true, DriverState::running,
                                            x.worker, "127.0.0.1:7101"});
  CHECK(fields_of(written)
        == fields_of(recorded_content(x.version, x.running)));
  CHECK(
      fields_of(write(table(x.version),
                      SubmitDriverResponse{true, "driver-1", "submitted"}))
      == R"({"@":"org.apache.spark.deploy.DeployMessages$SubmitDriverResponse",)"
         R"("success":true,"driverId":["driver-1"],"master":null,)"
         R"("message":"submitted"})");
  CHECK(
      fields_of(
          write(table(x.version), KillDriverResponse{"driver-1", false, "no"}))
      == R"({"@":"org.apache.spark.deploy.DeployMessages$KillDriverResponse",)"
         R"("success":false,"driverId":"driver-1","master":null,)"
         R"("message":"no"})");
}

TEST_CASE("every table can write every message", "[spark]") {
  for (const auto& form : version_tables()) {
    CAPTURE(form.version());
    CHECK_NOTHROW(write(form, RegisteredApplication{"app-1", master}));
    CHECK_NOTHROW(write(form, MasterChanged{master, "http://127.0.0.1:8080"}));
    CHECK_NOTHROW(write(form, ExecutorAdded{1, "w", "h:1", 1, 1}));
    CHECK_NOTHROW(
        write(form, ExecutorUpdated{1, ExecutorState::failed, "x", 1, "h"}));
    CHECK_NOTHROW(write(form, WorkerRemoved{"w", "h", "x"}));
    CHECK_NOTHROW(write(form, ApplicationRemoved{"x"}));
    CHECK_NOTHROW(write(form, SubmitDriverResponse{true, "d", "x"}));
    CHECK_NOTHROW(write(form, KillDriverResponse{"d", true, "x"}));
    CHECK_NOTHROW(write(
        form, DriverStatusResponse{true, DriverState::error, "w", "h:1"}));
  }
}

TEST_CASE("answers are the bytes that Spark sends", "[spark]") {
  CHECK((written_boolean(true) == recorded_content("3.5.9", "008")));
  CHECK((written_boolean(true) == recorded_content("4.1.4", "008")));
  CHECK(fields_of(written_boolean(false)) == "false");
}

TEST_CASE("texts of any length and language come back", "[spark]") {
  auto text = GENERATE(as<std::string>{}, "", "ä€😀", std::string("\0", 1),
                       std::string(70'000, 'x'));
  auto written = write(version_tables().back(), ApplicationRemoved{text});
  auto fields = boost::json::parse(fields_of(written));
  CHECK(fields.at("message").as_string() == text);
}

TEST_CASE("frames have the envelope of a master", "[spark]") {
  auto content = write(table("4.1.4"), ApplicationRemoved{"FAILED"});
  auto bytes
      = one_way_frame(master, {"127.0.0.1", 40253}, "AppClient", content);
  std::string_view rest{bytes};
  auto frame = take_frame(rest);
  REQUIRE(frame);
  REQUIRE(*frame);
  CHECK((*frame)->type == FrameType::one_way_message);
  auto message = read_rpc_message((*frame)->body);
  REQUIRE(message);
  CHECK(message->sender == master);
  CHECK(message->receiver == RpcAddress{"127.0.0.1", 40253});
  CHECK(message->endpoint == "AppClient");
  CHECK((message->content == content));
}
