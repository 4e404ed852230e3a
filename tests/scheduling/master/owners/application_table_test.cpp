// Which applications there are: scheduling/master/application_table.hpp.

#include "scheduling/master/application_table.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

StoredApplication application(const std::string& name) {
  StoredApplication result;
  result.id = AppId{name};
  result.driver = EndpointId{"driver-" + name};
  return result;
}

EndedApplication ended(const std::string& name, int executors = 0) {
  EndedApplication result;
  result.info.id = AppId{name};
  result.executors.resize(static_cast<std::size_t>(executors));
  result.driver = EndpointId{name};
  return result;
}

} // namespace

TEST_CASE("an application is found by its id and its driver", "[owners]") {
  ApplicationTable x;
  auto a = x.add(application("a")).key();
  auto b = x.add(application("b")).key();
  CHECK(a < b);
  CHECK(x.find(AppId{"a"}) == a);
  CHECK(x.find_by_driver(EndpointId{"driver-b"}) == b);
  CHECK_FALSE(x.find(AppId{"c"}));
  CHECK(x.count_ever() == 2);
  x.remove(a);
  CHECK_FALSE(x.find(AppId{"a"}));
  CHECK_FALSE(x.find_by_driver(EndpointId{"driver-a"}));
  CHECK(x.count_ever() == 2);
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("an application is restored under its number, once", "[owners]") {
  ApplicationTable x;
  auto stored = application("a");
  stored.number = 4;
  REQUIRE(x.restore(stored) != nullptr);
  CHECK(x.restore(stored) == nullptr);
  CHECK(x.find(AppId{"a"}) == AppKey{4});
  CHECK(x.add(application("b")).key() == AppKey{5});
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("the last applications that ended are kept", "[owners]") {
  ApplicationTable x;
  CHECK_FALSE(x.keep_ended(ended("a"), {2, 0}).application);
  CHECK_FALSE(x.keep_ended(ended("b"), {2, 0}).application);
  CHECK(x.keep_ended(ended("c"), {2, 0}).application.value().info.id
        == AppId{"a"});
  CHECK(x.ended().size() == 2);
  CHECK(x.find_ended(AppId{"a"}) == nullptr);
  CHECK(x.find_ended(AppId{"c"})->info.id == AppId{"c"});
  CHECK(x.keep_ended(ended("d"), {2, 0}).application.value().info.id
        == AppId{"b"});
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("no ended application is kept where none is to be", "[owners]") {
  ApplicationTable x;
  CHECK(x.keep_ended(ended("a", 2), {0, 9}).application.value().info.id
        == AppId{"a"});
  CHECK(x.ended().empty());
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("executors of the applications that ended last are kept",
          "[owners]") {
  ApplicationTable x;
  using Ids = std::vector<AppId>;
  CHECK(x.keep_ended(ended("a", 2), {9, 5}).executors_of.empty());
  (void)x.keep_ended(ended("b"), {9, 5});
  CHECK(x.keep_ended(ended("c", 3), {9, 5}).executors_of.empty());
  CHECK(x.keep_ended(ended("d", 1), {9, 5}).executors_of == Ids{AppId{"a"}});
  CHECK(x.find_ended(AppId{"a"})->executors.empty());
  CHECK(x.find_ended(AppId{"c"})->executors.size() == 3);
  // The application itself is forgotten, with all that it had.
  CHECK(x.keep_ended(ended("e", 1), {3, 5}).application.value().info.id
        == AppId{"a"});
  CHECK(x.keep_ended(ended("f", 5), {3, 5}).executors_of
        == Ids{AppId{"c"}, AppId{"d"}, AppId{"e"}});
  CHECK(x.keep_ended(ended("g", 6), {3, 5}).executors_of
        == Ids{AppId{"f"}, AppId{"g"}});
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("the last application of a driver is found while it is kept",
          "[owners]") {
  ApplicationTable x;
  CHECK(x.find_ended_by_driver(EndpointId{"a"}) == nullptr);
  (void)x.keep_ended(ended("a"), {2, 0});
  (void)x.keep_ended(ended("b"), {2, 0});
  REQUIRE(x.find_ended_by_driver(EndpointId{"a"}) != nullptr);
  CHECK(x.find_ended_by_driver(EndpointId{"a"})->info.id == AppId{"a"});
  // Its driver has come back, and this is the last of it.
  (void)x.keep_ended(ended("a"), {2, 0});
  REQUIRE(x.find_ended_by_driver(EndpointId{"a"}) != nullptr);
  CHECK(x.find_ended_by_driver(EndpointId{"b"}) != nullptr);
  (void)x.keep_ended(ended("c"), {2, 0});
  CHECK(x.find_ended_by_driver(EndpointId{"b"}) == nullptr);
  CHECK(x.find_ended_by_driver(EndpointId{"a"}) != nullptr);
  (void)x.keep_ended(ended("d"), {2, 0});
  CHECK(x.find_ended_by_driver(EndpointId{"a"}) == nullptr);
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("a table of applications notices when one is not what it was",
          "[owners]") {
  ApplicationTable x;
  auto a = x.add(application("a")).key();
  REQUIRE_FALSE(x.invariant_violation());
  auto& app = x.edit(a);
  SECTION("its id") {
    app.stored.id = AppId{"b"};
  }
  SECTION("its number") {
    app.stored.number = 5;
  }
  SECTION("its driver") {
    app.stored.driver = EndpointId{"other"};
  }
  CHECK(x.invariant_violation());
}
