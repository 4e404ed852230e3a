#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "messages/instant.hpp"
#include "web/cluster_copy.hpp"

namespace stoker {

/// How many cores each company has used over time, or the cluster where there are no
/// companies. Samples are taken when something has changed, a few seconds apart; when there
/// are too many, every second one goes, and they are taken half as often.
class ShareHistory {
public:
  static constexpr std::size_t samples_max = 600;
  static constexpr Duration first_interval = std::chrono::seconds{2};

  /// The first companies of the tenants file; the others are added up.
  static constexpr std::size_t companies_max = 12;

  struct Sample {
    Instant at;

    /// By company.
    std::map<std::string, int> cores;
  };

  /// Takes a sample.
  void look(const ClusterCopy& cluster, Instant now);

  /// How long it is until the next one may be taken.
  [[nodiscard]] Duration wait(Instant now) const;

  [[nodiscard]] const std::vector<Sample>& samples() const {
    return samples_;
  }

private:
  Duration interval_ = first_interval;
  std::vector<Sample> samples_;
};

} // namespace stoker
