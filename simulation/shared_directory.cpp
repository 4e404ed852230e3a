#include "simulation/shared_directory.hpp"

#include <algorithm>

namespace stoker::simulation {

namespace {

template <class Key, class Record>
std::vector<Record> all_of(const std::map<Key, Record>& records) {
  std::vector<Record> result;
  for (const auto& [key, record] : records)
    result.push_back(record);
  if constexpr (requires(const Record& x) { x.number; })
    std::sort(result.begin(), result.end(),
              [](const auto& a, const auto& b) { return a.number < b.number; });
  return result;
}

} // namespace

Status SharedDirectory::check() const {
  if (fault)
    return Error{*fault, "the simulated disk fails"};
  return {};
}

Result<Leadership> SharedDirectory::lead() {
  if (auto status = check(); !status)
    return std::move(status).error();
  ++epoch_.value;
  return Leadership{epoch_, load()};
}

StoredState SharedDirectory::load() const {
  return {config_,
          counters_,
          all_of(workers_),
          all_of(applications_),
          all_of(executors_),
          all_of(drivers_),
          all_of(companies_),
          all_of(users_)};
}

Status SharedDirectory::commit(LeaderEpoch by, const Changes& changes) {
  if (by != epoch_)
    return Error{Errc::fenced, "another leader has begun"};
  if (auto status = check(); !status)
    return status;
  ++commits_;
  for (const auto& change : changes)
    std::visit([this](const auto& x) { apply(x); }, change);
  return {};
}

void SharedDirectory::apply(const StoredWorker& x) {
  workers_[x.id] = x;
}
void SharedDirectory::apply(const StoredApplication& x) {
  applications_[x.id] = x;
}
void SharedDirectory::apply(const StoredExecutor& x) {
  executors_[{x.app_id, x.exec_id}] = x;
}
void SharedDirectory::apply(const StoredDriver& x) {
  drivers_[x.id] = x;
}
void SharedDirectory::apply(const StoredCompany& x) {
  companies_[x.name] = x;
}
void SharedDirectory::apply(const StoredUser& x) {
  users_[x.name] = x;
}
void SharedDirectory::apply(const StoredCounters& x) {
  counters_ = x;
}
void SharedDirectory::apply(const ClusterConfig& x) {
  config_ = x;
}
void SharedDirectory::apply(const EraseWorker& x) {
  workers_.erase(x.id);
}
void SharedDirectory::apply(const EraseApplication& x) {
  applications_.erase(x.id);
}
void SharedDirectory::apply(const EraseExecutor& x) {
  executors_.erase(x.id);
}
void SharedDirectory::apply(const EraseExecutorsOf& x) {
  std::erase_if(executors_,
                [&](const auto& y) { return y.first.app_id == x.app_id; });
}
void SharedDirectory::apply(const EraseDriver& x) {
  drivers_.erase(x.id);
}
void SharedDirectory::apply(const EraseUser& x) {
  users_.erase(x.name);
}

} // namespace stoker::simulation
