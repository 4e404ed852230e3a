#pragma once

// Resources besides cores and memory that a machine has a number of, as GPUs.
// Each one has an address, and is given to one executor or driver at a time.

#include <map>
#include <string>
#include <vector>

namespace stoker {

/// How many of each are wanted: "gpu" -> 2. Amounts are positive
/// [spark.executor.resource.gpu.amount].
using ResourceAmounts = std::map<std::string, int>;

/// Which ones: "gpu" -> {"0", "3"}. An address means something to programs on
/// that machine only.
using ResourceAddresses = std::map<std::string, std::vector<std::string>>;

} // namespace stoker
