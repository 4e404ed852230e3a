// Of which version a driver is, whose messages look the same in several.

#include "gateway/spark_version.hpp"

#include "tests/gateway/peer_fixture.hpp"

using namespace stoker;
using namespace stoker::test;

TEST_CASE_METHOD(PeerFixture,
                 "executors come when the driver's page has said its version",
                 "[gateway]") {
  pages_are_slow = true;
  add_worker();
  register_with_page();
  // It has to know that it is registered before its page has answers.
  CHECK(take()
        == Told{"RegisteredApplication {\"appId\":\"" + app_id() + "\"}"});
  REQUIRE(pages_asked.size() == 1);
  CHECK(pages_asked.front() == SocketAddress{"127.0.0.1", 4040});
  CHECK(worker_record->launches.empty());
  SECTION("its worker may have a Spark that is as good") {
    page_says("3.5.1");
    CHECK(versions_launched() == Told{"3.5.1"});
  }
  SECTION("it may be another release that looks the same") {
    page_says("3.4.4");
    CHECK(worker_record->launches.empty());
    version = "3.4.1";
    add_worker("w2");
    CHECK(versions_launched() == Told{"3.4.4"});
  }
  SECTION("without an answer, the newest that looks the same is taken") {
    page_says(invalid("Connection refused"));
    CHECK(versions_launched() == Told{"3.5.9"});
  }
  SECTION("it may have asked for executors meanwhile") {
    say_new(spark::FrameType::rpc_request, [&](auto& builder) {
      return builder.object(
          deploy_message("RequestExecutors"),
          {{"appId", builder.text(app_id())},
           {"resourceProfileToTotalExecs", builder.empty_map()}});
    });
    CHECK(take() == Told{"true"});
    page_says("3.5.9");
    CHECK(worker_record->launches.empty());
  }
  SECTION("it may have gone") {
    caf::anon_send(peer, SparkConnectionClosed{"it was closed by the peer"});
    page_says("3.5.9");
    CHECK(worker_record->launches.empty());
  }
}
