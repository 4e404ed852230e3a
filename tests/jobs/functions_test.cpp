// What can be a function of a job, and by which name it is known.

#include "jobs/functions.hpp"
#include "jobs/narrow.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::jobs;

namespace {

struct Factor {
  int factor = 1;
  int operator()(int x) const {
    return x * factor;
  }
};
BOOST_DESCRIBE_STRUCT(Factor, (), (factor))

struct Undescribed {
  int factor = 1;
  int operator()(int x) const {
    return x * factor;
  }
};

int twice(int x) {
  return 2 * x;
}

void split(std::string_view text, Emit<std::string>& emit) {
  emit(std::string{text});
}

} // namespace

TEST_CASE("a function captures nothing, or says what it holds") {
  auto captured = 1;
  auto plain = [](int x) { return x; };
  auto generic = [](auto x) { return x; };
  auto by_value = [captured](int x) { return x + captured; };
  auto by_reference = [&captured](int x) { return x + captured; };
  CHECK(is_job_function<decltype(plain)>);
  CHECK(is_job_function<decltype(generic)>);
  CHECK(is_job_function<Factor>);
  CHECK(is_job_function<std::remove_cvref_t<decltype(fn<&twice>)>>);
  CHECK(is_job_function<decltype(named<"plain">(plain))>);
  CHECK(is_job_function<decltype(named<"factor">(Factor{}))>);
  CHECK(!is_job_function<decltype(by_value)>);
  CHECK(!is_job_function<decltype(by_reference)>);
  CHECK(!is_job_function<decltype(named<"value">(by_value))>);
  CHECK(!is_job_function<Undescribed>);
  CHECK(!is_job_function<decltype(&twice)>);
  CHECK(by_value(1) + by_reference(1) == 4);
}

TEST_CASE("what a function holds travels") {
  Factor other;
  CHECK(restore(state_of(Factor{7}), other));
  CHECK(other.factor == 7);
  auto name = named<"seven">(Factor{7});
  decltype(name) restored;
  CHECK(restore(state_of(name), restored));
  CHECK(restored(2) == 14);
  CHECK(!restore("x", other));
  CHECK(!restore(state_of(Factor{7}) + "x", other));
  auto nothing = fn<&twice>;
  CHECK(state_of(nothing).empty());
  CHECK(!restore("x", nothing));
}

TEST_CASE("what a function emits is known by its last parameter") {
  auto lambda = [](int, Emit<double>&) {};
  auto generic = [](auto, auto&) {};
  auto other = [](int x) { return x; };
  CHECK(std::is_same_v<EmittedBy<decltype(lambda)>, double>);
  CHECK(std::is_same_v<EmittedBy<decltype(named<"x">(lambda))>, double>);
  CHECK(std::is_same_v<EmittedBy<std::remove_cvref_t<decltype(fn<&split>)>>,
                       std::string>);
  CHECK(std::is_void_v<EmittedBy<decltype(generic)>>);
  CHECK(std::is_void_v<EmittedBy<decltype(other)>>);
}

TEST_CASE("functions of different types or names are different operators") {
  auto a = [](int x) { return x; };
  auto b = [](int x) { return x; };
  using A = Map<int, decltype(a)>;
  using B = Map<int, decltype(b)>;
  CHECK(A::name() != B::name());
  CHECK(A::name() != Filter<int, decltype(a)>::name());
  CHECK(Map<long, decltype(a)>::name() != A::name());
  CHECK(Map<int, decltype(named<"a">(a))>::name()
        == Map<int, decltype(named<"a">(b))>::name());
  CHECK(readable(Map<int, Factor>::name())
        == "map int (anonymous namespace)::Factor");
  CHECK(readable(Map<int, decltype(named<"shout">(a))>::name())
        == "map int shout");
}

TEST_CASE("two operators of one name are an error that says what to do") {
  OperatorTable table;
  auto a = [](int x) { return x; };
  auto b = [](int x) { return x; };
  using A = Map<int, decltype(named<"same">(a))>;
  using B = Map<int, decltype(named<"same">(b))>;
  table.add(A::name(), &detail::make_operator<A>);
  table.add(A::name(), &detail::make_operator<A>);
  CHECK(table.check());
  table.add(B::name(), &detail::make_operator<B>);
  auto status = table.check();
  REQUIRE(!status);
  CHECK(status.code() == Errc::in_use);
  CHECK(status.error().message
        == "this program has two functions of one name: 'map int same'; give "
           "one of "
           "them another, with stoker::jobs::named<\"...\">(function)");
}

TEST_CASE("an operator is known before anything runs") {
  auto name = registered<Map<int, Factor>>();
  CHECK(operators().find(name) != nullptr);
  CHECK(operators().find(name + "x") == nullptr);
}
