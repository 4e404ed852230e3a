// What a job file becomes: tools/stoker/job_plan.hpp.

#include "tools/stoker/job_plan.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <limits>

#include "tests/support/catch.hpp"
#include "tests/support/problem.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/unprivileged.hpp"

using namespace stoker;
using namespace std::chrono_literals;
using stoker::test::TemporaryDirectory;
using stoker::test::Unprivileged;

namespace fs = std::filesystem;

namespace {

JobStage stage_named(const std::string& name, JobInput input) {
  JobStage result;
  result.name = name;
  result.command = {"cat"};
  result.input = std::move(input);
  return result;
}

JobStage reader_named(const std::string& name, std::vector<std::size_t> from) {
  auto result = stage_named(name, {});
  result.from = std::move(from);
  return result;
}

/// A directory, and jobs that are planned in it.
class PlanFixture {
public:
  JobPlan plan() {
    auto result = plan_job(job, directory.path("."));
    INFO(test::problem_in(result));
    REQUIRE(result);
    return *result;
  }

  /// With the directory's name as "DIR".
  std::string problem() {
    auto result = test::problem_in(plan_job(job, directory.path("")));
    auto root = directory.path("");
    root.pop_back();
    for (auto i = result.find(root); i != result.npos; i = result.find(root))
      result.replace(i, root.size(), "DIR");
    return result;
  }

  std::string program(const std::string& name, unsigned mode) {
    auto path = directory.write(name, "#!/bin/sh\n");
    fs::permissions(path, static_cast<fs::perms>(mode));
    return path;
  }

  TemporaryDirectory directory;
  JobFile job{"j", {}, {}};
};

} // namespace

TEST_CASE("a plan has all that a job says", "[job_plan]") {
  PlanFixture f;
  fs::create_directory(f.directory.path("texts"));
  f.directory.write("texts/b.txt", "b\n");
  f.directory.write("texts/a.txt", "a\n");
  auto split = stage_named("split", FilesInput{{"texts/*.txt"}});
  split.shuffle = JobShuffle{4, PartitionBy::round_robin};
  split.cores = 2;
  split.env = {{"LANG", "C"}};
  auto count = reader_named("count", {0});
  count.output = "counts";
  count.max_failures = 1;
  count.time_limit = 5min;
  count.working_directory = "texts/";
  f.job.stages = {split, count};
  auto plan = f.plan();
  auto root = f.directory.path("");
  root.pop_back();

  CHECK(plan.job().name == "j");
  REQUIRE(plan.job().stages.size() == 2);
  const auto& first = plan.job().stages[0];
  CHECK(first.id == StageId{0});
  CHECK(first.name == "split");
  CHECK(first.tasks == 2);
  CHECK(first.cores == 2);
  CHECK(first.max_failures == 4);
  CHECK_FALSE(first.is_result);
  CHECK(first.places.empty());
  const auto& second = plan.job().stages[1];
  CHECK(second.id == StageId{1});
  CHECK(second.tasks == 4);
  CHECK(second.max_failures == 1);
  CHECK(second.time_limit == 5min);
  CHECK(second.is_result);
  REQUIRE(second.reads.size() == 1);
  CHECK(second.reads[0].stage == StageId{0});
  CHECK(second.reads[0].kind == DependencyKind::shuffle);

  const auto& splits = plan.describe(StageId{0});
  CHECK(splits.stage == StageId{0});
  CHECK(splits.name == "split");
  CHECK(splits.command.arguments == std::vector<std::string>{"cat"});
  CHECK(splits.command.environment.at("LANG") == "C");
  CHECK(splits.command.working_directory == root);
  CHECK_FALSE(splits.command.working_directory_required);
  CHECK(splits.cores == 2);
  CHECK(splits.output == TaskOutputKind::output);
  CHECK(splits.partitions == 4);
  CHECK(splits.partition_by == PartitionBy::round_robin);
  CHECK(plan.output(StageId{0}).empty());
  const auto& counts = plan.describe(StageId{1});
  CHECK(counts.output == TaskOutputKind::file);
  CHECK(plan.output(StageId{1}) == root + "/counts");
  CHECK(counts.command.working_directory == root + "/texts");
  CHECK(counts.command.working_directory_required);
  CHECK(counts.reads.size() == 1);

  auto task = plan.describe(TaskAttempt{StageId{0}, 1, 7});
  CHECK(task.id == TaskAttempt{StageId{0}, 1, 7});
  REQUIRE(task.splits.size() == 1);
  CHECK(fs::path{task.splits[0].path}.lexically_normal()
        == root + "/texts/b.txt");
  CHECK(task.splits[0].begin == 0);
  CHECK(task.splits[0].end == 2);
  CHECK(plan.describe(TaskAttempt{StageId{1}, 3, 0}).splits.empty());
  CHECK(plan.describe(TaskAttempt{StageId{1}, 3, 0}).text.empty());
  CHECK_FALSE(fs::exists(root + "/counts"));
}

