// The memory that all peers share for messages which are not complete.

#include "network/frame_budget.hpp"

#include <vector>

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

constexpr std::size_t budget_bytes = 1000;
constexpr std::size_t own_buffers = FrameBudget::free_bytes;

struct BudgetFixture {
  std::shared_ptr<FrameBudget> budget
      = std::make_shared<FrameBudget>(budget_bytes);
  std::vector<std::string> closed;

  std::unique_ptr<FrameBudget::Share> open(const std::string& peer,
                                           const std::string& name) {
    return budget->open(peer, [this, name] { closed.push_back(name); });
  }
};

} // namespace

TEST_CASE_METHOD(BudgetFixture,
                 "a frame budget closes the largest connection of the largest "
                 "peer when it is used up",
                 "[door]") {
  auto node = open("node", "node");
  auto small = open("user", "small");
  auto large = open("user", "large");
  CHECK(node->hold(own_buffers + 500));
  CHECK(small->hold(own_buffers + 200));
  CHECK(large->hold(own_buffers + 300));
  CHECK(budget->used() == budget_bytes);
  CHECK(closed.empty());
  // The user has as much as the node, and then more.
  CHECK(small->hold(own_buffers + 250));
  CHECK(closed == std::vector<std::string>{"large"});
  CHECK(budget->used() == 750);
  CHECK_FALSE(large->hold(own_buffers + 1));
  CHECK(node->hold(own_buffers + 500));
}

TEST_CASE_METHOD(BudgetFixture,
                 "a frame budget refuses a connection that is the largest "
                 "itself",
                 "[door]") {
  auto one = open("user", "one");
  CHECK_FALSE(one->hold(own_buffers + budget_bytes + 1));
  CHECK(closed.empty());
  CHECK(budget->used() == 0);
}

TEST_CASE_METHOD(BudgetFixture,
                 "a frame budget counts nothing of a connection that keeps to "
                 "its own buffers, or has closed",
                 "[door]") {
  auto one = open("user", "one");
  CHECK(one->hold(own_buffers));
  CHECK(budget->used() == 0);
  CHECK(one->hold(own_buffers + budget_bytes));
  CHECK(budget->used() == budget_bytes);
  one.reset();
  CHECK(budget->used() == 0);
  CHECK(open("user", "two")->hold(own_buffers + budget_bytes));
}
