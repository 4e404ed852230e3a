#pragma once

// What programs are asked to be and need of a worker, and which of them a worker
// runs.

#include <string>
#include <vector>

#include "messages/descriptions.hpp"
#include "messages/result.hpp"
#include "scheduling/placement/requirements.hpp"

namespace stoker {

/// Whether the command can be started where its kind of programs runs, or can once its
/// version of Spark is known; if not, what is wrong. @param whose "application", "driver"
[[nodiscard]] Status validate(const Command& x, const std::string& whose);

/// Whether the kernel can pass them to a program; if not, what is wrong.
[[nodiscard]] Status validate_arguments(const std::vector<std::string>& x);

/// Whether a driver can be reached there; if not, what is wrong.
[[nodiscard]] Status validate(const SparkDriver& x);

/// Take out what may be secret, when nothing is started from it any more.
void forget_secrets(ApplicationDescription& x);
void forget_secrets(DriverDescription& x);

// -- where they run -----------------------------------------------------------
// Of a version of Spark that is not known, or cannot be read, no worker has the release.

/// Of an executor.
[[nodiscard]] Requirements requirements_of(const ApplicationDescription& x);

/// Of the driver itself.
[[nodiscard]] Requirements requirements_of(const DriverDescription& x);

/// Of the executors that it cannot do without, which are programs of its kind.
/// @pre `x.executors`
[[nodiscard]] Requirements
requirements_of_executors(const DriverDescription& x);

/// What a worker runs that has these versions of Spark.
/// @return Errc::invalid_request, with what is wrong
[[nodiscard]] Result<ProgramKinds>
program_kinds(const std::vector<std::string>& spark_versions, bool only_spark);

} // namespace stoker
