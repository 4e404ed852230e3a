// The output of instances in their order: tools/stoker/output_order.hpp.

#include <sys/resource.h>

#include <csignal>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tools/stoker/output_order.hpp"

using namespace stoker;
using stoker::test::TemporaryDirectory;

namespace {

/// What was written so far, with "!" in front of standard error.
struct Written {
  TemporaryDirectory directory;
  std::string text;
  std::vector<int> ended;
  OutputOrder order{directory.path(""),
                    [this](int, bool standard_error, std::string_view data) {
                      text += standard_error ? "!" : "";
                      text += data;
                    },
                    [this](int index) { ended.push_back(index); }};
};

} // namespace

TEST_CASE("output of an instance passes at once when all before it are "
          "complete") {
  Written x;
  REQUIRE(x.order.output(0, false, "a"));
  CHECK(x.text == "a");
  REQUIRE(x.order.output(0, true, "b"));
  CHECK(x.text == "a!b");
  REQUIRE(x.order.complete(0));
  REQUIRE(x.order.output(1, false, "c"));
  CHECK(x.text == "a!bc");
}

TEST_CASE("output of later instances waits for those before them") {
  Written x;
  REQUIRE(x.order.output(2, false, "2"));
  REQUIRE(x.order.output(1, false, "1"));
  REQUIRE(x.order.output(2, true, "two"));
  REQUIRE(x.order.complete(2));
  REQUIRE(x.order.output(1, false, "one"));
  CHECK(x.text.empty());
  REQUIRE(x.order.complete(0));
  CHECK(x.text == "1one");
  REQUIRE(x.order.output(1, false, ","));
  CHECK(x.ended == std::vector{0});
  REQUIRE(x.order.complete(1));
  CHECK(x.text == "1one,2!two");
  CHECK(x.ended == std::vector{0, 1, 2});
  // The space of the file is used again.
  REQUIRE(x.order.output(4, false, "4"));
  REQUIRE(x.order.complete(3));
  CHECK(x.text == "1one,2!two4");
}

TEST_CASE("output that waits is written in order when the run ends") {
  Written x;
  REQUIRE(x.order.output(3, false, "3"));
  REQUIRE(x.order.output(1, false, "1"));
  REQUIRE(x.order.output(2, false, "2"));
  REQUIRE(x.order.output(0, false, "0"));
  REQUIRE(x.order.finish());
  CHECK(x.text == "0123");
  CHECK(x.ended == std::vector{0, 1, 2, 3});
}

TEST_CASE("output of an instance that was complete is written at once") {
  Written x;
  REQUIRE(x.order.complete(0));
  REQUIRE(x.order.output(0, false, "late"));
  REQUIRE(x.order.complete(0));
  CHECK(x.text == "late");
}

TEST_CASE("much output in small pieces comes back whole") {
  Written x;
  std::string all;
  for (int i = 0; i < 20'000; ++i) {
    auto piece = std::to_string(i) + '\n';
    all += piece;
    REQUIRE(x.order.output(1, false, piece));
    REQUIRE(x.order.output(2, false, "x"));
  }
  std::string large(1'000'000, 'y');
  REQUIRE(x.order.output(1, false, large));
  REQUIRE(x.order.complete(0));
  CHECK(x.text == all + large);
}

TEST_CASE("output that cannot be kept is an error, and what was kept stays") {
  Written x;
  REQUIRE(x.order.output(1, false, "kept"));
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  auto small = before;
  small.rlim_cur = 64;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  auto kept = x.order.output(1, false, std::string(1000, 'x'));
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  REQUIRE_FALSE(kept);
  CHECK(kept.error().code == Errc::full);
  CHECK(kept.error().message.find("cannot write the output that waits for its "
                                  "turn, in ")
        == 0);
  REQUIRE(x.order.complete(0));
  CHECK(x.text == "kept");
}

TEST_CASE("a directory that is not there is an error with its name") {
  OutputOrder order{"/no/such/directory", [](int, bool, std::string_view) {},
                    [](int) {}};
  REQUIRE(order.output(0, false, "passes"));
  auto kept = order.output(1, false, "waits");
  REQUIRE_FALSE(kept);
  CHECK(kept.error().message.find("/no/such/directory") != std::string::npos);
}
