// Files that say what a job does: tools/stoker/job_file.hpp.

#include "tools/stoker/job_file.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/problem.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tools/stoker/job_options.hpp"

using namespace stoker;
using namespace std::chrono_literals;
using stoker::test::TemporaryDirectory;

namespace {

constexpr auto words_job = R"({"name": "words",
     "conf": {"spark.executor.cores": "1", "spark.executor.memory": "256m"},
     "stages": [
       {"name": "split", "input": {"files": ["texts/*.txt"], "split_mb": 16},
        "command": ["tr", "-cs", "A-Za-z", "\n"], "shuffle": {"partitions": 4}},
       {"name": "count", "from": ["split"], "command": ["sh", "-c", "sort | uniq -c"],
        "output": "counts"}]})";

JobFile job_in(const std::string& text) {
  auto result = parse_job_file(text, "j.json");
  INFO(test::problem_in(result));
  REQUIRE(result);
  return *result;
}

/// What is said of a file, without its name.
std::string job_problem(const std::string& text) {
  auto message = test::problem_in(parse_job_file(text, "j.json"));
  INFO(text);
  REQUIRE(message.starts_with("j.json:"));
  CHECK(message.find('\n') == std::string::npos);
  return message.substr(7);
}

std::string job_with(const std::string& stages) {
  return "{\"stages\": [\n" + stages + "]}";
}

/// A stage "a" with more keys, in line 2.
std::string stage_with(const std::string& keys) {
  return job_with(R"({"name": "a", "command": ["cat"])"
                  + (keys.empty() ? "" : ", " + keys) + "}");
}

std::string stage_problem(const std::string& keys) {
  auto problem = job_problem(stage_with(keys));
  REQUIRE(problem.starts_with("2: stage 'a'"));
  return problem.substr(12);
}

/// A stage without the rest of its keys, in a line of its own.
std::string stage(const std::string& name, const std::string& keys) {
  return R"({"name": ")" + name + R"(", "command": ["cat"], )" + keys + "},\n";
}

std::string stages_problem(std::string stages) {
  stages.resize(stages.size() - 2);
  return job_problem(job_with(stages));
}

} // namespace

TEST_CASE("a job file is read as it says", "[job_file]") {
  auto job = job_in(words_job);
  CHECK(job.name == "words");
  CHECK(job.conf
        == std::vector<JobSetting>{
            {"spark.executor.cores", "1", "j.json:2"},
            {"spark.executor.memory", "256m", "j.json:2"}});
  JobStage split;
  split.name = "split";
  split.line = 4;
  split.input = FilesInput{{"texts/*.txt"}, 16 * 1024 * 1024};
  split.command = {"tr", "-cs", "A-Za-z", "\n"};
  split.shuffle = JobShuffle{4, PartitionBy::key};
  JobStage count;
  count.name = "count";
  count.line = 6;
  count.from = {0};
  count.command = {"sh", "-c", "sort | uniq -c"};
  count.output = "counts";
  CHECK(job.stages == std::vector<JobStage>{split, count});
}

