// What comes late over a connection that an application has left.

#include "scheduling/leadership/master_logic.hpp"
#include "tests/scheduling/leadership/played_master.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

TEST_CASE("how many executors an application wants does not count over a "
          "connection that it has left",
          "[leadership]") {
  Leader x;
  auto commit_all = [&] {
    while (x.logic.has_uncommitted())
      x.commit();
    (void)x.taken();
  };
  RegisterApplication application;
  application.driver = EndpointId{"d1"};
  application.description.command.arguments = {"run"};
  application.stamp = {1, 1};
  x.take(x.logic.hear(now, 2, application));
  commit_all();
  const auto& applications = x.logic.cluster().state().applications;
  auto app = [&]() -> const StoredApplication& {
    return applications.all().begin()->second.stored;
  };
  application.app_id = app().id;
  application.stamp = {1, 2};
  x.take(x.logic.hear(now, 3, application));
  x.take(x.logic.ask(now, 5, RequestExecutors{app().id, 7, {}}, {}, 3));
  commit_all();
  // The host may have forgotten the other connection.
  for (PeerNumber left : {2, 0}) {
    x.take(x.logic.ask(now, 6, RequestExecutors{app().id, 0, {}}, {}, left));
    CHECK(x.taken() == Words{"answer 6: not alive"});
    CHECK(app().executor_limit == 7);
  }
  // It is answered in its turn.
  x.take(x.logic.ask(now, 7, RequestExecutors{app().id, 8, {}}, {}, 3));
  x.take(x.logic.ask(now, 8, RequestExecutors{app().id, 0, {}}, {}, 2));
  CHECK(x.taken() == Words{"commit"});
  x.commit();
  CHECK(x.taken().back() == "answer 8: not alive");
}
