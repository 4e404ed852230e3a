// stoker web, and pages that others than this machine can reach.

#include <filesystem>

#include "tests/cluster/networked_cluster.hpp"
#include "tests/gateway/socket_client.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker::test;

namespace {

struct PagesCluster : Cluster {
  std::uint16_t web_port = reserve_port();
  std::string url = "http://127.0.0.1:" + std::to_string(web_port);

  PagesCluster() {
    environment["STOKER_WEB"] = url;
  }

  void start_pages() {
    start_local({"--web-port", std::to_string(web_port), "--rest-port", "0",
                 "--spark-port", "0"});
  }

  /// All that is answered.
  [[nodiscard]] std::string get(const std::string& target,
                                const std::string& cookie = {}) const {
    SocketClient client{web_port};
    client.send("GET " + target
                + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(web_port)
                + "\r\nConnection: close\r\nCookie: " + cookie + "\r\n\r\n");
    return client.receive(1'000'000);
  }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The first line that a command has printed.
std::string link_in(const Result& result) {
  INFO(result.err);
  REQUIRE(result.status == 0);
  auto lines = lines_of(result.out);
  REQUIRE(lines.size() == 1);
  return lines.front();
}

/// Follows a link and what it leads to, as a browser that shows no certificate.
constexpr const char* python_browser = R"(
import ssl, sys, urllib.request
context = ssl.create_default_context(cafile=sys.argv[1])
browser = urllib.request.build_opener(
    urllib.request.HTTPSHandler(context=context),
    urllib.request.HTTPCookieProcessor())
for url in sys.argv[2:]:
    try:
        with browser.open(url, timeout=30) as answer:
            print(answer.status, answer.url, answer.read().decode())
    except urllib.error.HTTPError as error:
        print(error.code, error.url, error.read().decode())
)";

} // namespace

TEST_CASE("stoker web prints a link that signs in, once") {
  PagesCluster cluster;
  cluster.start_pages();
  auto link = link_in(cluster.run({"web", "--no-open"}));
  REQUIRE(link.starts_with(cluster.url + "/login?token="));
  auto target = link.substr(cluster.url.size());
  auto answer = cluster.get(target);
  INFO(answer);
  CHECK(answer.starts_with("HTTP/1.1 303 "));
  CHECK(has(answer, "Location: /\r\n"));
  auto begin = answer.find("stoker_session_");
  REQUIRE(begin != std::string::npos);
  auto cookie = answer.substr(begin, answer.find(';', begin) - begin);
  CHECK(has(cluster.get("/", cookie), "Sign out"));
  CHECK_FALSE(has(cluster.get("/"), "Sign out"));
  CHECK(cluster.get(target).starts_with("HTTP/1.1 401 "));
}

TEST_CASE("stoker web opens its link, and tells it to nobody else") {
  PagesCluster cluster;
  cluster.start_pages();
  auto programs = cluster.path("programs");
  std::filesystem::create_directory(programs);
  auto opened = cluster.path("opened");
  auto& path = cluster.environment["PATH"];
  auto script = programs + "/xdg-open";
  cluster
      .start({"sh", "-c",
              "printf '#!/bin/sh\\n(echo \"$#\"; echo \"$1\"; cat \"$1\") > "
                  + opened + ".part; mv " + opened + ".part " + opened
                  + "\\n' > " + script + "; chmod +x " + script})
      .result();
  path = programs + ':' + path;
  // Without a desktop nothing is opened.
  link_in(cluster.run({"web"}));
  cluster.environment["DISPLAY"] = ":77";
  link_in(cluster.run({"web", "--no-open"}));
  auto link = link_in(cluster.run({"web"}));
  REQUIRE(eventually([&] { return std::filesystem::exists(opened); }));
  auto told = contents_of(opened);
  INFO(told);
  auto lines = lines_of(told);
  REQUIRE(lines.size() > 2);
  CHECK(lines[0] == "1");
  CHECK_FALSE(has(lines[1], "token"));
  CHECK(mode_of(lines[1]) == 0600);
  CHECK(has(told, "url=" + link + '"'));
}

TEST_CASE("stoker web says in a line what is in its way") {
  PagesCluster cluster;
  check_refusal(cluster.run({"web"}), 69, "start a master");
  check_refusal(cluster.run({"web", "--web", "node1"}), 2, "http://HOST:PORT");
  check_refusal(cluster.run({"web", "--web", "https://node1"}), 2,
                "--tls-cert");
  check_refusal(
      cluster.run({"master", "--port", "0", "--data", cluster.path("data"),
                   "--rest-port", "0", "--spark-port", "0", "--web-port",
                   "8080", "--web-host", "10.0.0.1"}),
      2, "stoker certs");
}

TEST_CASE(
    "a master that may not listen there does not lead before it says so") {
  Cluster cluster;
  auto refuse = [&](const std::vector<std::string>& words) {
    check_refusal(cluster.run(joined(
                      words, {"--port", "0", "--data", cluster.path("data"),
                              "--rest-port", "0", "--spark-port", "0"})),
                  2, "stoker certs");
  };
  for (const auto* command : {"master", "local"}) {
    refuse({command, "--host", "10.0.0.1", "--web-port", "0"});
    refuse({command, "--web-port", "8080", "--web-host", "10.0.0.1"});
  }
}

TEST_CASE("pages at another address are for who proves himself") {
  Cluster cluster;
  if (auto why = Network::why_unavailable(cluster)) {
    skip(*why);
    return;
  }
  Network network{cluster, 2};
  auto host = Network::address(1);
  make_certificates(cluster, "certs", {host, "user"});
  auto on = [&](int machine, const std::vector<std::string>& words) -> auto& {
    return cluster.start(joined(network.on(machine), words));
  };
  auto& master = on(
      1, joined({STOKER_PROGRAM, "master", "--host", host, "--web-port", "8080",
                 "--web-host", host, "--data", cluster.path("data"),
                 "--spark-port", "0", "--rest-port", "0"},
                tls_options(cluster, "certs", host)));
  await(master, "web-listening");
  auto url = "https://" + host + ":8080";
  CHECK(says(master, url + '/'));
  auto link
      = link_in(on(2, joined({STOKER_PROGRAM, "web", "--no-open", "--web", url},
                             tls_options(cluster, "certs", "user")))
                    .result());
  REQUIRE(link.starts_with(url + "/login?token="));
  auto browse = [&](const std::vector<std::string>& urls) {
    auto result = on(2, joined({"python3", "-c", python_browser,
                                cluster.path("certs/ca.pem")},
                               urls))
                      .result();
    INFO(result.err);
    CHECK(result.status == 0);
    return result.out;
  };
  auto unknown_reader = browse({url + '/'});
  CHECK(unknown_reader.starts_with("401 "));
  CHECK_FALSE(has(unknown_reader, "ALIVE"));
  auto shown = browse({link, link});
  INFO(shown);
  CHECK(shown.starts_with("200 " + url + "/ "));
  CHECK(has(shown, "read by user"));
  CHECK(has(shown, "401 " + link));
  // Who does not encrypt is told of nothing but that.
  auto plain = network.speak_plain(2, host, 8080, "GET / HTTP/1.0\r\n\r\n");
  CHECK(plain.starts_with("HTTP/1.1 400 "));
  CHECK(has(plain, "begin the address with https"));
  CHECK(plain.size() < 250);
}
