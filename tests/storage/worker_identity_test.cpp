// storage/worker_identity.hpp: who takes whose place, and what is found there.

#include "storage/worker_identity.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "storage/identity_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

IdentityRecord worker(const std::string& id, int cores = 4) {
  IdentityRecord result;
  result.id = WorkerId{id};
  result.endpoint = EndpointId{id};
  result.host = "h1";
  result.cores = cores;
  result.memory_mb = 1024;
  result.resources = {{"gpu", {"0", "1"}}};
  return result;
}

ProgramRecord executor(const std::string& of, const std::string& app, int id) {
  ProgramRecord result;
  result.worker_id = WorkerId{of};
  result.executor = ExecutorRecord{AppId{app}, id, 2, 512, false};
  return result;
}

ProgramRecord driver(const std::string& of, const std::string& id) {
  ProgramRecord result;
  result.worker_id = WorkerId{of};
  auto& record = result.driver.emplace();
  record.driver_id = DriverId{id};
  record.description.command.arguments = {"drive"};
  record.description.command.environment = {{"SECRET", "x"}};
  record.description.supervise = true;
  record.attempts = 3;
  record.started_ms = 7;
  record.restart_pause_ms = 2000;
  return result;
}

struct IdentityFixture {
  stoker::test::TemporaryDirectory directory;
  const std::string work = directory.path("work");

  IdentityFixture() {
    std::filesystem::create_directory(work);
  }

  [[nodiscard]] std::string path(const std::string& name) const {
    return work + '/' + name;
  }

  std::unique_ptr<WorkerIdentity> take(IdentityRecord wanted) const {
    auto result = WorkerIdentity::take(work, std::move(wanted));
    if (!result)
      FAIL(result.error().message);
    return *std::move(result);
  }

  [[nodiscard]] std::string identity(int number) const {
    return path(".workers/" + std::to_string(number));
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream{path(name)} << text;
  }
};

void remember(WorkerIdentity& identity, const ProgramRecord& x) {
  auto status = identity.remember(x);
  INFO((status ? "" : status.error().message));
  CHECK(status);
}

} // namespace

TEST_CASE_METHOD(IdentityFixture,
                 "a worker goes on as a dead one with its figures",
                 "[identity]") {
  auto first = take(worker("w1"));
  CHECK(first->record() == worker("w1"));
  CHECK(first->found().programs.empty());
  remember(*first, executor("w1", "app-1", 0));
  remember(*first, driver("w1", "driver-1"));
  auto changed = executor("w1", "app-1", 0);
  changed.executor->kill_requested = true;
  remember(*first, changed);
  remember(*first, executor("w1", "app-2", 0));
  first->forget("app-2/0");
  first->forget("app-2/0");
  first.reset();
  auto second = take(worker("w2"));
  auto expected = worker("w1");
  expected.life = 1;
  CHECK(second->record() == expected);
  CHECK(second->warnings().empty());
  CHECK(second->found().programs
        == std::vector<ProgramRecord>{changed, driver("w1", "driver-1")});
  // The clock of files is coarse, so these three may be equally old.
  auto directories = second->found().directories;
  std::sort(directories.begin(), directories.end());
  CHECK(directories == std::vector<std::string>{"app-1", "app-2", "driver-1"});
}

TEST_CASE_METHOD(IdentityFixture,
                 "a worker with other figures is another worker",
                 "[identity]") {
  auto first = take(worker("w1"));
  remember(*first, executor("w1", "app-1", 0));
  auto other = worker("w2");
  SECTION("cores") {
    other.cores = 8;
  }
  SECTION("memory") {
    other.memory_mb = 1;
  }
  SECTION("resources") {
    other.resources.clear();
  }
  SECTION("none, but its predecessor was leaving") {
    CHECK(first->remember_leaving());
  }
  first.reset();
  auto second = take(other);
  CHECK(second->record() == other);
  // It finds the program, as one of somebody else.
  CHECK(second->found().programs
        == std::vector<ProgramRecord>{executor("w1", "app-1", 0)});
  CHECK(!std::filesystem::exists(identity(2)));
}

TEST_CASE_METHOD(IdentityFixture,
                 "an identity is not taken while its programs cannot be read",
                 "[identity]") {
  auto first = take(worker("w1"));
  REQUIRE(first->remember(executor("w1", "app-1", 0)));
  first.reset();
  auto files = identity_files::programs_in(path(".workers/1/programs"));
  REQUIRE(files.size() == 1);
  auto record = files.begin()->second;
  std::filesystem::rename(record, record + ".kept");
  std::filesystem::create_symlink(record, record);
  auto failed = WorkerIdentity::take(work, worker("w1"));
  REQUIRE_FALSE(failed);
  CHECK(failed.code() == Errc::io);
  CHECK(failed.error().message.find("cannot read " + record)
        != std::string::npos);
  std::filesystem::rename(record + ".kept", record);
  CHECK(take(worker("w1"))->found().programs.size() == 1);
}

