// Access to the pages of programs below /proxy/.

#include <unistd.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gateway/user_name.hpp"
#include "tests/support/contains.hpp"
#include "tests/web/one_page_server.hpp"
#include "tests/web/pages_fixture.hpp"
#include "web/page_proxy.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

struct ProxyPagesFixture : PagesFixture {
  OnePageServer page{"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                     "Content-Length: 5\r\n\r\npage\n"};

  std::shared_ptr<std::vector<std::string>> told
      = std::make_shared<std::vector<std::string>>();
  caf::actor driver = caf::actor_cast<caf::actor>(spawn(app_recorder, told));

  /// The user of this process, and of its pages.
  std::string owner = user_name(::geteuid());

  void start_proxy(bool is_on = true) {
    start();
    ClusterPagesConfig config{feed,
                              master,
                              "spark://127.0.0.1:7077",
                              "stoker://127.0.0.1:7070",
                              SparkUsers::any,
                              metrics,
                              has_public_metrics,
                              nullptr,
                              never_of_use};
    if (is_on)
      config.proxy = std::make_shared<PageProxy>();
    pages = spawn(cluster_pages, std::move(config));
  }

  std::string register_application(const std::string& user,
                                   const std::string& url) {
    RegisterApplication x;
    x.driver = EndpointId{"driver " + user + url};
    x.description.name = "sums";
    x.description.command.arguments = {"sleep"};
    x.description.user = user;
    x.description.spark_driver = SparkDriver{"127.0.0.1", 1, "4.1.4", url, {}};
    caf::send_as(caf::actor_cast<caf::actor>(driver), master, x);
    scheduler.run();
    auto state = ask<MasterStateResponse>(master, RequestMasterState{});
    REQUIRE(state);
    REQUIRE_FALSE(state->active_apps.empty());
    return state->active_apps.back().id.value;
  }

  void be(const std::string& user, Role role = Role::user) {
    base = {};
    base.is_encrypted = true;
    base.certificate = Identity{user, role};
  }

  unsigned status_of(const std::string& method, const std::string& target) {
    auto request = base;
    request.method = method;
    auto mark = target.find('?');
    request.path = target.substr(0, mark);
    if (mark != std::string::npos)
      request.query = target.substr(mark + 1);
    request.here = {"127.0.0.1", 1};
    request.peer = {"127.0.0.1", 2};
    // Pages of programs are answered on another thread.
    auto answered = std::make_shared<std::promise<HttpResponse>>();
    caf::anon_send(pages,
                   AnswerPage{request, std::make_shared<HttpReply>(
                                           [answered](HttpResponse x) {
                                             answered->set_value(std::move(x));
                                           })});
    scheduler.run();
    auto result = answered->get_future();
    REQUIRE(result.wait_for(std::chrono::seconds{30})
            == std::future_status::ready);
    response = result.get();
    return response->status;
  }

  std::string field(const std::string& name) {
    for (const auto& [key, value] : response->fields)
      if (key == name)
        return value;
    return {};
  }
};

} // namespace

TEST_CASE_METHOD(ProxyPagesFixture,
                 "the page of a program is served when its user asks",
                 "[web]") {
  start_proxy();
  auto path = "/proxy/" + register_application(owner, page.url());
  be(owner);
  CHECK(status_of("GET", path) == 303);
  CHECK(field("Location") == path + '/');
  CHECK(status_of("GET", path + "/jobs/") == 200);
  CHECK(*response->body == "page\n");
  CHECK(field("Content-Security-Policy").empty());
  CHECK(status_of("POST", path + "/jobs/job/kill/?id=1") == 200);
  CHECK(status_of("PUT", path + "/jobs/") == 405);
}

