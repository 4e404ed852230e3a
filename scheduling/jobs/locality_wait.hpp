#pragma once

#include <algorithm>
#include <optional>

#include "scheduling/common/instant.hpp"
#include "scheduling/common/wake_up.hpp"
#include "scheduling/jobs/jobs_config.hpp"

namespace stoker {

/// How near to its place a task runs.
enum class Locality { process, host, any };

/// Delay scheduling: how far from their places a stage's tasks may run by now. A slot
/// stays free for them for the configured times, and once in a stage: after that, its
/// tasks go wherever there is room. (Spark begins anew whenever one ran at its place,
/// and then leaves slots free for as long as others run tasks (SPARK-18886).)
class LocalityWait {
public:
  /// What the pending tasks have.
  struct Wanted {
    bool process = false;
    bool host = false;
  };

  [[nodiscard]] Locality allowed(Instant now, const JobsConfig& config,
                                 Wanted wanted) const {
    auto waited = since_ ? now - *since_ : Duration{};
    if (wanted.process && waited < config.wait_for_process)
      return Locality::process;
    auto before = wanted.process ? config.wait_for_process : Duration{};
    return wanted.host && waited < before + config.wait_for_host
               ? Locality::host
               : Locality::any;
  }

  /// A slot stays free because of that.
  void refused(Instant now) {
    if (!since_)
      since_ = now;
  }

  /// There are places that were not there before.
  void begin_again() {
    since_.reset();
  }

  /// When tasks may go further from their places.
  [[nodiscard]] std::optional<Instant> next(Instant now,
                                            const JobsConfig& config) const {
    std::optional<Instant> result;
    if (since_)
      for (auto wait : {config.wait_for_process, config.wait_for_host,
                        config.wait_for_process + config.wait_for_host})
        if (*since_ + wait > now)
          result = earlier(result, *since_ + wait);
    return result;
  }

private:
  std::optional<Instant> since_;
};

} // namespace stoker