TEST_CASE("a stage without output whom nobody reads has results",
          "[job_plan]") {
  PlanFixture f;
  f.job.stages = {stage_named("a", RangeInput{2}), reader_named("b", {0})};
  auto plan = f.plan();
  CHECK(plan.describe(StageId{0}).output == TaskOutputKind::output);
  CHECK(plan.describe(StageId{0}).partitions == 1);
  CHECK(plan.describe(StageId{1}).output == TaskOutputKind::result);
  CHECK(plan.describe(StageId{1}).reads[0].kind == DependencyKind::narrow);
  CHECK(plan.job().stages[1].tasks == 2);
}

TEST_CASE("a stage that does not say what its tasks take has the defaults",
          "[job_plan]") {
  PlanFixture f;
  f.job.stages
      = {stage_named("a", RangeInput{1}), stage_named("b", RangeInput{1})};
  f.job.stages[1].cores = 1;
  f.job.stages[1].max_failures = 7;
  auto plan = plan_job(f.job, f.directory.path(""), {3, 2});
  REQUIRE(plan);
  CHECK(plan->job().stages[0].cores == 3);
  CHECK(plan->describe(StageId{0}).cores == 3);
  CHECK(plan->job().stages[0].max_failures == 2);
  CHECK(plan->job().stages[1].cores == 1);
  CHECK(plan->job().stages[1].max_failures == 7);
}

TEST_CASE("files are cut into splits", "[job_plan]") {
  PlanFixture f;
  f.directory.write("a", std::string(25, 'x'));
  f.directory.write("b", "");
  f.directory.write("c", std::string(20, 'x'));
  f.job.stages = {stage_named("s", FilesInput{{"?"}, 10})};
  auto plan = f.plan();
  CHECK(plan.job().stages[0].tasks == 5);
  std::string text;
  for (int i = 0; i < 5; ++i) {
    auto split = plan.describe(TaskAttempt{StageId{0}, i, 0}).splits.at(0);
    text += fs::path{split.path}.filename().string() + ' '
            + std::to_string(split.begin) + '-' + std::to_string(split.end)
            + '\n';
  }
  CHECK(text == "a 0-10\na 10-20\na 20-25\nc 0-10\nc 10-20\n");
}

TEST_CASE("a stage of empty files has one task", "[job_plan]") {
  PlanFixture f;
  f.directory.write("a", "");
  f.directory.write("b", "");
  f.job.stages = {stage_named("s", FilesInput{{"?"}})};
  auto plan = f.plan();
  CHECK(plan.job().stages[0].tasks == 1);
  auto split = plan.describe(TaskAttempt{StageId{0}, 0, 0}).splits.at(0);
  CHECK(split.begin == 0);
  CHECK(split.end == 0);
}

TEST_CASE("a file that is larger than all tasks is refused", "[job_plan]") {
  auto cut = [](std::int64_t bytes) {
    return FileSplits::cut({{"/a", bytes}, {"/b", 1}}, 1);
  };
  CHECK(cut(9'999'999)->tasks() == 10'000'000);
  CHECK(test::problem_in(cut(10'000'000))
        == "its files make more than 10000000 tasks; make 'split_mb' larger");
  CHECK_FALSE(cut(std::numeric_limits<std::int64_t>::max()));
}

