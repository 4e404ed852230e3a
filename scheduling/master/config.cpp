#include "scheduling/master/config.hpp"

#include "scheduling/common/application_heartbeat.hpp"

namespace stoker {

Status validate(const ClusterConfig& config) {
  if (config.default_cores && *config.default_cores <= 0)
    return invalid("spark.deploy.defaultCores must be greater than 0");
  if (config.max_drivers && *config.max_drivers < 0)
    return invalid("spark.deploy.maxDrivers must not be negative");
  if (config.reservation_timeout < Duration::zero())
    return invalid("stoker.reservation.timeout must not be negative");
  if (config.gang_reserve_after < Duration::zero())
    return invalid("stoker.gang.reserve.after must not be negative");
  if (config.worker_timeout <= Duration::zero())
    return invalid("spark.worker.timeout must be greater than 0");
  if (config.application_timeout < 2 * application_heartbeat_interval)
    return invalid("stoker.application.timeout must be at least 30s: "
                   "applications send a heartbeat every 15 s");
  if (config.reconnect_timeout < Duration::zero())
    return invalid("stoker.reconnect.timeout must not be negative");
  if (config.outage_timeout < Duration::zero())
    return invalid("stoker.outage.timeout must not be negative");
  if (config.worker_backoff < Duration::zero())
    return invalid("stoker.worker.backoff must not be negative");
  if (config.recovery_timeout < Duration::zero())
    return invalid("spark.deploy.recoveryTimeout must not be negative");
  if (config.submission_retention < Duration::zero())
    return invalid("stoker.deploy.submissionRetention must not be negative");
  if (config.recovery_silence < Duration::zero())
    return invalid("stoker.recovery.silence must not be negative");
  if (config.dead_worker_persistence < 0)
    return invalid("spark.dead.worker.persistence must not be negative");
  if (config.retained_applications < 0 || config.retained_drivers < 0
      || config.retained_executors < 0
      || config.retained_executors_of_ended < 0)
    return invalid("retained numbers must not be negative");
  return config.tenants ? validate(*config.tenants) : Status{};
}

} // namespace stoker
