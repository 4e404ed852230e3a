#include "gateway/spark_answers.hpp"

#include <vector>

#include <spdlog/spdlog.h>

#include "spark/java_view.hpp"

namespace stoker {

void log_refusal(SparkPeerSelf self, const std::string& what) {
  const auto& state = self->state;
  state.services->refusals->warn(to_string(state.connection->peer()) + ": "
                                 + what);
}

std::vector<const spark::VersionTable*>
tables_of(SparkPeerSelf self, const spark::JavaGraph& graph) {
  std::vector<spark::ClassId> ids;
  for (const auto& [name, id] : class_ids(graph))
    ids.push_back({name, id});
  auto choice = spark::choose_table(ids);
  if (choice.is_guess)
    spdlog::warn(
        "[spark-version-unknown] {} has a version of Spark that is not "
        "known; it is taken for {}",
        to_string(self->state.connection->peer()),
        choice.tables.front()->version());
  return choice.tables;
}

Result<SparkUser> user_behind(SparkPeerSelf self, const std::string& what) {
  const auto& connection = *self->state.connection;
  return user_of_peer(self->state.services->users, connection.owner(),
                      connection.peer(), what);
}

spark::RpcAddress rpc_address(const SocketAddress& x) {
  return {x.host, x.port};
}

} // namespace stoker
