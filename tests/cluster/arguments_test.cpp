// stoker run with arguments for each instance, and when some of them fail.

#include <algorithm>
#include <fstream>
#include <set>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

std::vector<std::string> sorted_lines(const std::string& text) {
  auto result = lines_of(text);
  std::sort(result.begin(), result.end());
  return result;
}

} // namespace

TEST_CASE("each instance gets its own argument, where the command wants it") {
  Cluster cluster;
  cluster.start_local({"--cores", "4", "--memory", "2g"});
  auto result
      = cluster.run({"run", "--", "echo", "<{}>", ":::", "a", "b c", "-n"});
  CHECK(result.status == 0);
  CHECK(sorted_lines(result.out)
        == std::vector<std::string>{"<-n>", "<a>", "<b c>"});
  // The number of an argument is that of its instance.
  auto labelled = cluster.run({"run", "--label", "echo", ":::", "x", "y"});
  CHECK(sorted_lines(labelled.out)
        == std::vector<std::string>{"[0] x", "[1] y"});
  std::ofstream{cluster.path("list")} << "one\ntwo words\n";
  auto listed = cluster.run({"run", "echo", "::::", "list"});
  CHECK(sorted_lines(listed.out)
        == std::vector<std::string>{"one", "two words"});
  auto piped = cluster
                   .start({"sh", "-c",
                           "printf 'p\\nq\\n' | " STOKER_PROGRAM
                           " run -- echo :::: -"})
                   .result();
  CHECK(sorted_lines(piped.out) == std::vector<std::string>{"p", "q"});
}

TEST_CASE("with arguments -n says how many instances run at once") {
  Cluster cluster;
  cluster.start_local({"--cores", "4", "--memory", "4g"});
  // Each leaves what it sees of the others.
  auto script = "touch runs-{}; ls runs-* | wc -l; sleep 0.1; rm runs-{}";
  auto result = cluster.run({"run", "-n", "2", "--", "sh", "-c", script,
                             ":::", "1", "2", "3", "4", "5", "6"});
  REQUIRE(result.status == 0);
  auto counts = lines_of(result.out);
  CHECK(counts.size() == 6);
  for (const auto& x : counts)
    CHECK(std::stoi(x) <= 2);
}

TEST_CASE("a run starts as many instances at once as --jobs says") {
  Cluster cluster;
  cluster.start_local({"--cores", "4", "--memory", "4g"});
  auto script = "touch runs-$STOKER_INDEX; ls runs-* | wc -l; sleep 0.1; "
                "rm runs-$STOKER_INDEX";
  auto check = [](const auto& result) {
    REQUIRE(result.status == 0);
    auto counts = lines_of(result.out);
    CHECK(counts.size() == 6);
    for (const auto& x : counts)
      CHECK(std::stoi(x) <= 2);
  };
  check(cluster.run({"run", "-j", "2", "-n", "6", "--", "sh", "-c", script}));
  check(cluster.run({"run", "-j", "2", "--", "sh", "-c", script, ":::", "1",
                     "2", "3", "4", "5", "6"}));
  auto meet = "touch at-$STOKER_INDEX; until [ -e at-0 ] && [ -e at-1 ] && "
              "[ -e at-2 ]; do sleep 0.05; done";
  CHECK(
      cluster
          .run({"run", "-j", "0", "--", "sh", "-c", meet, ":::", "1", "2", "3"})
          .status
      == 0);
}

