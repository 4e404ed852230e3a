#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "messages/describe.hpp"

namespace stoker {

/// A name of one kind of thing. A strong type: a worker's id cannot be passed
/// where an application's is expected. The text is free of form, since peers
/// choose their own; what Stoker makes looks as in Spark.
template <class Tag>
struct Id {
  std::string value;

  friend auto operator<=>(const Id&, const Id&) = default;

  template <class Inspector>
  friend auto inspect(Inspector& f, Id& x) {
    return f(x.value);
  }
};

template <class Tag>
const std::string& to_string(const Id<Tag>& x) {
  return x.value;
}

/// `worker-20261121074600-HOST-PORT`; chosen by the worker.
using WorkerId = Id<struct WorkerTag>;

/// `app-20261121074600-0001`; chosen by the master.
using AppId = Id<struct AppTag>;

/// `driver-20261121074600-0001`; chosen by the master.
using DriverId = Id<struct DriverTag>;

/// Where a peer can be spoken to, for as long as its process lives. The core
/// names peers by it, never by an actor's handle, so that events can be logged,
/// stored and replayed; the Master actor knows which connection it means.
using EndpointId = Id<struct EndpointTag>;

/// Executors count up from 0 in each application; numbers are not used again.
struct ExecutorId {
  AppId app_id;
  int exec_id = 0;

  friend auto operator<=>(const ExecutorId&, const ExecutorId&) = default;
};
BOOST_DESCRIBE_STRUCT(ExecutorId, (), (app_id, exec_id))

/// `app-20261121074600-0001/0`, as the command line shows and takes it.
inline std::string to_string(const ExecutorId& x) {
  return x.app_id.value + '/' + std::to_string(x.exec_id);
}

} // namespace stoker

template <class Tag>
struct std::hash<stoker::Id<Tag>> {
  std::size_t operator()(const stoker::Id<Tag>& x) const noexcept {
    return std::hash<std::string>{}(x.value);
  }
};
