// The ids in a sentence lead to their pages.

#include "pages/linked_text.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::pages;

namespace {

using Parts = std::vector<TextPart>;

} // namespace

TEST_CASE("ids in a sentence lead to their pages, whatever stands beside them",
          "[pages]") {
  CHECK(linked_text("it waits for app-20261127-0001.")
        == Parts{{"it waits for ", ""},
                 {"app-20261127-0001", "/applications/app-20261127-0001"},
                 {".", ""}});
  CHECK(linked_text("app=app-2026-1 worker=worker-2026-127.0.0.1-7")
        == Parts{
            {"app=", ""},
            {"app-2026-1", "/applications/app-2026-1"},
            {" worker=", ""},
            {"worker-2026-127.0.0.1-7", "/workers/worker-2026-127.0.0.1-7"}});
  CHECK(linked_text("(app-1/0, 'driver-2': x)")
        == Parts{{"(", ""},
                 {"app-1/0", "/executors/app-1/0"},
                 {", '", ""},
                 {"driver-2", "/drivers/driver-2"},
                 {"': x)", ""}});
}

TEST_CASE("an id that has an address of IPv6 leads to its page whole",
          "[pages]") {
  CHECK(linked_text("on worker-2026-fe80::1%eth0-7.")
        == Parts{{"on ", ""},
                 {"worker-2026-fe80::1%eth0-7",
                  "/workers/worker-2026-fe80%3A%3A1%25eth0-7"},
                 {".", ""}});
  CHECK(linked_text("worker-2026-[::1]-7")
        == Parts{
            {"worker-2026-[::1]-7", "/workers/worker-2026-%5B%3A%3A1%5D-7"}});
  CHECK(linked_text("[app-1]")
        == Parts{{"[", ""}, {"app-1", "/applications/app-1"}, {"]", ""}});
}

TEST_CASE("words that only begin as ids do are words", "[pages]") {
  for (const auto* x :
       {"a worker-pool of 3", "driver- and app-", "my-app-1 runs", "app-1/x",
        "http://app-1/", "", "...", "-"}) {
    INFO(x);
    std::string all;
    for (const auto& part : linked_text(x)) {
      CHECK(part.href.empty());
      all += part.text;
    }
    CHECK(all == x);
  }
}

TEST_CASE("a text of any bytes stays whole", "[pages]") {
  const std::string text = "\xff app-1\n\"<a>app-2/1</a>\"";
  std::string all;
  for (const auto& part : linked_text(text))
    all += part.text;
  CHECK(all == text);
}