TEST_CASE("files keep the order of the patterns, and are read once",
          "[job_plan]") {
  TemporaryDirectory directory;
  for (const auto* name : {"a1", "a2", "B", "c[1]"})
    directory.write(name, "x");
  fs::create_directory(directory.path("odd*dir"));
  directory.write("odd*dir/f", "x");
  auto names
      = [&](const std::vector<std::string>& globs, const std::string& where) {
          std::string result;
          auto files = find_files(globs, where);
          REQUIRE(files);
          for (const auto& x : *files)
            result += fs::path{x.path}.filename().string() + ' ';
          return result;
        };
  auto root = directory.path("");
  CHECK(names({"B", "a*", "a1"}, root) == "B a1 a2 ");
  CHECK(names({"[aB]*"}, root) == "B a1 a2 ");
  CHECK(names({R"(c\[1])"}, root) == "c[1] ");
  CHECK(names({root + "a1"}, "/nowhere") == "a1 ");
  CHECK(names({"f"}, directory.path("odd*dir")) == "f ");
}

TEST_CASE("inputs that cannot be read are named", "[job_plan]") {
  PlanFixture f;
  fs::create_directory(f.directory.path("sub"));
  f.directory.write("closed", "x");
  fs::permissions(f.directory.path("closed"), fs::perms::none);
  REQUIRE(::mkfifo(f.directory.path("pipe").c_str(), 0600) == 0);
  Unprivileged unprivileged{f.directory.path("")};
  auto problem = [&](const std::string& glob) {
    f.job.stages = {stage_named("s", FilesInput{{glob}})};
    return f.problem();
  };
  CHECK(problem("*.txt") == "stage 's': no file matches '*.txt'");
  CHECK(problem("nowhere/*") == "stage 's': no file matches 'nowhere/*'");
  CHECK(problem("sub").find("is a directory; name files, as '")
        != std::string::npos);
  CHECK(problem("pipe").ends_with("/pipe' is no regular file"));
  CHECK(problem("closed").ends_with("/closed': Permission denied"));
}

TEST_CASE("lines are shared evenly and in order", "[job_plan]") {
  PlanFixture f;
  auto texts = [&](int tasks) {
    f.job.stages
        = {stage_named("s", LinesInput{{"a", "b", "c", "d", "e"}, tasks})};
    auto plan = f.plan();
    CHECK(plan.job().stages[0].tasks == tasks);
    std::string result;
    for (int i = 0; i < tasks; ++i)
      result += plan.describe(TaskAttempt{StageId{0}, i, 0}).text + '|';
    return result;
  };
  CHECK(texts(1) == "a\nb\nc\nd\ne\n|");
  CHECK(texts(2) == "a\nb\n|c\nd\ne\n|");
  CHECK(texts(5) == "a\n|b\n|c\n|d\n|e\n|");
  CHECK(texts(6) == "|a\n|b\n|c\n|d\n|e\n|");
}