TEST_CASE("all keys of a stage are taken", "[job_file]") {
  auto job = job_in(job_with(
      R"({"name": "b", "from": ["a"], "command": ["cat"]},
      {"name": "a", "input": {"lines": ["x", "", "y\tz"], "tasks": 2},
       "command": ["cat"], "shuffle": {"partitions": 3, "by": "round-robin"},
       "cores": 2, "max_failures": 1, "time_limit": "5m", "barrier": true,
       "locality": ["node1", "node2"], "env": {"A": "", "B": "x=y"},
       "working_directory": "data"})"));
  JobStage expected;
  expected.name = "a";
  expected.line = 3;
  expected.input = LinesInput{{"x", "", "y\tz"}, 2};
  expected.command = {"cat"};
  expected.shuffle = JobShuffle{3, PartitionBy::round_robin};
  expected.cores = 2;
  expected.is_barrier = true;
  expected.max_failures = 1;
  expected.time_limit = 5min;
  expected.locality = {"node1", "node2"};
  expected.env = {{"A", ""}, {"B", "x=y"}};
  expected.working_directory = "data";
  CHECK(job.stages.at(1) == expected);
  CHECK(job.stages.at(0).from == std::vector<std::size_t>{1});
}

TEST_CASE("what a job file leaves out has a default", "[job_file]") {
  auto job = job_in(stage_with(R"("input": {"files": ["x"]})"));
  CHECK(job.name == "j");
  CHECK(job.conf.empty());
  const auto& a = job.stages.at(0);
  CHECK(a.input == JobInput{FilesInput{{"x"}, 64 * 1024 * 1024}});
  CHECK_FALSE(a.cores);
  CHECK_FALSE(a.max_failures);
  CHECK_FALSE(a.time_limit);
  CHECK_FALSE(a.output);
  auto lines = job_in(stage_with(R"("input": {"lines": ["x", "y"]})"));
  CHECK(lines.stages[0].input == JobInput{LinesInput{{"x", "y"}, 2}});
}

TEST_CASE("settings may be numbers and flags, and are texts then",
          "[job_file]") {
  auto job = job_in(R"({"conf": {"a": 1, "b": 1.50, "c": true, "d": "x"},
    "stages": [{"name": "a", "command": ["x"], "input": {"range": 1}}]})");
  std::vector<std::string> values;
  for (const auto& x : job.conf)
    values.push_back(x.value);
  CHECK(values == std::vector<std::string>{"1", "1.50", "true", "x"});
}

TEST_CASE("time limits are seconds, or have a unit", "[job_file]") {
  auto [text, limit] = GENERATE(table<std::string, Duration>({
      {"10", 10s},
      {"0.5", 500ms},
      {"0.0001", 1ms},
      {R"("10s")", 10s},
      {R"("500ms")", 500ms},
      {R"("1h")", 1h},
      {R"("10")", 10s},
  }));
  auto job
      = job_in(stage_with(R"("input": {"range": 1}, "time_limit": )" + text));
  CHECK(job.stages[0].time_limit == limit);
}

TEST_CASE("what is wrong in the whole is told with its line", "[job_file]") {
  auto [text, problem] = GENERATE(table<std::string, std::string>({
      {"[]", "1: the job must be an object, {...}"},
      {"{}", "1: the job needs 'stages', a list"},
      {"{\n\"stages\": []}", "2: 'stages' must be a list of 1 to 10000 stages"},
      {"{\n\"stages\": {}}", "2: 'stages' must be a list of stages"},
      {"{\"name\": \"x\",\n\"stage\": []}",
       "2: unknown key 'stage' in the job (did you mean 'stages'?)"},
      {"{\n\"foo\\nbar\": 1}",
       "2: unknown key 'foo?bar' in the job; there are 'name', 'conf' and "
       "'stages'"},
      {"{\n\"name\": 1}", "2: 'name' must be a text"},
      {"{\n\"name\": \"\"}", "2: 'name' must be a text of 1 to 4096 bytes"},
      {"{\"conf\":\n[]}", "2: 'conf' must be an object, {...}"},
      {"{\"conf\": {\"a\":\nnull}}",
       "2: 'a' in 'conf' must be a text, a number, true or false"},
      {"{\"name\": \"x\",\n\"name\": \"x\"}",
       "2: the key 'name' is there twice"},
      {"{\"stages\": [\n1]}", "2: stage 1 must be an object, {...}"},
      {"{\"stages\": [\n{}]}",
       "2: stage 1: needs 'command', the program and its arguments"},
      {"{\"stages\": [\n{\"command\": [\"x\"]}]}", "2: stage 1: needs 'name'"},
      {"{\"stages\": [\n{\"name\": \"a\"}]}",
       "2: stage 'a': needs 'command', the program and its arguments"},
      {"{\"stages\": [\n{\"name\":\n\"a b\"}]}",
       "3: stage 'a b': 'name' must be made of letters, digits, '.', '_' and "
       "'-'"},
      {"{\"stages\": [\n{\"name\": \"\"}]}",
       "2: stage '': 'name' must be a text of 1 to 255 bytes"},
  }));
  CHECK(job_problem(text) == problem);
}