TEST_CASE("a run that keeps order writes the output of its instances in their "
          "order when later ones end first") {
  Cluster cluster;
  cluster.start_local({"--cores", "4", "--memory", "4g"});
  // Each waits until the next one has written.
  auto script
      = "until [ {} = 3 ] || [ -e written-$(({} + 1)) ]; do sleep 0.01; "
        "done; echo {}a; echo {}b; touch written-{}";
  std::vector<std::string> command{"run", "-k", "--", "sh", "-c", script,
                                   ":::", "0",  "1",  "2",  "3"};
  auto result = cluster.run(command);
  CHECK(result.status == 0);
  CHECK(result.out == "0a\n0b\n1a\n1b\n2a\n2b\n3a\n3b\n");

  // Lines without an end do not wait for later instances.
  auto labelled = cluster.run(
      {"run", "-k", "--label", "--", "printf", "{}", ":::", "a", "b", "c"});
  CHECK(labelled.out == "[0] a\n[1] b\n[2] c\n");

  // An instance that fails ends the others; all that was written arrives.
  auto failed = cluster.run({"run", "-k", "--", "sh", "-c",
                             "if [ {} = 1 ]; then echo one; touch one; exit 4; "
                             "fi; until [ -e one ]; do sleep 0.01; done; sleep "
                             "600",
                             ":::", "0", "1"});
  CHECK(failed.status == 4);
  CHECK(failed.out == "one\n");

  // What waits cannot be kept.
  auto lost
      = cluster
            .start({"env", "TMPDIR=/no/such/directory", STOKER_PROGRAM, "run",
                    "-k", "--", "sh", "-c",
                    "[ {} = 0 ] || { echo {}; touch wrote; }; until [ -e "
                    "wrote ]; do sleep 0.01; done; [ {} = 1 ] || sleep 600",
                    ":::", "0", "1"})
            .result();
  CHECK(lost.status == 1);
  CHECK(lost.err.find("cannot write the output that waits for its turn, in "
                      "/no/such/directory")
        != std::string::npos);
}

TEST_CASE("without more the first instance that fails ends the others") {
  Cluster cluster;
  cluster.start_local({"--cores", "2", "--memory", "1g"});
  auto result
      = cluster.run({"run", "--", "sh", "-c",
                     "[ {} != bad ] || exit 4; sleep 600", ":::", "a", "bad"});
  CHECK(result.status == 4);
}

TEST_CASE("a run that keeps going ends with the first failure, and with all "
          "else done") {
  Cluster cluster;
  cluster.start_local({"--cores", "1", "--memory", "1g"});
  auto result
      = cluster.run({"run", "--keep-going", "--", "sh", "-c",
                     "echo {}; exit {}", ":::", "0", "4", "0", "5", "0"});
  CHECK(result.status == 4);
  CHECK(sorted_lines(result.out)
        == std::vector<std::string>{"0", "0", "0", "4", "5"});
  CHECK(result.err.find("2 of 5 instances failed, the first: instance 1")
        != std::string::npos);
  auto app = cluster.status().at("completed_apps").at(0);
  CHECK(text_of(app, "state") == "FAILED");
  // Others see how it went, too.
  auto wait = cluster.run({"wait", text_of(app, "id")});
  CHECK(wait.status == 4);

  auto retried
      = cluster.run({"run", "--keep-going", "--retries", "1", "--", "sh", "-c",
                     "echo x >> tries-{}; [ $(wc -l < tries-{}) = {} ]",
                     ":::", "1", "2", "9"});
  CHECK(retried.status == 1);
  CHECK(contents_of(cluster.path("tries-9")) == "x\nx\n");
  CHECK(retried.err.find("1 of 3 instances failed") != std::string::npos);

  auto absent = cluster.run(
      {"run", "--keep-going", "--", "{}", ":::", "no-such-command", "true"});
  CHECK(absent.status == 127);
  CHECK(absent.err.find("1 of 2 instances failed") != std::string::npos);
}

TEST_CASE("what does not go together with arguments is refused") {
  Cluster cluster;
  check_refusal(cluster.run({"run", "--barrier", "echo", ":::", "a"}), 2,
                "--barrier and ::: exclude each other");
  check_refusal(cluster.run({"run", "--barrier", "--keep-going", "echo"}), 2,
                "--barrier and --keep-going exclude each other");
  check_refusal(cluster.run({"run", "--barrier", "-j", "2", "echo"}), 2,
                "--barrier and --jobs exclude each other");
  check_refusal(cluster.run({"run", "-j", "2", "-n", "2", "echo", ":::", "a"}),
                2, "--jobs and --instances exclude each other");
  check_refusal(cluster.run({"run", "echo", ":::"}), 2,
                "::: needs an argument for each instance");
  check_refusal(cluster.run({"run", ":::", "a"}), 2, "a command is missing");
}
