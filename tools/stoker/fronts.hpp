#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "embedding/stop_signal.hpp"
#include "tools/stoker/master_options.hpp"

namespace stoker {

/// What others than Stoker's own programs connect to: the ports of a master for Spark's
/// programs, for pages and for submissions over HTTP. For one thread.
///
/// A default port that another process of this user or of root has is opened as soon as that
/// one is gone: it may be the leader that this master stands by for. Programs look for a master
/// at default ports, so a master does not start where another user's process has one.
class Fronts {
public:
  struct Services {
    ActorNetwork* network = nullptr;
    MasterActor master;
    FeedActor feed;

    /// As "stoker://127.0.0.1:7070".
    std::string master_url;
    std::shared_ptr<MasterMetrics> metrics;
  };

  /// @param options outlive this
  Fronts(const MasterOptions& options, Services services);

  Fronts(const Fronts&) = delete;
  Fronts& operator=(const Fronts&) = delete;

  /// Opens all ports that there are to be. Where this user or root has a default one, a warning
  /// says so. To be called once.
  /// @throws CommandError
  void open();

  /// As "spark://127.0.0.1:7077"; empty: that port is not open.
  [[nodiscard]] std::string spark_url() const;

  /// Waits for a signal and returns its number. Meanwhile opens default ports that become
  /// free.
  int wait(const StopSignal& stop);

private:
  struct Port {
    std::string host;
    std::uint16_t number = 0;
    bool is_default = false;

    /// Which option chooses another port.
    const char* option = nullptr;

    /// Opens it, and tells that it is open.
    std::function<Status()> open;

    /// Tells that another process has it.
    void (*warn)(const std::string& why) = nullptr;

    /// A process of another user has it, and that was told.
    bool is_foreign = false;
  };

  void open(Port x);
  void open_missing();

  /// Logs once that a process of another user has taken a port which is missing.
  static void look_for_others(Port& x);

  /// Logs that a process of another user has the port at the IPv6 address of "localhost", which
  /// programs try first.
  static void look_at_name(const Port& x);
  Status open_pages();
  Status open_submissions();
  Status open_spark();

  const MasterOptions& options_;
  Services services_;
  std::unique_ptr<SparkGateway> spark_;
  std::unique_ptr<WebServer> web_;

  /// Once they are open.
  std::string pages_url_;
  std::string submissions_url_;
  std::vector<Port> missing_;
};

} // namespace stoker
