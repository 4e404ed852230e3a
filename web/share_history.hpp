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

  /// So many companies have a line: those that have used most. The others are added up.
  static constexpr std::size_t companies_max = 12;

  struct Sample {
    Instant at;

    /// By company; one that is not there used none. Users of no company count for the empty
    /// name, and all where there are no companies.
    std::map<std::string, int> cores;
  };

  /// What one company has used, or several.
  struct Line {
    std::string name;

    /// Of each sample.
    std::vector<int> cores;
  };

  /// What people are shown.
  struct Lines {
    /// In the order of the tenants file, and last what others have used.
    std::vector<Line> lines;

    std::size_t companies_in_all = 0;

    /// Companies that have no line of their own.
    std::size_t companies_added_up = 0;
  };

  /// Takes a sample.
  void look(const ClusterCopy& cluster, Instant now);

  /// How long it is until the next one may be taken.
  [[nodiscard]] Duration wait(Instant now) const;

  [[nodiscard]] const std::vector<Sample>& samples() const {
    return samples_;
  }

  /// Nothing, as long as there is no sample.
  [[nodiscard]] Lines lines() const;

private:
  Duration interval_ = first_interval;
  std::vector<Sample> samples_;

  /// As in the tenants file when the last sample was taken.
  std::vector<std::string> companies_;
};

} // namespace stoker
