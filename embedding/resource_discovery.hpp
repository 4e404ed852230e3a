#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/named_resources.hpp"
#include "messages/result.hpp"

namespace stoker {

/// Where a worker learns which named resources its machine has, as for Spark's
/// workers.
struct ResourceDiscovery {
  struct Kind {
    /// How many to offer, of those that are found
    /// [spark.worker.resource.NAME.amount].
    std::optional<int> amount;

    /// A program that prints `{"name": "gpu", "addresses": ["0", "1"]}`
    /// [spark.worker.resource.NAME.discoveryScript].
    std::string script;

    /// Given by hand (`--resource gpu=0,1`); unset: not.
    std::optional<std::vector<std::string>> addresses;
  };

  std::map<std::string, Kind> kinds;

  /// A file with a list of `{"id": {"componentName": "spark.worker",
  /// "resourceName": "gpu"}, "addresses": ["0", "1"]}`
  /// [spark.worker.resourcesFile].
  std::string file;
};

/// Reads the file and runs the scripts, each of which has to end in time. What is given
/// by hand wins over the file, and the file over a script. Returns what there
/// is.
Result<ResourceAddresses>
discover_resources(const ResourceDiscovery& plan,
                   std::chrono::seconds script_patience
                   = std::chrono::seconds{30});

/// Returns true if the file names resources that are not given by hand, or cannot be
/// understood.
bool offers_of_file(const ResourceDiscovery& plan);

/// `gpu=0,1` into `plan`.
Status add_resource_by_hand(const std::string& text, ResourceDiscovery& plan);

/// `gpu=2`, as `run` and `submit` take it, into `amounts`.
Status add_resource_amount(const std::string& text, ResourceAmounts& amounts);

} // namespace stoker
