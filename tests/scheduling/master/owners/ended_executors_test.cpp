// What is remembered of executors that ended:
// scheduling/master/ended_executors.hpp.

#include "scheduling/master/ended_executors.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

using Ids = std::vector<int>;

/// An executor of an application without instances.
StoredExecutor serving(int id) {
  StoredExecutor result;
  result.app_id = AppId{"app"};
  result.exec_id = id;
  result.state = ExecutorState::KILLED;
  return result;
}

StoredExecutor done(int id, int index) {
  auto result = serving(id);
  result.index = index;
  result.state = ExecutorState::EXITED;
  result.exit_status = 0;
  return result;
}

StoredExecutor lost(int id, int index) {
  auto result = serving(id);
  result.index = index;
  result.state = ExecutorState::LOST;
  return result;
}

Ids ids(const std::vector<StoredExecutor>& xs) {
  Ids result;
  for (const auto& x : xs)
    result.push_back(x.exec_id);
  return result;
}

Ids all(const EndedExecutors& x) {
  Ids result;
  x.for_each([&](const auto& y) { result.push_back(y.exec_id); });
  return result;
}

Ids unheard(const EndedExecutors& x) {
  Ids result;
  x.for_each_unheard([&](const auto& y) { result.push_back(y.exec_id); });
  return result;
}

} // namespace

TEST_CASE("ends are counted", "[owners]") {
  EndedExecutors x;
  CHECK(x.next() == EndNumber{1});
  x.add(serving(7), true);
  CHECK(x.find(7)->end_number == 1);
  CHECK(x.next() == EndNumber{2});
  CHECK(x.find(8) == nullptr);
  x.set_count_ever(5);
  CHECK(x.next() == EndNumber{6});
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("the executors that ended last are kept", "[owners]") {
  EndedExecutors x;
  for (auto id : {3, 1, 2})
    x.add(serving(id), true);
  CHECK(x.forget(3).empty());
  CHECK(ids(x.forget(1)) == Ids{3, 1});
  CHECK(all(x) == Ids{2});
  CHECK(ids(x.forget(0)) == Ids{2});
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE(
    "the end of an instance is kept until its application has heard of it",
    "[owners]") {
  EndedExecutors x;
  for (auto id : {0, 1, 2})
    x.add(done(id, id), false);
  CHECK(x.forget(0).empty());
  CHECK(unheard(x) == Ids{0, 1, 2});
  x.heard({2});
  CHECK(unheard(x) == Ids{2});
  CHECK(ids(x.forget(0)) == Ids{0, 1});
  // It was overtaken by another one.
  x.heard({1});
  CHECK(unheard(x) == Ids{2});
  // Of what has not been there, nobody has heard.
  x.heard({1000});
  x.add(done(3, 3), false);
  CHECK(unheard(x) == Ids{3});
  CHECK(ids(x.forget(0)) == Ids{2});
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("a lost attempt is kept until its instance is done", "[owners]") {
  EndedExecutors x;
  x.add(lost(0, 4), true);
  x.add(lost(1, 4), true);
  x.add(lost(2, 5), true);
  x.add(done(3, 6), false);
  x.heard({4});
  CHECK(ids(x.forget(0)) == Ids{3});
  x.is_done(4);
  CHECK(ids(x.forget(0)) == Ids{0, 1});
  CHECK(all(x) == Ids{2});
  // They do not take the place of others.
  x.add(done(4, 7), false);
  x.heard({5});
  CHECK(x.forget(1).empty());
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("a good end that is known late is the last one", "[owners]") {
  EndedExecutors x;
  x.add(lost(0, 0), true);
  x.add(done(1, 1), false);
  x.heard({2});
  const auto& ended = x.set_ended_well(0, from_ms(5));
  CHECK(ended_well(ended));
  CHECK(ended.ended == from_ms(5));
  CHECK(ended.end_number == 3);
  CHECK(unheard(x) == Ids{0});
  CHECK(all(x) == Ids{1, 0});
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("one that comes back has not ended", "[owners]") {
  EndedExecutors x;
  x.add(lost(0, 0), true);
  CHECK(x.take(0).exec_id == 0);
  CHECK(x.size() == 0);
  x.add(lost(0, 0), true);
  CHECK(x.find(0)->end_number == 2);
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("ended executors are restored under their numbers", "[owners]") {
  EndedExecutors x;
  auto second = done(5, 0);
  second.end_number = 9;
  x.restore(second, false);
  CHECK(x.next() == EndNumber{10});
  // Of an older version, without a number.
  x.restore(lost(6, 1), true);
  CHECK(x.find(6)->end_number == 10);
  auto same = done(7, 2);
  same.end_number = 9;
  x.restore(same, false);
  CHECK(all(x) == Ids{5, 6, 7});
  x.restore(done(7, 2), false);
  CHECK(x.size() == 3);
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("ended executors are read from the last one on", "[owners]") {
  EndedExecutors x;
  for (auto id : {0, 1, 2})
    x.add(serving(id), true);
  Ids seen;
  x.for_each_from_last([&](const auto& y) {
    seen.push_back(y.exec_id);
    return seen.size() < 2;
  });
  CHECK(seen == Ids{2, 1});
}
