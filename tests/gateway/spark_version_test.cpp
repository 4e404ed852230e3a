// Of which version a driver is, whose messages look the same in several.

#include "gateway/spark_version.hpp"

#include "tests/gateway/peer_fixture.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// Drivers of these releases look the same, and each has a worker.
struct ChoiceFixture : PeerFixture {
  void add_workers() {
    for (const auto* release : {"3.4.4", "3.5.9"}) {
      version = release;
      add_worker(release);
    }
  }
};

} // namespace

TEST_CASE_METHOD(PeerFixture,
                 "executors start before the driver's page answers when "
                 "workers leave no choice",
                 "[gateway]") {
  pages_are_slow = true;
  add_worker();
  register_with_page();
  CHECK(versions_launched() == Told{"3.5.9"});
  REQUIRE(take().size() == 2);
  SECTION("and stay when it names another patch level") {
    page_says("3.5.1");
    CHECK(take().empty());
  }
  SECTION("and stay when it does not answer") {
    page_says(invalid("Connection refused"));
    CHECK(take().empty());
  }
  SECTION("and end when it names another release") {
    page_says("3.4.4");
    auto told = take();
    REQUIRE(told.size() == 1);
    CHECK(told.front().starts_with("ExecutorUpdated"));
    CHECK(told.front().find("its driver has Spark 3.4.4") != std::string::npos);
    CHECK(versions_launched() == Told{"3.5.9"});
    version = "3.4.1";
    add_worker("w2");
    CHECK(versions_launched() == Told{"3.5.9", "3.4.4"});
  }
}

TEST_CASE_METHOD(PeerFixture,
                 "a driver whose version nobody tells has the one that workers "
                 "have",
                 "[gateway]") {
  version = "3.4.4";
  add_worker();
  version = "3.5.9";
  say_recorded("$RegisterApplication");
  CHECK(versions_launched() == Told{"3.4.4"});
}

TEST_CASE_METHOD(ChoiceFixture,
                 "executors come when the driver's page has said its version",
                 "[gateway]") {
  pages_are_slow = true;
  add_workers();
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

namespace {

/// A master that has rules.
struct RuledFixture : ChoiceFixture {
  void use_rules(const std::vector<std::string>& texts) {
    for (const auto& text : texts)
      services->version_rules.push_back(*parse_version_rule(text));
  }

  /// Of which version the recorded driver is, whose user is root and whose application
  /// is called basic.
  std::string version_of_driver() {
    add_workers();
    say_recorded("$RegisterApplication");
    auto launched = versions_launched();
    return launched.empty() ? "none" : launched.front();
  }
};

} // namespace

TEST_CASE_METHOD(RuledFixture,
                 "a driver without a page has the version that a rule says",
                 "[gateway]") {
  SECTION("by its user") {
    use_rules({"user:ann=3.5.9", "user:root=3.4.4"});
    CHECK(version_of_driver() == "3.4.4");
  }
  SECTION("by its application") {
    use_rules({"app:bas*=3.4.4", "user:root=3.5.9"});
    CHECK(version_of_driver() == "3.4.4");
  }
  SECTION("which its messages have to agree with") {
    use_rules({"app:*=4.1.4"});
    CHECK(version_of_driver() == "3.5.9");
  }
  SECTION("without a company it is of none") {
    use_rules({"company:*=3.4.4"});
    CHECK(version_of_driver() == "3.5.9");
  }
}

TEST_CASE_METHOD(RuledFixture, "a rule may be about the company of a driver",
                 "[gateway]") {
  ClusterConfig config;
  config.master_url = "stoker://m:1";
  config.tenants.emplace();
  config.tenants->companies = {CompanyConfig{"first"}, CompanyConfig{"second"}};
  config.tenants->users = {UserConfig{"root", "second"}};
  start(config, {});
  use_rules({"company:first=3.5.9", "company:sec*=3.4.4"});
  CHECK(version_of_driver() == "3.4.4");
}

TEST_CASE_METHOD(RuledFixture, "a page counts more than a rule", "[gateway]") {
  pages_are_slow = true;
  use_rules({"user:root=3.4.4"});
  add_workers();
  register_with_page();
  CHECK(worker_record->launches.empty());
  SECTION("where it says the version") {
    page_says("3.5.9");
    CHECK(versions_launched() == Told{"3.5.9"});
  }
  SECTION("but not where it does not") {
    page_says(invalid("Connection refused"));
    CHECK(versions_launched() == Told{"3.4.4"});
  }
}
