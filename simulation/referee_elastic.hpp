#pragma once

#include <optional>
#include <string>

namespace stoker::simulation {

class ApplicationProcess;
class MasterProcess;

/// In what an application and its leader do not agree, if it is elastic: how many
/// executors it wants, which it has, and which are to end.
[[nodiscard]] std::optional<std::string>
disagreement_of(const ApplicationProcess& process, const MasterProcess& leader);

/// What an elastic application has that it has no use for, or what is not yet as its
/// leader has it. Nothing: its load is over, and it has its least number of executors, or
/// as many as there is room for.
[[nodiscard]] std::optional<std::string>
unrest_of(const ApplicationProcess& process, const MasterProcess& leader);

} // namespace stoker::simulation
