// Runs `echo` on two instances, on a cluster inside this program.

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <spdlog/spdlog.h>

#include "embedding/application_run.hpp"
#include "embedding/local_cluster.hpp"

class Printer : public stoker::RunObserver {
  void output(int index, bool, std::string_view data) override {
    std::cout << index << ": " << data;
  }
};

int main() {
  // Standard output is for what the instances write.
  spdlog::set_level(spdlog::level::warn);
  stoker::ActorNetwork network;
  stoker::LocalClusterConfig config;
  config.workers = 2;
  config.supervisor = STOKER_PROGRAM;
  config.worker.work_directory = std::filesystem::absolute("embed-work");
  auto cluster = stoker::LocalCluster::start(network, config);
  if (!cluster) {
    std::cerr << "embed: " << cluster.error().message << '\n';
    return EXIT_FAILURE;
  }
  stoker::ApplicationDescription app;
  app.name = "echo";
  app.command.arguments = {"echo", "hello from an instance"};
  app.instances = stoker::Instances{2};
  app.cores_per_executor = 1;
  app.memory_per_executor_mb = 64;
  Printer printer;
  stoker::ApplicationRun run{
      network, (*cluster)->connector(), app, {}, printer};
  return run.wait().exit_status;
}