TEST_CASE("what is wrong in a stage is told with its name", "[job_file]") {
  auto [keys, problem] = GENERATE(table<std::string, std::string>({
      {R"("shufle": {})", ": unknown key 'shufle' (did you mean 'shuffle'?)"},
      {R"("wrkdir": 1)",
       ": unknown key 'wrkdir'; there are 'name', 'input', 'from', 'command', "
       "'shuffle', 'output', 'cores', 'max_failures', 'time_limit', "
       "'barrier', 'locality', 'env' and 'working_directory'"},
      {R"("cores": 0)", ": 'cores' must be a whole number from 1 to 1000000"},
      {R"("cores": 1.0)", ": 'cores' must be a whole number from 1 to 1000000"},
      {R"("cores": "1")", ": 'cores' must be a whole number from 1 to 1000000"},
      {R"("max_failures": 0)",
       ": 'max_failures' must be a whole number from 1 to 250"},
      {R"("time_limit": 0)",
       ": 'time_limit' must be a number of seconds, or a duration like "
       "\"10s\" or \"5m\", above 0 and at most 36500 days"},
      {R"("barrier": 1)", ": 'barrier' must be true or false"},
      {R"("locality": "node1")", ": 'locality' must be a list of hosts"},
      {R"("locality": [1])", ": each of 'locality' must be a text"},
      {R"("locality": [""])",
       ": each of 'locality' must be a text of 1 to 256 bytes"},
      {R"("env": [])", ": 'env' must be an object, {...}"},
      {R"("env": {"A": 1})", ": 'A' in 'env' must be a text"},
      {R"("env": {"A=B": "x"})", ": 'A=B' in 'env' is no name of a variable"},
      {R"("env": {"": "x"})", ": '' in 'env' is no name of a variable"},
      {R"("env": {"A": "\u0000"})",
       ": 'A' in 'env' must not have a NUL character"},
      {R"("working_directory": "")",
       ": 'working_directory' must be a text of 1 to 4095 bytes"},
      {R"("output": null)", ": 'output' must be a text"},
      {R"("from": "b")", ": 'from' must be a list of stages' names"},
      {R"("from": [])", ": 'from' must be a list of at least one stage's name"},
      {R"("from": ["b"])",
       ": each of 'from' must be a stage's name, and there is no stage 'b'"},
      {R"("shuffle": {})", ": 'shuffle' needs 'partitions', their number"},
      {R"("shuffle": 4)", ": 'shuffle' must be an object, {...}"},
      {R"("shuffle": {"partitions": 0})",
       ": 'partitions' in 'shuffle' must be a whole number from 1 to 1000000"},
      {R"("shuffle": {"partitions": 1000001})",
       ": 'partitions' in 'shuffle' must be a whole number from 1 to 1000000"},
      {R"("shuffle": {"by": "hash"})",
       ": 'by' in 'shuffle' must be \"key\" or \"round-robin\""},
      {R"("shuffle": {"partition": 4})",
       ": unknown key 'partition' in 'shuffle' (did you mean 'partitions'?)"},
  }));
  CHECK(stage_problem(keys) == problem);
}

TEST_CASE("a command is a list with a program", "[job_file]") {
  auto problem = [](const std::string& command) {
    return job_problem(R"({"stages": [{"name": "a", "command": )" + command
                       + "}]}");
  };
  const auto* expected = "1: stage 'a': 'command' must be a list of texts: "
                         "the program and its arguments, not empty";
  CHECK(problem("[]") == expected);
  CHECK(problem("\"cat\"") == expected);
  CHECK(problem("[\"\"]") == expected);
  CHECK(problem("[\"x\", 1]")
        == "1: stage 'a': each of 'command' must be a text");
  CHECK(problem("[\"x\",\n\"\\u0000\"]")
        == "2: stage 'a': each of 'command' must not have a NUL character");
  CHECK(problem("[\"" + std::string((2u << 20) - 1, 'x') + "\", \"y\"]")
        == "1: stage 'a': 'command' is longer than 2097152 bytes");
}