TEST_CASE("a directory that cannot be read is not taken for an empty one",
          "[identity]") {
  TemporaryDirectory directory;
  CHECK(identity_files::programs_in(directory.path("none")).empty());
  std::ofstream{directory.path("file")};
  CHECK_THROWS_AS(identity_files::programs_in(directory.path("file")),
                  std::system_error);
}

TEST_CASE_METHOD(IdentityFixture, "only dead workers' identities are taken",
                 "[identity]") {
  auto first = take(worker("w1"));
  auto second = take(worker("w2"));
  auto third = take(worker("w3", 8));
  CHECK(second->record().id == WorkerId{"w2"});
  SECTION("of two, the first") {
    first.reset();
    second.reset();
    CHECK(take(worker("w4"))->record().id == WorkerId{"w1"});
  }
  SECTION("of two, the one with the same figures") {
    first.reset();
    third.reset();
    CHECK(take(worker("w4", 8))->record().id == WorkerId{"w3"});
  }
  SECTION("none on another host") {
    first.reset();
    auto elsewhere = worker("w4");
    elsewhere.host = "h2";
    CHECK(take(elsewhere)->record().id == WorkerId{"w4"});
    CHECK(take(worker("w5"))->record().id == WorkerId{"w1"});
  }
}

TEST_CASE_METHOD(IdentityFixture,
                 "what cannot be read is said, the rest is found",
                 "[identity]") {
  auto first = take(worker("w1"));
  for (const auto* app : {"app-1", "app-2", "app-3"})
    remember(*first, executor("w1", app, 0));
  remember(*first, driver("w1", "driver-1"));
  first.reset();
  write(".workers/1/programs/app-1+0.json", "garbage");
  write(".workers/1/programs/app-3+0.json", "{}");
  write(".workers/1/programs/driver-1.json", R"({"driver":{"attempts":"x"}})");
  std::filesystem::create_directories(path("driver-1/attempt-3"));
  auto second = take(worker("w2"));
  CHECK(second->record().id == WorkerId{"w1"});
  CHECK(second->warnings().size() == 3);
  for (const auto& x : second->warnings()) {
    CHECK(x.find('\n') == std::string::npos);
    CHECK(x.find(identity(1) + "/programs/") != std::string::npos);
  }
  const auto& found = second->found().programs;
  REQUIRE(found.size() == 4);
  CHECK(found[1] == executor("w1", "app-2", 0));
  // Nobody's programs: to be ended.
  CHECK(found[0].worker_id == WorkerId{});
  CHECK(key_of(found[0]) == "app-1/0");
  CHECK(key_of(found[2]) == "app-3/0");
  CHECK(found[3].worker_id == WorkerId{});
  CHECK(key_of(found[3]) == "driver-1");
  CHECK(found[3].driver->attempts == 3);
}

TEST_CASE_METHOD(IdentityFixture,
                 "local files of Spark's executors go with the identity",
                 "[identity]") {
  auto first = take(worker("w1"));
  CHECK(first->found().spark_files.empty());
  auto files = first->spark_directory();
  std::filesystem::create_directories(files + "/app-1/blocks");
  first.reset();
  auto second = take(worker("w2"));
  CHECK(second->spark_directory() == files);
  CHECK(second->found().spark_files == std::vector<AppId>{AppId{"app-1"}});
  second->give_up();
  CHECK(!std::filesystem::exists(files));
}

TEST_CASE_METHOD(IdentityFixture,
                 "an identity whose worker cannot be read is used anew",
                 "[identity]") {
  auto first = take(worker("w1"));
  remember(*first, executor("w1", "app-1", 0));
  first.reset();
  write(".workers/1/worker.json", "garbage");
  auto second = take(worker("w2"));
  CHECK(second->record().id == WorkerId{"w2"});
  CHECK(second->warnings().size() == 1);
  CHECK(second->found().programs.size() == 1);
}

TEST_CASE_METHOD(IdentityFixture, "an identity is closed to other users",
                 "[identity]") {
  auto first = take(worker("w1"));
  remember(*first, driver("w1", "driver-1"));
  CHECK(mode_of(path(".workers")) == 0700);
  CHECK(mode_of(identity(1)) == 0700);
  CHECK(mode_of(identity(1) + "/programs/driver-1.json") == 0600);
  CHECK(mode_of(identity(1) + "/worker.json") == 0600);
}

