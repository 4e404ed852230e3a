// The MASTER and its FILES: who may store and have what goes with commands, what is refused
// without it, and how long it is kept.

#include "actors/files.hpp"

#include <deque>
#include <filesystem>
#include <memory>

#include "actors/master.hpp"
#include "tests/actors/recorders.hpp"
#include "tests/support/deterministic_system.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

using Lines = std::vector<std::string>;

struct FilesFixture : DeterministicSystem {
  TemporaryDirectory directory;
  FilesActor files;
  MasterActor master;
  WorkerRecordPtr worker_record = std::make_shared<WorkerRecord>();
  WorkerActor worker = spawn(worker_recorder, worker_record);
  std::shared_ptr<Lines> app_lines = std::make_shared<Lines>();
  AppClientActor app = spawn(
      [](std::shared_ptr<Lines> x) { return app_recorder(std::move(x)); },
      app_lines);

  FilesFixture() {
    start();
  }

  /// As after a restart.
  void start() {
    FileStoreConfig config;
    config.directory = directory.path("files");
    config.limits = {1000, 1 << 20, 0};
    files = spawn(stoker::files, config);
    MasterServices services;
    services.files = files;
    master = spawn(stoker::master, ClusterConfig{}, std::move(services));
    say_as(worker,
           RegisterWorker{WorkerId{"w1"}, EndpointId{"w1"}, "h1", 0, 4, 4096});
  }

  template <class Handle, class Message>
  void say_as(const Handle& from, const Message& x) {
    caf::send_as(caf::actor_cast<caf::actor>(from), master, x);
    scheduler.run();
  }

  StoreFileResponse store(const std::string& content, std::int64_t offset,
                          const std::string& data) {
    auto answer = ask<StoreFileResponse>(
        master,
        StoreFilePart{sha256_of(content),
                      static_cast<std::int64_t>(content.size()), offset, data});
    REQUIRE(answer);
    return *answer;
  }

  static Command command_with(const std::string& content) {
    Command result;
    result.arguments = {"true"};
    result.files = {{"name", sha256_of(content),
                     static_cast<std::int64_t>(content.size()), false}};
    return result;
  }

  RegisterApplication application(const std::string& content,
                                  const std::string& driver = "d1") {
    RegisterApplication x;
    x.description.command = command_with(content);
    x.description.cores_per_executor = 1;
    x.description.max_cores = 1;
    x.description.memory_per_executor_mb = 64;
    x.driver = EndpointId{driver};
    return x;
  }

  SubmitDriverResponse submit(const std::string& content) {
    RequestSubmitDriver x;
    x.driver_description.command = command_with(content);
    auto answer = ask<SubmitDriverResponse>(master, x);
    REQUIRE(answer);
    return *answer;
  }

  caf::expected<FilePart> fetch(const LaunchExecutor& launch,
                                const std::string& content,
                                const std::string& as = "w1") {
    FetchFilePart x;
    x.worker_id = WorkerId{as};
    x.executor = ExecutorId{launch.app_id, launch.exec_id};
    x.sha256 = sha256_of(content);
    x.limit = 1000;
    return ask<FilePart>(master, x);
  }
};

using KeptPieces = std::deque<caf::typed_response_promise<StoreFileResponse>>;

/// Keeps pieces unanswered, as on a disk that hangs. Answers one for each file that it is to
/// remove.
FilesActor::behavior_type hanging_files(FilesActor::pointer self,
                                        std::shared_ptr<KeptPieces> kept) {
  return {
      [](const OpenFiles&) { return FilesFound{}; },
      [self, kept](const StoreFilePart&) {
        kept->push_back(self->make_response_promise<StoreFileResponse>());
        return kept->back();
      },
      [](const ReadFile&) { return FilePart{}; },
      [kept](const RemoveFiles& x) {
        for (std::size_t i = 0; i < x.files.size() && !kept->empty(); ++i) {
          kept->front().deliver(StoreFileResponse{});
          kept->pop_front();
        }
      },
  };
}

} // namespace

TEST_CASE_METHOD(DeterministicSystem,
                 "a master refuses a piece of a file when too many wait for "
                 "the disk",
                 "[master files]") {
  auto kept = std::make_shared<KeptPieces>();
  MasterServices services;
  auto files = spawn(hanging_files, kept);
  services.files = files;
  auto master = spawn(stoker::master, ClusterConfig{}, std::move(services));
  auto answer = [&](std::size_t pieces) {
    caf::anon_send(files, RemoveFiles{std::vector<FileKey>(pieces)});
    scheduler.run();
  };
  const StoreFilePart piece{sha256_of("content"), 7, 0, "con"};
  for (std::size_t i = 0; i < MasterState::pieces_max; ++i)
    CHECK_FALSE(request<StoreFileResponse>(master, piece).answered());
  CHECK(kept->size() == MasterState::pieces_max);
  auto refused = ask<StoreFileResponse>(master, piece);
  REQUIRE_FALSE(refused);
  CHECK(system.render(refused.error())
        == "the master is busy with other files");
  answer(1);
  CHECK_FALSE(request<StoreFileResponse>(master, piece).answered());
  answer(kept->size());
}