TEST_CASE_METHOD(ProxyPagesFixture,
                 "an application's page links to its program's page while the "
                 "program runs",
                 "[web]") {
  auto has_proxy = GENERATE(true, false);
  CAPTURE(has_proxy);
  start_proxy(has_proxy);
  std::string public_page = "http://spark.example.org:4040";
  auto id = register_application(owner, public_page);
  auto href = has_proxy ? "/proxy/" + id + '/' : public_page + '/';
  auto link = "href=\"" + href + "\"";
  be(owner);
  base.accept = "text/html";
  CHECK(status_of("GET", "/applications/" + id) == 200);
  CHECK(contains(*response->body, link));
  auto hidden = register_application(owner, "javascript:alert(1)");
  CHECK(status_of("GET", "/applications/" + hidden) == 200);
  CHECK_FALSE(contains(*response->body, "javascript:"));
  REQUIRE(ask<bool>(master, UnregisterApplication{AppId{id}}));
  CHECK(status_of("GET", "/applications/" + id) == 200);
  CHECK_FALSE(contains(*response->body, link));
}

TEST_CASE_METHOD(ProxyPagesFixture,
                 "scripts of a program have no rights of an administrator",
                 "[web]") {
  start_proxy();
  auto path = "/proxy/" + register_application(owner, page.url());
  be("ops", Role::operator_);
  CHECK(status_of("GET", path + "/jobs/") == 200);
  CHECK(field("Content-Security-Policy").starts_with("sandbox"));
  CHECK_FALSE(contains(field("Content-Security-Policy"), "allow-same-origin"));
}

TEST_CASE_METHOD(ProxyPagesFixture,
                 "the page of a program is refused when another user asks",
                 "[web]") {
  start_proxy();
  auto path = "/proxy/" + register_application(owner, page.url());
  be("bob");
  CHECK(status_of("GET", path + "/jobs/") == 403);
  be(owner, Role::node);
  CHECK(status_of("GET", path + "/jobs/") == 403);
  CHECK(page.finish().empty());
}

TEST_CASE_METHOD(ProxyPagesFixture,
                 "an order to a page is refused when it comes as a link of "
                 "another page",
                 "[web]") {
  start_proxy();
  auto path = "/proxy/" + register_application(owner, page.url());
  be(owner);
  auto order = GENERATE(as<std::string>{}, "/jobs/job/kill/?id=1",
                        "/stages/stage/kill?id=1", "/jobs/job/%6bill/?id=1",
                        "/jobs/job/kill;x=1/?id=1", "/jobs/job/kill/x",
                        "/jobs%2Fjob%2Fkill/", "/jobs/job/%ZZ");
  INFO(order);
  CHECK(status_of("GET", path + order) == 405);
  CHECK(status_of("HEAD", path + order) == 405);
  CHECK(status_of("POST", path + order) == 200);
  // Links of Spark's own page.
  base.is_of_own_page = true;
  CHECK(status_of("GET", path + order) == 200);
}

TEST_CASE_METHOD(ProxyPagesFixture,
                 "the page of a program is refused when another user's process "
                 "serves it",
                 "[web]") {
  start_proxy();
  auto path = "/proxy/" + register_application("ann", page.url());
  be("ann");
  CHECK(status_of("GET", path + "/jobs/") == 403);
  CHECK(contains(response->problem, "not one of user ann"));
}

TEST_CASE_METHOD(ProxyPagesFixture,
                 "a program without a page that can be asked has none",
                 "[web]") {
  start_proxy();
  be(owner);
  auto url = GENERATE(as<std::string>{}, "", "https://127.0.0.1:4440",
                      "http://127.0.0.1:0", "ftp://127.0.0.1:21", "/jobs");
  INFO(url);
  CHECK(status_of("GET", "/proxy/" + register_application(owner, url) + '/')
        == 404);
  CHECK(status_of("GET", "/proxy/app-0/") == 404);
  CHECK(status_of("GET", "/proxy/") == 404);
}

TEST_CASE_METHOD(ProxyPagesFixture,
                 "pages of programs are named by their setting when it is off",
                 "[web]") {
  start_proxy(false);
  auto path = "/proxy/" + register_application(owner, page.url());
  be(owner);
  CHECK(status_of("GET", path + "/jobs/") == 404);
  CHECK(contains(response->problem, "spark.ui.reverseProxy=true"));
  CHECK(page.finish().empty());
}
