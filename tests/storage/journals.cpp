#include "tests/storage/journals.hpp"

namespace stoker::test {

namespace {

std::string few(const char* kind, Random& random) {
  return kind + std::to_string(random.below(4));
}

template <class Record>
Record filled(Random& random) {
  Record x;
  fill(x, random);
  return x;
}

template <class Record>
Record with_id(const std::string& id, Random& random) {
  auto x = filled<Record>(random);
  x.id.value = id;
  return x;
}

Change erase(Random& random) {
  AppId app{few("app-", random)};
  switch (random.below(7)) {
  case 5:
    return EraseInstancesOf{app};
  case 0:
    return EraseWorker{{few("worker-", random)}, {}};
  case 1:
    return EraseApplication{app};
  case 2:
    return EraseExecutor{{app, static_cast<int>(random.below(3))}};
  case 3:
    return EraseExecutorsOf{app};
  case 4:
    return EraseDriver{{few("driver-", random)}};
  default:
    return EraseUser{few("user-", random)};
  }
}

} // namespace

Change random_change(Random& random) {
  switch (random.below(13)) {
  case 0:
    return with_id<StoredWorker>(few("worker-", random), random);
  case 1:
    return with_id<StoredApplication>(few("app-", random), random);
  case 2:
  case 3: {
    auto x = filled<StoredExecutor>(random);
    x.app_id.value = few("app-", random);
    x.exec_id = static_cast<int>(random.below(3));
    return x;
  }
  case 4:
    return with_id<StoredDriver>(few("driver-", random), random);
  case 5: {
    auto x = filled<StoredCompany>(random);
    x.name = few("company-", random);
    return x;
  }
  case 6: {
    auto x = filled<StoredUser>(random);
    x.name = few("user-", random);
    return x;
  }
  case 7:
    return filled<StoredCounters>(random);
  case 8:
    return filled<ClusterConfig>(random);
  case 9:
  case 10: {
    auto x = filled<StoredInstance>(random);
    x.app_id.value = few("app-", random);
    x.index = static_cast<int>(random.below(3));
    return x;
  }
  default:
    return erase(random);
  }
}

} // namespace stoker::test