TEST_CASE_METHOD(FilesFixture,
                 "what names a file that is not here is refused with one line",
                 "[master files]") {
  say_as(app, application("content"));
  CHECK(*app_lines == Lines{"ApplicationRemoved"});
  CHECK(worker_record->launches.empty());
  auto answer = submit("content");
  CHECK_FALSE(answer.success);
  CHECK(answer.message == "the file 'name' is not here: send it first");
  // Nor is a beginning of it enough.
  CHECK(store("content", 0, "con").stored == 3);
  CHECK_FALSE(submit("content").success);
  CHECK(store("content", 3, "tent").stored == 7);
  CHECK(submit("content").success);
}

TEST_CASE_METHOD(FilesFixture, "a worker reads the files of what it starts",
                 "[master files]") {
  REQUIRE(store("content", 0, "content").stored == 7);
  say_as(app, application("content"));
  REQUIRE(worker_record->launches.size() == 1);
  const auto& launch = worker_record->launches.front();
  CHECK(launch.app_desc.command.files.size() == 1);
  auto part = fetch(launch, "content");
  REQUIRE(part);
  CHECK(part->data == "content");
  CHECK_FALSE(part->problem);
}

TEST_CASE_METHOD(FilesFixture,
                 "a worker that asks for another one's file is refused",
                 "[master files]") {
  REQUIRE(store("content", 0, "content").stored == 7);
  REQUIRE(store("other", 0, "other").stored == 5);
  say_as(app, application("content"));
  auto other = spawn(worker_recorder, std::make_shared<WorkerRecord>());
  say_as(other,
         RegisterWorker{WorkerId{"w2"}, EndpointId{"w2"}, "h2", 0, 4, 4096});
  const auto& launch = worker_record->launches.at(0);
  CHECK(failed_with(fetch(launch, "content", "w2"), Errc::not_allowed));
  CHECK(failed_with(fetch(launch, "other"), Errc::not_allowed));
  CHECK(fetch(launch, "content"));
}

TEST_CASE_METHOD(FilesFixture,
                 "files are kept while something names them, and an hour more",
                 "[master files]") {
  REQUIRE(store("content", 0, "content").stored == 7);
  REQUIRE(store("other", 0, "other").stored == 5);
  say_as(app, application("content"));
  // The application and the worker are silent, but for the time that they have.
  for (int i = 0; i < 300; ++i) {
    advance(15s, 1s);
    say_as(worker, Heartbeat{WorkerId{"w1"}, EndpointId{"w1"}});
  }
  CHECK(store("other", 0, "").stored == 0);
  CHECK(store("content", 0, "").stored == 7);
  CHECK(fetch(worker_record->launches.at(0), "content"));
  CHECK(*ask<bool>(
      master, UnregisterApplication{worker_record->launches.at(0).app_id}));
  advance(59min, 1s);
  CHECK(store("content", 0, "").stored == 7);
  advance(59min, 1s);
  CHECK(store("content", 0, "").stored == 7);
  advance(62min, 1s);
  CHECK(store("content", 0, "").stored == 0);
  CHECK(std::filesystem::is_empty(directory.path("files")));
}

TEST_CASE_METHOD(FilesFixture, "a new leader finds the files again",
                 "[master files]") {
  REQUIRE(store("content", 0, "content").stored == 7);
  REQUIRE(store("later", 0, "la").stored == 2);
  kill(master);
  start();
  CHECK(submit("content").success);
  CHECK(store("later", 0, "").stored == 2);
  CHECK(store("later", 2, "ter").stored == 5);
}

TEST_CASE_METHOD(FilesFixture, "whoever stores a file reads why it is not",
                 "[master files]") {
  auto large = store(std::string(1001, 'x'), 0, "x");
  REQUIRE(large.problem);
  CHECK(large.problem->find("stoker.files.maxFileSize") != std::string::npos);
  REQUIRE(store("content", 0, "CONTENT").problem);
  CHECK(store("content", 0, "").stored == 0);
}

TEST_CASE_METHOD(FilesFixture, "one identity's file is nobody else's",
                 "[master files]") {
  StoreFilePart x{sha256_of("secret"), 6, 0, "secret", "user ann"};
  CHECK(ask<StoreFileResponse>(files, x)->stored == 6);
  x.data.clear();
  CHECK(ask<StoreFileResponse>(files, x)->stored == 6);
  x.identity = "user bob";
  CHECK(ask<StoreFileResponse>(files, x)->stored == 0);
  // What a sender writes there does not count.
  x.identity = "user ann";
  CHECK(ask<StoreFileResponse>(master, x)->stored == 0);
  CHECK_FALSE(submit("secret").success);
}
