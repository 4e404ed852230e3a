// What an error suggests: a word that is spelt alike, what was probably meant, how to begin.

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

/// Words, and what is said of them.
struct Slip {
  std::vector<std::string> words;
  std::string reason;
};

/// A place where no master listens.
std::string without_master(Sandbox& sandbox) {
  return "stoker://127.0.0.1:" + std::to_string(sandbox.reserve_port());
}

} // namespace

TEST_CASE("a misspelt word on the command line is told with what was meant") {
  Cluster cluster;
  auto slip = GENERATE(values<Slip>({
      {{"run", "--instancse", "4", "--", "true"},
       "stoker: '--instancse' is not an option of 'stoker run' (did you mean "
       "'--instances'?) (see"},
      {{"status", "--sate=running"},
       "'--sate' is not an option of 'stoker status' (did you mean "
       "'--state'?)"},
      {{"log", "show", "x", "--form", "1"},
       "'--form' is not an option of 'stoker log show' (did you mean "
       "'--from'?)"},
      {{"status", "--state", "runing"}, "(did you mean 'running'?)"},
      {{"status", "workres"}, "(did you mean 'workers'?)"},
      {{"status", "jobs", "--state", "suceeded"},
       "(did you mean 'succeeded'?)"},
      {{"status", "stages", "--state", "activ"}, "(did you mean 'active'?)"},
      {{"history", "--state", "finishd"}, "(did you mean 'finished'?)"},
      {{"history", "--kind", "excutors"},
       "'excutors' is not one of applications, drivers, executors, stages, all "
       "(did you mean 'executors'?)"},
      {{"top", "--sort", "memroy"},
       "'memroy' is not one of cores, memory, name (did you mean 'memory'?)"},
      {{"run", "--stdin", "al", "--", "true"}, "is not one of one, all"},
      {{"job", "--input", "a.txt", "b.txt"},
       "--input and FILE exclude each other: a job file says itself what is "
       "read; quote a pattern, as --input '*.txt'"},
      {{"job", "--input", "a.txt", "b.txt", "c.txt", "--map", "cat"},
       "quote a pattern, as --input '*.txt'"},
      {{"job", "a.txt", "--map", "cat"},
       "--map and FILE exclude each other: a job file says that itself; a file "
       "to read is named with --input"},
      {{"run", "-n", "abc", "./train.py", "--lr", "0.1"}, "abc"},
      {{"job", "--input", "*.txt", "--mpa", "cat"},
       "'--mpa' is not an option of 'stoker job' (did you mean '--map'?)"},
      {{"job", "--inptu", "*.txt", "--map", "cat"},
       "'--inptu' is not an option of 'stoker job' (did you mean '--input'?)"},
      {{"tenants", "chek", "x"},
       "'chek' is not a command of 'stoker tenants' (did you mean 'check'?)"},
      {{"job", "/etc/passwd"}, "a file to read is named with --input"},
  }));
  check_refusal(cluster.run(slip.words), 2, slip.reason);
}

TEST_CASE("a command that only asks fails at once when no master runs on this "
          "machine") {
  Cluster cluster;
  cluster.environment["STOKER_MASTER"] = without_master(cluster);
  auto words = GENERATE(
      as<std::vector<std::string>>{}, std::vector<std::string>{"status"},
      std::vector<std::string>{"status", "jobs"},
      std::vector<std::string>{"queues"}, std::vector<std::string>{"history"},
      std::vector<std::string>{"explain", "app-1"},
      std::vector<std::string>{"top", "--once"},
      std::vector<std::string>{"kill", "driver-1"});
  // One line: it is not said that it tries again.
  check_refusal(cluster.run(words), 69,
                "Connection refused; start a cluster with 'stoker local', or "
                "name another one with --master");
}

TEST_CASE("a command looks for a master that is started again when there is "
          "something to lose, or its user says so") {
  Cluster cluster;
  cluster.environment["STOKER_MASTER"] = without_master(cluster);
  cluster.environment["STOKER_MASTER_TIMEOUT"] = "500ms";
  auto words = GENERATE(as<std::vector<std::string>>{},
                        std::vector<std::string>{"run", "--", "true"},
                        std::vector<std::string>{"submit", "--", "true"},
                        std::vector<std::string>{"wait", "driver-1"},
                        std::vector<std::string>{"status"});
  auto result = cluster.run(words);
  CHECK(result.status == 69);
  CHECK(lines_of(result.err).size() == 2);
  CHECK(
      lines_of(result.err)
          .front()
          .ends_with("Connection refused; start a cluster with 'stoker local', "
                     "or name another one with --master; trying again"));
}
