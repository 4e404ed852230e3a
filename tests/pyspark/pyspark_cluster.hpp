#pragma once

#include <string>
#include <vector>

#include "tests/cluster/cluster.hpp"

namespace stoker::test {

/// For what starts several JVMs, on two cores that others use, too.
inline constexpr std::chrono::seconds patience_with_jvms{600};

/// The versions of PySpark to test with, the oldest first. None, and it says so, if
/// they cannot be had here: without Java, or without the environments that
/// examples/pyspark/setup makes. The latter fails with CI=true.
std::vector<std::string> pyspark_versions();

/// A cluster of two workers that have all of these versions, and drivers of them.
struct PySparkCluster : Cluster {
  /// Starts nothing yet.
  explicit PySparkCluster(std::vector<std::string> versions);

  /// `--spark-port` and where masters and workers find the Sparks.
  [[nodiscard]] std::vector<std::string> master_options() const;
  [[nodiscard]] std::vector<std::string> worker_options() const;

  /// Starts it as one process, with workers of 3 cores and 3 GB.
  Process& start_all();

  /// Starts a master that leads, and another one that stands by, with ports of its own.
  struct Masters {
    Process& leader;
    Process& standby;
  };
  Masters start_leader_and_standby();

  /// Starts a worker of so many cores, with 1 GB for each, and waits until it has registered.
  /// @param words Further options.
  void add_worker(int cores, const std::vector<std::string>& words = {});

  /// Starts a driver with the `spark-submit` of that version.
  /// @param words Options, the program and its arguments.
  Process& submit(const std::string& version,
                  const std::vector<std::string>& words);

  /// The command line of that.
  [[nodiscard]] std::vector<std::string>
  submit_words(const std::string& version,
               const std::vector<std::string>& words) const;

  /// Starts a worker of Spark's own, of 2 cores and 2 GB. Its page is where it likes.
  Process& start_spark_worker(const std::string& version,
                              const std::vector<std::string>& words);

  /// Submits a program in Python in cluster mode (`--deploy-mode cluster`), as a jar with
  /// the class that runs one.
  /// @param program The file and its arguments.
  Process& submit_to_cluster(const std::string& version, bool by_rest,
                             const std::vector<std::string>& options,
                             const std::vector<std::string>& program);

  /// Makes a jar with a class that has a static method: `One.of(7)` returns "One 7".
  void make_jar(const std::string& version, const std::string& name,
                const std::string& jar);

  /// How `spark-submit --status ID`, or `--kill ID`, ends. They ask by REST only.
  int ask_about(const std::string& version, const std::string& option,
                const std::string& id);

  /// `spark://...`.
  [[nodiscard]] std::string spark_master() const;

  std::vector<std::string> versions;
  std::uint16_t spark_port = reserve_port();
  std::uint16_t rest_port = reserve_port();

  /// The Spark port of the master that stands by at first.
  std::uint16_t standby_spark_port = reserve_port();

private:
  int workers_added_ = 0;

  /// Options of `spark-submit`.
  [[nodiscard]] std::vector<std::string> talk_to_master(bool by_rest) const;
};

/// Waits until a program has written that, or has ended. Requires that it has written it.
void await_output(Process& driver, const std::string& words);

/// The only driver that the master knows, once it has that state.
boost::json::object driver_in(Cluster& cluster, const std::string& state);

/// The only application that has ended, once it has.
boost::json::object ended_application(Cluster& cluster);

/// A file of examples/pyspark.
std::string example(const std::string& name);

/// A file of this folder.
std::string program(const std::string& name);

} // namespace stoker::test
