#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <caf/typed_event_based_actor.hpp>

#include "actors/interfaces.hpp"
#include "scheduling/master/events.hpp"

namespace stoker::test {

/// What a fake master has heard, and what it answers.
struct MasterRecord {
  /// Everything that is an event, in order.
  std::vector<Event> events;
  std::vector<ReportJobs> reports;
  std::vector<RequestOutput> output_requests;
  std::vector<FetchFilePart> fetches;

  /// What is answered to each.
  FilePart file_part;

  std::vector<WriteInput> inputs;

  /// How a piece of input is answered; empty: as `input_response` says.
  std::function<InputResponse(const WriteInput&)> on_input;

  /// Who sent the last one.
  caf::strong_actor_ptr peer;

  /// Whether requests are answered. Those that are not stay open.
  bool answers = true;

  /// What makes requests fail, if anything.
  caf::error error;

  template <class T>
  [[nodiscard]] std::vector<T> heard() const {
    std::vector<T> result;
    for (const auto& x : events)
      if (const auto* y = std::get_if<T>(&x))
        result.push_back(*y);
    return result;
  }
};

using Record = std::shared_ptr<MasterRecord>;

/// Records what it hears, and decides nothing.
MasterActor::behavior_type fake_master(MasterActor::pointer self,
                                       Record record);

/// What a scripted connector does when it is asked for a master.
struct ConnectorScript {
  /// The masters by number; a null handle cannot be reached.
  std::vector<MasterActor> masters;

  /// Why it cannot.
  std::string failure = "connection refused";
  Errc failure_code = Errc::not_alive;

  /// Which were asked for.
  std::vector<std::size_t> asked;

  /// Says nothing at all, as a firewall that drops packets.
  bool silent = false;
};

ConnectorActor::behavior_type
scripted_connector(ConnectorActor::pointer self,
                   std::shared_ptr<ConnectorScript> script);

} // namespace stoker::test
