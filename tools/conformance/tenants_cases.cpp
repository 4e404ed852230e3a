#include "tools/conformance/tenants_cases.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "messages/json.hpp"
#include "scheduling/master/cluster.hpp"
#include "scheduling/planning/waiting.hpp"
#include "tools/conformance/case_fields.hpp"

namespace stoker::conformance {

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

/// A word of a tenants file, as enumerators have it.
json::value enumerator(const json::value& x) {
  auto result = text(x);
  std::replace(result.begin(), result.end(), '-', '_');
  return json::value(result);
}

TenantsConfig tenants(const json::object& from) {
  const auto& policy = from.at("policy").as_object();
  allow(policy, {"accounting", "company_order", "user_order",
                 "application_order", "priorities", "cap_at_purchased",
                 "default_company", "default_cores", "hold_after"});
  json::object config{{"companies", from.at("companies")},
                      {"users", from.at("users")}};
  for (const auto& x : from.at("companies").as_array())
    allow(x.as_object(),
          {"name", "cores", "memory_mb", "max_cores", "max_memory_mb"});
  for (const auto& x : from.at("users").as_array())
    allow(x.as_object(), {"name", "company", "max_cores", "max_memory_mb",
                          "max_applications"});
  for (const auto& [key, value] : policy) {
    if (key == "accounting" || key.ends_with("_order"))
      config[key] = enumerator(value);
    else if (key == "default_cores")
      config["default_request_cores"] = value;
    else
      config[key] = value;
  }
  auto result = from_json<TenantsConfig>(config);
  if (auto valid = validate(result); !valid)
    throw std::invalid_argument{valid.error().message};
  return result;
}

ClusterConfig config(const json::object& from) {
  ClusterConfig result;
  result.tenants = tenants(from);
  // The worker sends no heartbeats.
  result.worker_timeout = 100'000h;
  return result;
}

/// A cluster of one worker. Applications have the case's names as their
/// endpoints.
class Run {
public:
  explicit Run(const json::object& from) : cluster_(config(from)) {
    step(ElectedLeader{});
    const auto& size = from.at("cluster").as_object();
    allow(size, {"cores", "memory_mb"});
    RegisterWorker worker;
    worker.id = WorkerId{"worker"};
    worker.worker = EndpointId{"worker"};
    worker.host = "worker";
    worker.cores = size.at("cores").to_number<int>();
    worker.memory_mb = size.at("memory_mb").to_number<std::int64_t>();
    for (const auto& effect : step(worker))
      if (const auto* x = std::get_if<Send>(&effect))
        if (const auto* y = std::get_if<RegisterWorkerFailed>(&x->message))
          throw std::invalid_argument{y->message};
  }

  /// Applies one event and tells who is admitted then.
  json::value play(const json::object& event) {
    allow(event, {"submit", "end"});
    if (event.size() != 1)
      throw std::invalid_argument{"an event is either submit or end"};
    now_ += 10ms;
    if (const auto* x = event.if_contains("submit")) {
      if (!submit(x->as_object()))
        return "refused";
    } else if (!end(text(event.at("end")))) {
      return "none";
    }
    return admitted();
  }

private:
  OutgoingMessages step(const Event& what) {
    return cluster_.step(now_, what).messages;
  }

  /// Returns whether the application was taken.
  bool submit(const json::object& x) {
    allow(x, {"app", "user", "cores", "memory_per_core_mb"});
    auto name = text(x.at("app"));
    if (apps_.contains(name))
      throw std::invalid_argument{"submitted twice: " + name};
    RegisterApplication message;
    message.driver = EndpointId{name};
    auto& description = message.description;
    description.name = name;
    description.user = text(x.at("user"));
    description.command.arguments = {"executor"};
    description.cores_per_executor = 1;
    description.memory_per_executor_mb
        = x.at("memory_per_core_mb").to_number<std::int64_t>();
    description.max_cores = x.at("cores").to_number<int>();
    auto& id = apps_[name];
    for (const auto& effect : step(message))
      if (const auto* sent = std::get_if<Send>(&effect))
        if (const auto* accepted
            = std::get_if<RegisteredApplication>(&sent->message))
          id = accepted->app_id;
    return id.has_value();
  }

  /// Returns whether the application was taken when it came.
  bool end(const std::string& name) {
    auto i = apps_.find(name);
    if (i == apps_.end())
      throw std::invalid_argument{"not submitted: " + name};
    if (i->second)
      (void)step(UnregisterApplication{*i->second});
    return i->second.has_value();
  }

  json::value admitted() const {
    auto queues = stoker::queues(cluster_.state(), now_);
    if (queues.admitted_in_all
        != static_cast<std::int64_t>(queues.admitted.size()))
      throw std::invalid_argument{"more applications are admitted at once than "
                                  "Stoker names"};
    std::vector<std::string> names;
    for (const auto& x : queues.admitted)
      names.push_back(x.name);
    std::sort(names.begin(), names.end());
    return to_json(names);
  }

  Cluster cluster_;
  Instant now_;

  /// All that were submitted; those without an id were refused.
  std::map<std::string, std::optional<AppId>> apps_;
};

} // namespace

boost::json::value admissions(const boost::json::value& original) {
  const auto& from = original.as_object();
  allow(from, {"id", "policy", "cluster", "companies", "users", "events",
               "expect", "note"});
  Run run{from};
  json::array expect;
  for (const auto& event : from.at("events").as_array())
    expect.push_back(run.play(event.as_object()));
  return json::object{{"id", from.at("id")}, {"expect", std::move(expect)}};
}

} // namespace stoker::conformance
