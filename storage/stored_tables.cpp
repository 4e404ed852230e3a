#include "storage/stored_tables.hpp"

#include <algorithm>
#include <limits>
#include <variant>

namespace stoker {

namespace {

template <class Key, class Record>
std::vector<Record> records(const std::map<Key, Record>& table) {
  std::vector<Record> result;
  result.reserve(table.size());
  for (const auto& [key, record] : table)
    result.push_back(record);
  return result;
}

template <class Key, class Record>
std::vector<Record> by_number(const std::map<Key, Record>& table) {
  auto result = records(table);
  std::stable_sort(
      result.begin(), result.end(),
      [](const auto& a, const auto& b) { return a.number < b.number; });
  return result;
}

} // namespace

StoredTables::StoredTables(const StoredState& state) {
  if (state.config)
    put(*state.config);
  put(state.counters);
  auto put_all = [&](const auto& xs) {
    for (const auto& x : xs)
      put(x);
  };
  put_all(state.workers);
  put_all(state.applications);
  put_all(state.instances);
  put_all(state.executors);
  put_all(state.drivers);
  put_all(state.companies);
  put_all(state.users);
}

void StoredTables::apply(const Change& change) {
  std::visit([this](const auto& x) { put(x); }, change);
}

void StoredTables::apply(const Changes& changes) {
  for (const auto& x : changes)
    apply(x);
}

StoredState StoredTables::snapshot() const {
  StoredState result;
  result.config = config_;
  result.counters = counters_;
  result.workers = by_number(workers_);
  result.applications = by_number(applications_);
  result.instances = records(instances_);
  result.executors = records(executors_);
  result.drivers = by_number(drivers_);
  result.companies = records(companies_);
  result.users = records(users_);
  return result;
}

void StoredTables::put(const StoredWorker& x) {
  workers_.insert_or_assign(x.id, x);
}

void StoredTables::put(const StoredApplication& x) {
  applications_.insert_or_assign(x.id, x);
}

void StoredTables::put(const StoredInstance& x) {
  instances_.insert_or_assign({x.app_id, x.index}, x);
}

void StoredTables::put(const StoredExecutor& x) {
  executors_.insert_or_assign(ExecutorId{x.app_id, x.exec_id}, x);
}

void StoredTables::put(const StoredDriver& x) {
  drivers_.insert_or_assign(x.id, x);
}

void StoredTables::put(const StoredCompany& x) {
  companies_.insert_or_assign(x.name, x);
}

void StoredTables::put(const StoredUser& x) {
  users_.insert_or_assign(x.name, x);
}

void StoredTables::put(const StoredCounters& x) {
  counters_ = x;
}

void StoredTables::put(const ClusterConfig& x) {
  config_ = x;
}

void StoredTables::put(const EraseWorker& x) {
  workers_.erase(x.id);
}

void StoredTables::put(const EraseApplication& x) {
  applications_.erase(x.id);
}

void StoredTables::put(const EraseInstancesOf& x) {
  instances_.erase(
      instances_.lower_bound({x.app_id, std::numeric_limits<int>::min()}),
      instances_.upper_bound({x.app_id, std::numeric_limits<int>::max()}));
}

void StoredTables::put(const EraseExecutor& x) {
  executors_.erase(x.id);
}

void StoredTables::put(const EraseExecutorsOf& x) {
  auto first = executors_.lower_bound(
      ExecutorId{x.app_id, std::numeric_limits<int>::min()});
  auto last = first;
  while (last != executors_.end() && last->first.app_id == x.app_id)
    ++last;
  executors_.erase(first, last);
}

void StoredTables::put(const EraseDriver& x) {
  drivers_.erase(x.id);
}

void StoredTables::put(const EraseUser& x) {
  users_.erase(x.name);
}

} // namespace stoker