TEST_CASE_METHOD(IdentityFixture,
                 "who gives up an identity leaves names of directories",
                 "[identity]") {
  auto first = take(worker("w1"));
  remember(*first, executor("w1", "app-1", 0));
  remember(*first, executor("w1", "app-2", 0));
  first->forget_directory("app-2");
  first->give_up();
  CHECK(!std::filesystem::exists(identity(1)));
  auto second = take(worker("w2"));
  CHECK(second->record().id == WorkerId{"w2"});
  CHECK(second->found().programs.empty());
  CHECK(second->found().directories == std::vector<std::string>{"app-1"});
}

TEST_CASE_METHOD(IdentityFixture,
                 "what has been abandoned since the start is taken",
                 "[identity]") {
  auto first = take(worker("w1"));
  auto second = take(worker("w2"));
  auto third = take(worker("w3"));
  auto fourth = take(worker("w4"));
  for (auto* identity : {&second, &third, &fourth})
    remember(**identity, executor((*identity)->record().id.value,
                                  "app-" + (*identity)->record().id.value, 0));
  first.reset();
  second.reset();
  third.reset();
  // One takes the first identity, and somebody else the third, but dies again. The
  // fourth dies only later.
  auto successor = take(worker("w5"));
  CHECK(successor->record().id == WorkerId{"w1"});
  {
    auto held = take(worker("w6"));
    CHECK(held->record().id == WorkerId{"w2"});
    take(worker("w7"));
  }
  fourth.reset();
  CHECK(successor->take_abandoned().programs.empty());
  successor.reset();
  // Now all three others are dead at the start, and stay so.
  auto last = take(worker("w8"));
  remember(*last, executor("w1", "app-9", 0));
  auto found = last->take_abandoned();
  REQUIRE(found.programs.size() == 3);
  for (const auto& x : found.programs)
    CHECK(x.worker_id != last->record().id);
  CHECK(!std::filesystem::exists(identity(2)));
  CHECK(!std::filesystem::exists(identity(4)));
  CHECK(std::filesystem::exists(identity(1)));
  CHECK(last->take_abandoned().programs.empty());
}

TEST_CASE_METHOD(IdentityFixture,
                 "a work directory that cannot be used is named",
                 "[identity]") {
  write(".workers", "a file");
  auto result = WorkerIdentity::take(work, worker("w1"));
  REQUIRE_FALSE(result);
  const auto& message = result.error().message;
  CHECK(message.find(path(".workers")) != std::string::npos);
  CHECK(message.find("--work-dir") != std::string::npos);
}

TEST_CASE_METHOD(IdentityFixture, "nobody takes the place of a copied worker",
                 "[identity]") {
  auto first = take(worker("w1"));
  remember(*first, executor("w1", "app-1", 0));
  auto other = directory.path("other");
  std::filesystem::copy(work, other, std::filesystem::copy_options::recursive);
  // The first one lives or is dead: its programs are not here.
  auto lives = GENERATE(true, false);
  if (!lives)
    first.reset();
  auto copied = WorkerIdentity::take(other, worker("w2"));
  REQUIRE(copied);
  CHECK((*copied)->record() == worker("w2"));
  CHECK((*copied)->found().programs.empty());
  REQUIRE((*copied)->warnings().size() == 1);
  CHECK((*copied)->warnings()[0].starts_with(other + "/.workers/1 is a copy"));
  CHECK((*copied)->take_abandoned().programs.empty());
  // The directory itself may be moved.
  copied->reset();
  first.reset();
  std::filesystem::rename(work, directory.path("moved"));
  auto moved = WorkerIdentity::take(directory.path("moved"), worker("w3"));
  REQUIRE(moved);
  CHECK((*moved)->record().id == WorkerId{"w1"});
}

TEST_CASE("only a place that is another one makes a copy", "[identity]") {
  using identity_files::is_copy;
  CHECK_FALSE(is_copy("", "7 1 boot"));
  CHECK_FALSE(is_copy("7 1 boot", ""));
  CHECK_FALSE(is_copy("7 1 boot", "7 1 boot"));
  CHECK(is_copy("7 1 boot", "8 1 boot"));
  CHECK(is_copy("7 1 boot", "7 2 boot"));
  // Devices get their numbers anew.
  CHECK_FALSE(is_copy("7 1 boot", "7 2 next"));
  CHECK(is_copy("7 1 boot", "8 1 next"));
}

TEST_CASE("a file is written over in the room that it has", "[identity]") {
  TemporaryDirectory place;
  auto path = place.write("x.json", "{\"a\": \"much more than before\"}\n");
  REQUIRE(identity_files::overwrite_file(path, {{"a", 1}}));
  CHECK(place.read("x.json") == "{\"a\":1}\n");
  auto large = std::string(100'000, 'x');
  auto status = identity_files::overwrite_file(path, {{"a", large}});
  CHECK(status.code() == Errc::full);
  CHECK(place.read("x.json") == "{\"a\":1}\n");
}