TEST_CASE("an input is one of three kinds", "[job_file]") {
  const std::string which
      = " needs exactly one of 'files', 'lines' and 'range'";
  auto [input, problem] = GENERATE_COPY(table<std::string, std::string>({
      {"{}", which},
      {R"({"range": 1, "lines": ["x"]})", which},
      {R"({"split_mb": 1})", which},
      {"5", " must be an object, {...}"},
      {R"({"range": 1, "tasks": 2})", " has 'tasks', which belongs to 'lines'"},
      {R"({"range": 1, "split_mb": 2})",
       " has 'split_mb', which belongs to 'files'"},
  }));
  CHECK(stage_problem("\"input\": " + input) == ": 'input'" + problem);
}

TEST_CASE("what is wrong in an input is told", "[job_file]") {
  auto [input, problem] = GENERATE(table<std::string, std::string>({
      {R"("range": 0)",
       "'range' in 'input' must be a whole number from 1 to 10000000"},
      {R"("range": 10000001)",
       "'range' in 'input' must be a whole number from 1 to 10000000"},
      {R"("lines": [])",
       "'lines' in 'input' must be a list of at least one line"},
      {R"("lines": "x")", "'lines' in 'input' must be a list of lines"},
      {R"("lines": [1])", "each of 'lines' in 'input' must be a text"},
      {R"("lines": ["a\nb"])", "each of 'lines' in 'input' must be one line, "
                               "and has a newline in it"},
      {R"("lines": ["a"], "tasks": 0)",
       "'tasks' in 'input' must be a whole number from 1 to 10000000"},
      {R"("files": [])",
       "'files' in 'input' must be a list of at least one name or pattern"},
      {R"("files": "x")",
       "'files' in 'input' must be a list of names or patterns of files"},
      {R"("files": [""])",
       "each of 'files' in 'input' must be a text of 1 to 4095 bytes"},
      {R"("files": ["x"], "split_mb": 0)",
       "'split_mb' in 'input' must be a whole number from 1 to 1048576"},
      {R"("file": ["x"])",
       "unknown key 'file' in 'input' (did you mean 'files'?)"},
  }));
  CHECK(stage_problem("\"input\": {" + input + "}") == ": " + problem);
}

TEST_CASE("stages fit to each other", "[job_file]") {
  const std::string in = R"("input": {"range": 4})";
  const std::string shuffled = in + R"(, "shuffle": {"partitions": 3})";
  auto [stages, problem] = GENERATE_COPY(table<std::string, std::string>({
      {stage("a", in) + stage("a", in),
       "3: stage 'a': another stage has that name, too"},
      {stage("split", in) + stage("b", R"("from": ["spilt"])"),
       "3: stage 'b': each of 'from' must be a stage's name, and there is no "
       "stage 'spilt' (did you mean 'split'?)"},
      {stage("a", in) + stage("b", R"("from": ["a", "a"])"),
       "3: stage 'b': each of 'from' may be there once, and 'a' is there "
       "twice"},
      {stage("a", in) + stage("b", in + R"(, "from": ["a"])"),
       "3: stage 'b' has both 'input' and 'from', and may have one"},
      {stage("a", R"("cores": 1)"),
       "2: stage 'a' needs 'input' or 'from': there is nothing that its tasks "
       "could read"},
      {stage("a", R"("from": ["a"])"), "2: stage 'a' reads itself"},
      {stage("a", in) + stage("b", R"("from": ["d", "a"])")
           + stage("c", R"("from": ["b"])") + stage("d", R"("from": ["c"])"),
       "3: stage 'b' reads itself in a circle: 'b' reads 'd' reads 'c' reads "
       "'b'"},
      {stage("a", in + R"(, "output": "x")") + stage("b", R"("from": ["a"])"),
       "2: stage 'a' has 'output', but another stage reads it: only a stage "
       "that nobody reads writes a directory"},
      {stage("a", shuffled),
       "2: stage 'a' has 'shuffle', but no stage reads it by 'from'"},
      {stage("a", in) + stage("b", R"("input": {"lines": ["x"]})")
           + stage("c", R"("from": ["a", "b"])"),
       "4: stage 'c' cannot have one number of tasks: 'a' has 4 tasks and no "
       "shuffle, so it is read task by task, but 'b' has 1 task and no "
       "shuffle, so it is read task by task"},
      {stage("a", shuffled) + stage("b", in)
           + stage("c", R"("from": ["a", "b"])"),
       "4: stage 'c' cannot have one number of tasks: 'a' has 3 partitions, "
       "but 'b' has 4 tasks and no shuffle, so it is read task by task"},
      {stage("a", shuffled)
           + stage("b", in + R"(, "shuffle": {"partitions": 1})")
           + stage("c", R"("from": ["a", "b"])"),
       "4: stage 'c' cannot have one number of tasks: 'a' has 3 partitions, "
       "but 'b' has 1 partition"},
  }));
  CHECK(stages_problem(stages) == problem);
}

