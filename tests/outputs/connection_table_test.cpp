#include "outputs/connection_table.hpp"

#include <memory>
#include <string>
#include <vector>

#include "tests/network/applications.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// Connections that say when they are closed, and leave at the end.
struct Connections {
  ConnectionTable table;
  std::vector<ConnectionTable::Place> all;
  std::vector<std::size_t> closed;

  explicit Connections(ConnectionTable::Limits limits) : table(limits) {
  }

  ~Connections() {
    for (auto x : all)
      table.remove(x);
    CHECK(table.size() == 0);
  }

  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  ConnectionTable::Place add() {
    all.push_back(
        table.add([this, number = all.size()] { closed.push_back(number); }));
    return all.back();
  }

  bool add_to(const AppId& app) {
    return table.prove(add(), app);
  }
};

} // namespace

TEST_CASE("of too many that have proven nothing the oldest is closed",
          "[connections]") {
  Connections x{{10, 10, 2}};
  for (int i = 0; i < 5; ++i)
    x.add();
  CHECK(x.closed == std::vector<std::size_t>{0, 1, 2});
  // One that was closed does not get in any more.
  CHECK_FALSE(x.table.prove(x.all[0], words));
  CHECK(x.table.prove(x.all[4], words));
}

TEST_CASE(
    "of an application's connections the one that is idle for longest goes",
    "[connections]") {
  Connections x{{10, 3, 10}};
  for (int i = 0; i < 3; ++i)
    CHECK(x.add_to(words));
  // The first one is busy, and then idle again: for less time than the others.
  x.table.set_busy(x.all[0]);
  x.table.set_idle(x.all[0]);
  CHECK(x.add_to(words));
  CHECK(x.closed == std::vector<std::size_t>{1});
  // Another application has room.
  CHECK(x.add_to(other_app));
  CHECK(x.closed.size() == 1);
}

TEST_CASE("no connection that is busy is closed for another one",
          "[connections]") {
  Connections x{{10, 2, 10}};
  for (int i = 0; i < 2; ++i) {
    CHECK(x.add_to(words));
    x.table.set_busy(x.all.back());
  }
  CHECK_FALSE(x.add_to(words));
  CHECK(x.closed.empty());
}

TEST_CASE("one application does not close another one's connections",
          "[connections]") {
  Connections x{{2, 10, 10}};
  CHECK(x.add_to(words));
  CHECK(x.add_to(words));
  CHECK_FALSE(x.add_to(other_app));
  CHECK(x.add_to(words));
  CHECK(x.closed == std::vector<std::size_t>{0});
}

TEST_CASE("the connections of an application that has ended are closed",
          "[connections]") {
  Connections x{{10, 10, 10}};
  CHECK(x.add_to(words));
  CHECK(x.add_to(other_app));
  CHECK(x.add_to(words));
  x.table.set_busy(x.all.back());
  x.table.close(words);
  CHECK(x.closed == std::vector<std::size_t>{0, 2});
  x.table.close_all();
  CHECK(x.closed == std::vector<std::size_t>{0, 2, 1});
}