TEST_CASE("a range of a million tasks gives each its number", "[job_plan]") {
  PlanFixture f;
  f.job.stages = {stage_named("s", RangeInput{1'000'000})};
  auto plan = f.plan();
  CHECK(plan.job().stages[0].tasks == 1'000'000);
  CHECK(plan.job().stages[0].places.empty());
  CHECK(plan.describe(TaskAttempt{StageId{0}, 0, 0}).text == "0\n");
  CHECK(plan.describe(TaskAttempt{StageId{0}, 999'999, 0}).text == "999999\n");
}

TEST_CASE("each task of a stage with locality has its hosts", "[job_plan]") {
  PlanFixture f;
  f.job.stages = {stage_named("s", RangeInput{2})};
  f.job.stages[0].locality = {"n1", "n2"};
  std::vector<TaskPlace> hosts{{"n1", {}}, {"n2", {}}};
  CHECK(f.plan().job().stages[0].places == std::vector{hosts, hosts});
  f.job.stages[0].input = RangeInput{500'001};
  CHECK(f.problem()
        == "stage 's': 'locality' is for at most 1000000 tasks "
           "times hosts");
}

TEST_CASE("numbers of tasks that follow from files must fit", "[job_plan]") {
  PlanFixture f;
  f.directory.write("a", "x");
  f.job.stages
      = {stage_named("files", FilesInput{{"a"}}),
         stage_named("range", RangeInput{2}), reader_named("both", {0, 1})};
  CHECK(f.problem()
        == "stage 'both' cannot have one number of tasks: 'files' has 1 task "
           "and no shuffle, so it is read task by task, but 'range' has 2 "
           "tasks and no shuffle, so it is read task by task");
  f.directory.write("b", "x");
  f.job.stages[0].input = FilesInput{{"?"}};
  CHECK(f.plan().job().stages[2].tasks == 2);
}

TEST_CASE("a program is looked up before anything starts", "[job_plan]") {
  PlanFixture f;
  fs::create_directory(f.directory.path("bin"));
  f.program("bin/tool", 0755);
  f.program("bin/text", 0644);
  fs::create_directory(f.directory.path("bin/folder"));
  auto problem = [&](const std::string& program) {
    f.job.stages = {stage_named("s", RangeInput{1})};
    f.job.stages[0].command = {program, "x"};
    f.job.stages[0].env["PATH"] = "/nowhere:" + f.directory.path("bin");
    return f.problem();
  };
  CHECK(problem("foo") == "stage 's': there is no program 'foo'");
  CHECK(problem("./foo") == "stage 's': there is no program './foo'");
  CHECK(problem("text") == "stage 's': the program 'text' is not executable");
  CHECK(problem("bin/text")
        == "stage 's': the program 'bin/text' is not executable");
  CHECK(problem("folder")
        == "stage 's': the program 'folder' is not executable");
  CHECK(problem("bin") == "stage 's': there is no program 'bin'");
  CHECK(problem("tool").empty());
  CHECK(f.plan().describe(StageId{0}).command.arguments
        == std::vector<std::string>{"tool", "x"});
  CHECK(problem("bin/tool").empty());
  CHECK(f.plan().describe(StageId{0}).command.arguments
        == std::vector<std::string>{f.directory.path("bin/tool"), "x"});
  f.job.stages[0].working_directory = "bin";
  f.job.stages[0].command = {"./tool"};
  CHECK(f.plan().describe(StageId{0}).command.arguments[0]
        == f.directory.path("bin/tool"));
}

TEST_CASE("directories are looked at before anything starts", "[job_plan]") {
  PlanFixture f;
  fs::create_directory(f.directory.path("there"));
  fs::create_symlink("nowhere", f.directory.path("link"));
  f.directory.write("file", "");
  fs::create_directory(f.directory.path("closed"));
  auto problem = [&](const std::string& output) {
    f.job.stages = {stage_named("s", RangeInput{1})};
    f.job.stages[0].output = output;
    return f.problem();
  };
  auto exists = [](const std::string& name) {
    return "stage 's': the output '" + name
           + "' exists; remove it, or name another directory";
  };
  CHECK(problem("there") == exists("there"));
  CHECK(problem("there/") == exists("there/"));
  CHECK(problem("file") == exists("file"));
  CHECK(problem("link") == exists("link"));
  CHECK(problem("/") == exists("/"));
  CHECK(problem("no/out")
        == "stage 's': there is no directory 'DIR/no' for "
           "the output 'no/out'");
  CHECK(problem("file/out")
        == "stage 's': there is no directory 'DIR/file' "
           "for the output 'file/out'");
  CHECK(problem("there/out").empty());
  f.job.stages
      = {stage_named("s", RangeInput{1}), stage_named("t", RangeInput{1})};
  f.job.stages[0].output = "out";
  f.job.stages[1].output = "there/../out/";
  CHECK(f.problem()
        == "stage 't': another stage has the output 'there/../out/', too");
  f.job.stages = {stage_named("s", RangeInput{1})};
  f.job.stages[0].working_directory = "file";
  CHECK(f.problem() == "stage 's': there is no working directory 'DIR/file'");
}

TEST_CASE("an output where nothing can be written is refused", "[job_plan]") {
  PlanFixture f;
  f.job.stages = {stage_named("s", RangeInput{1})};
  f.job.stages[0].output = "out";
  Unprivileged unprivileged{f.directory.path("")};
  fs::permissions(f.directory.path(""),
                  fs::perms::owner_read | fs::perms::owner_exec);
  CHECK(f.problem()
        == "stage 's': nothing can be written in 'DIR', where the "
           "output 'out' should be");
  fs::permissions(f.directory.path(""), fs::perms::owner_all);
}
