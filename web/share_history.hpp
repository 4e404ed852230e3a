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
  /// In the order in which they were first seen.
  using CompanyNumber = std::uint32_t;

  static constexpr std::size_t samples_max = 600;
  static constexpr Duration first_interval = std::chrono::seconds{2};

  /// So many companies have a line: those that have used most. The others are added up.
  static constexpr std::size_t companies_max = 12;

  /// So many are told apart in a sample: those that use most then.
  static constexpr std::size_t companies_told_apart_max = 100;

  struct Sample {
    Instant at;

    /// Of all applications.
    int cores = 0;

    /// By company, of those that are told apart and use any.
    std::map<CompanyNumber, int> by_company;
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

  /// Takes a sample. What it costs depends on what runs and on the companies that there are.
  void look(const ClusterCopy& cluster, Instant now);

  /// How long it is until the next one may be taken.
  [[nodiscard]] Duration wait(Instant now) const;

  [[nodiscard]] const std::vector<Sample>& samples() const {
    return samples_;
  }

  /// Nothing, as long as there is no sample.
  [[nodiscard]] const Lines& lines() const {
    return lines_;
  }

private:
  [[nodiscard]] CompanyNumber number_of(const std::string& company);
  [[nodiscard]] Lines make_lines() const;

  Duration interval_ = first_interval;
  std::vector<Sample> samples_;
  std::map<std::string, CompanyNumber> numbers_;

  /// As in the tenants file when the last sample was taken.
  std::vector<std::string> companies_;

  /// Of the samples that there are.
  Lines lines_;
};

} // namespace stoker