TEST_CASE("stages may read partitions and tasks of one number", "[job_file]") {
  auto text = stage("a", R"("input": {"range": 3})")
              + stage("b", R"("input": {"range": 9}, "shuffle": )"
                           R"({"partitions": 3})")
              + stage("c", R"("from": ["a", "b"])")
              + stage("d", R"("from": ["c"])") + stage("e", R"("from": ["c"])");
  text.resize(text.size() - 2);
  CHECK(job_in(job_with(text)).stages.size() == 5);
}

TEST_CASE("a job file that cannot be read is named", "[job_file]") {
  TemporaryDirectory directory;
  auto missing = directory.path("missing.json");
  CHECK(test::problem_in(read_job_file(missing))
        == "cannot read the job file " + missing
               + ": No such file or directory");
  auto path = directory.write("words.json", words_job);
  auto job = read_job_file(path);
  REQUIRE(job);
  CHECK(job->conf[0].origin == path + ":2");
}

// -- on the command line ------------------------------------------------------

TEST_CASE("options describe a job of two stages", "[job_file]") {
  JobOptions options;
  options.inputs = {"texts/*.txt", "more"};
  options.map = "tr a b";
  options.partitions = 4;
  options.reduce = "sort | uniq -c";
  options.output = "counts";
  auto job = job_file_of(options);
  REQUIRE(job);
  CHECK(job->name == "tr a b");
  REQUIRE(job->stages.size() == 2);
  const auto& map = job->stages[0];
  CHECK(map.name == "map");
  CHECK(map.input == JobInput{FilesInput{{"texts/*.txt", "more"}}});
  CHECK(map.command == std::vector<std::string>{"sh", "-c", "tr a b"});
  CHECK(map.shuffle == JobShuffle{4, PartitionBy::key});
  CHECK_FALSE(map.output);
  const auto& reduce = job->stages[1];
  CHECK(reduce.name == "reduce");
  CHECK(reduce.from == std::vector<std::size_t>{0});
  CHECK(reduce.command
        == std::vector<std::string>{"sh", "-c", "sort | uniq -c"});
  CHECK(reduce.output == "counts");
}

TEST_CASE("options without a reduce describe a job of one stage",
          "[job_file]") {
  JobOptions options;
  options.name = "copy";
  options.inputs = {"x"};
  options.map = "cat";
  options.output = "copies";
  auto job = job_file_of(options);
  REQUIRE(job);
  CHECK(job->name == "copy");
  REQUIRE(job->stages.size() == 1);
  CHECK_FALSE(job->stages[0].shuffle);
  CHECK(job->stages[0].output == "copies");
  options.output.clear();
  CHECK_FALSE(job_file_of(options)->stages[0].output);
  options.reduce = "sort";
  CHECK(job_file_of(options)->stages[0].shuffle == JobShuffle{});
}

TEST_CASE("options that make no job are named", "[job_file]") {
  JobOptions options;
  CHECK(test::problem_in(job_file_of(options))
        == "--input is missing: the files that the job reads");
  options.inputs = {""};
  CHECK(test::problem_in(job_file_of(options)) == "--input must not be empty");
  options.inputs = {"x"};
  CHECK(test::problem_in(job_file_of(options))
        == "--map is missing: the command that reads the files");
  options.map = "cat";
  options.partitions = 4;
  CHECK(test::problem_in(job_file_of(options))
        == "--partitions needs --reduce: the command that reads them");
  options.reduce = "sort";
  options.partitions = 0;
  CHECK(test::problem_in(job_file_of(options))
        == "--partitions must be from 1 to 1000000");
}
