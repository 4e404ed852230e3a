// The INPUT FEEDER and the APP CLIENT, between an input and a master that are played by the
// test.

#include "embedding/input_feeder.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "actors/app_client.hpp"
#include "tests/actors/fake_master.hpp"
#include "tests/support/deterministic_system.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

/// An input that the test writes.
class WrittenInput : public SeekableInput {
public:
  Result<InputPart> read(std::int64_t offset, std::size_t bytes_max) override {
    if (!problem.empty())
      return Error{Errc::unreadable, problem};
    InputPart result;
    auto at = std::min(static_cast<std::size_t>(offset), text.size());
    result.data = text.substr(at, bytes_max);
    result.end = ended && at + result.data.size() == text.size();
    result.pending = result.data.empty() && !ended;
    return result;
  }
  void read_ahead(std::int64_t offset) override {
    needed = offset;
  }
  void on_arrival(const std::function<void()>& x) override {
    arrived = x;
  }

  std::string text;
  bool ended = false;
  std::string problem;
  std::int64_t needed = -1;
  std::function<void()> arrived;
};

struct FeederFixture : DeterministicSystem {
  Record record = std::make_shared<MasterRecord>();
  std::shared_ptr<ConnectorScript> script = std::make_shared<ConnectorScript>();
  std::shared_ptr<WrittenInput> source = std::make_shared<WrittenInput>();
  std::shared_ptr<std::vector<std::string>> failures
      = std::make_shared<std::vector<std::string>>();

  /// What each executor has read, how much it takes at once, and whether it is closed.
  std::map<int, std::string> read;
  std::size_t takes = 65'536;
  AppClientActor client;
  InputFeederActor feeder;

  FeederFixture() {
    record->on_input = [this](const WriteInput& x) {
      auto& text = read[x.executor.exec_id];
      REQUIRE(x.offset <= static_cast<std::int64_t>(text.size()));
      auto known = text.size() - static_cast<std::size_t>(x.offset);
      auto fresh = x.data.substr(std::min(known, x.data.size()));
      auto taken = fresh.substr(0, takes);
      text += taken;
      return InputResponse{static_cast<std::int64_t>(text.size()),
                           x.end && taken.size() == fresh.size(),
                           {}};
    };
    script->masters = {spawn(fake_master, record)};
    AppClientConfig config;
    config.endpoint = EndpointId{"e1"};
    config.registration.masters = 1;
    config.registration.give_up_after = 60s;
    client = spawn(app_client, config, spawn(scripted_connector, script),
                   ApplicationNewsSink{[](const ApplicationNews&) {}});
    feeder = spawn(
        input_feeder, client, std::shared_ptr<SeekableInput>{source},
        std::function<void(const std::string&)>{
            [x = failures](const std::string& why) { x->push_back(why); }});
    tell(FeedFor{AppId{"app-1"}});
  }

  template <class Message>
  void tell(const Message& x) {
    caf::anon_send(feeder, x);
    scheduler.run();
  }

  void append(const std::string& text, bool end = false) {
    source->text += text;
    source->ended = end;
    source->arrived();
    scheduler.run();
  }
};

} // namespace

TEST_CASE_METHOD(FeederFixture, "each executor is written the whole input",
                 "[input]") {
  append(std::string(200'000, 'x') + "end", true);
  tell(FeedExecutor{0, WorkerId{"w1"}});
  tell(FeedExecutor{1, WorkerId{"w1"}});
  CHECK(read[0] == source->text);
  CHECK(read[1] == source->text);
  CHECK(record->inputs.back().executor == ExecutorId{AppId{"app-1"}, 1});
  // One that is started again, too.
  tell(FeedNoMore{1, false});
  tell(FeedExecutor{2, WorkerId{"w1"}});
  CHECK(read[2] == source->text);
  // Nothing more is to be said.
  auto said = record->inputs.size();
  advance(60s);
  CHECK(record->inputs.size() == said);
  CHECK(failures->empty());
}

TEST_CASE_METHOD(FeederFixture, "what is there goes to executors at once",
                 "[input]") {
  tell(FeedExecutor{0, WorkerId{"w1"}});
  CHECK(record->inputs.empty());
  CHECK(source->needed == 2 * 65'536);
  append("one\n");
  CHECK(read[0] == "one\n");
  append("two\n");
  CHECK(read[0] == "one\ntwo\n");
  CHECK(source->needed == 8 + 2 * 65'536);
  append("", true);
  CHECK(record->inputs.back().end);
  CHECK(source->needed == 0);
}

TEST_CASE_METHOD(FeederFixture, "an executor takes as much as it likes",
                 "[input]") {
  takes = 1000;
  append(std::string(10'000, 'x'), true);
  tell(FeedExecutor{0, WorkerId{"w1"}});
  CHECK(read[0] == source->text);
  CHECK(record->inputs.size() == 10);
}

TEST_CASE_METHOD(FeederFixture,
                 "what could not be said is said again, until it is known",
                 "[input]") {
  append("abc", true);
  record->error = caf::make_error(Errc::not_running);
  tell(FeedExecutor{0, WorkerId{"w1"}});
  advance(3s);
  auto said = record->inputs.size();
  CHECK(said > 2);
  CHECK(said < 8);
  record->error = {};
  advance(3s);
  CHECK(read[0] == "abc");
  CHECK(record->inputs.size() == said + 1);
}

TEST_CASE_METHOD(FeederFixture, "input is written again to another master",
                 "[input]") {
  append("abc", true);
  record->answers = false;
  tell(FeedExecutor{0, WorkerId{"w1"}});
  CHECK(record->inputs.size() == 1);
  // It goes down before it has answered.
  auto next = spawn(fake_master, record);
  kill(std::exchange(script->masters.at(0), next));
  record->answers = true;
  advance(10s);
  CHECK(read[0] == "abc");
}

TEST_CASE_METHOD(FeederFixture,
                 "an input that cannot be read, or written, is a failure",
                 "[input]") {
  SECTION("read") {
    source->problem = "no disk";
    tell(FeedExecutor{0, WorkerId{"w1"}});
    REQUIRE_FALSE(failures->empty());
    CHECK(failures->front() == "no disk");
  }
  SECTION("written") {
    append("abc", true);
    record->on_input = [](const WriteInput&) {
      return InputResponse{0, true, "the program reads no input"};
    };
    tell(FeedExecutor{0, WorkerId{"w1"}});
    CHECK(*failures
          == std::vector<std::string>{
              "the input of executor 0 cannot be written: the program reads no "
              "input"});
  }
  SECTION("written by this user") {
    append("abc", true);
    record->error
        = caf::make_error(Errc::not_allowed, std::string{"it is ann's"});
    tell(FeedExecutor{0, WorkerId{"w1"}});
    REQUIRE(failures->size() == 1);
    CHECK(failures->front().find("it is ann's") != std::string::npos);
  }
}

TEST_CASE_METHOD(FeederFixture,
                 "an executor that is found again is not told anything twice",
                 "[input]") {
  append("abc");
  tell(FeedExecutor{0, WorkerId{"w1"}});
  CHECK(read[0] == "abc");
  tell(FeedNoMore{0, true});
  append("def");
  CHECK(read[0] == "abc");
  tell(FeedAgain{0});
  CHECK(read[0] == "abcdef");
}
