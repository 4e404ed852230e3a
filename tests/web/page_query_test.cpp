// What is not understood of the address of a page.

#include "web/page_query.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

std::string problem_of(const std::string& target) {
  INFO(target);
  auto address = parse_page_address(target);
  REQUIRE(address);
  return query_problem(target, *address);
}

} // namespace

TEST_CASE("what a page knows of its query is understood", "[web]") {
  for (const auto* x :
       {"/", "/workers", "/workers?page=2", "/applications?state=ended&page=2",
        "/applications?state=", "/applications/app-1?page=1",
        "/drivers?page=1&user=ann&name=x", "/events?of=&page=2",
        "/plan?executors=2&executor-cores=x",
        "/history?kind=foo&state=failed&since=2h&after=3", "/jobs?", "/queues"})
    CHECK(problem_of(x).empty());
}

TEST_CASE("what an output does not know of its query is told", "[web]") {
  for (const auto* x : {"", "follow=1", "tail=1000&follow=0", "portion=last"})
    CHECK(output_query_problem(x).empty());
  auto [query, problem] = GENERATE(table<std::string, std::string>(
      {{"tail=abc", "tail is 'abc', which is not a number of bytes"},
       {"tail=-1", "tail is '-1', which is not a number of bytes"},
       {"tail=99999999999999999999",
        "tail is '99999999999999999999', which is not a number of bytes"},
       {"follow=2", "follow is '2': it can be 0 or 1"},
       {"tail=1&tail=2", "tail: it is given more than once"},
       {"foo=1", "there is no 'foo' to set for an output: there are follow, "
                 "tail, portion"}}));
  CHECK(output_query_problem(query) == problem);
}

TEST_CASE("what a page does not know of its query is told", "[web]") {
  auto [target, problem] = GENERATE(table<std::string, std::string>(
      {{"/queues?x=1", "there is no 'x' to set on this page: nothing is"},
       {"/workers?state=ended",
        "there is no 'state' to set on this page: only page is"},
       {"/applications/app-1?x=1",
        "there is no 'x' to set on this page: only page is"},
       {"/plan?cores=4",
        "there is no 'cores' to set on this page: there are workers, "
        "worker-cores, worker-memory, executors, executor-cores, "
        "executor-memory, user, driver-cores, driver-memory, driver-user, "
        "remove-worker, end-app, end-driver"},
       {"/applications?state=foo",
        "state is 'foo': it can be 'ended', or be left out"},
       {"/workers?page=-1", "page is '-1', which is not a number above 0"},
       {"/workers?page=0", "page is '0', which is not a number above 0"},
       {"/workers?page=%", "page is '%...', which is not a number above 0"},
       {"/drivers?page=1&page=2", "page: it is given more than once"},
       {"/applications?user=a&user=b", "user: it is given more than once"},
       {"/history?since=1h&since=2h", "since: it is given more than once"},
       {"/events?of=a&of=a", "of: it is given more than once"},
       {"/plan?executors=1&executors=2",
        "executors: it is given more than once"},
       {"/drivers?user", "user: it has no value, as user=..."},
       {"/drivers?name=%zz", "name: in its value, '%' has no two hexadecimal "
                             "digits after it"}}));
  CHECK(problem_of(target) == problem);
}
