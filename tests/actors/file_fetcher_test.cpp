// The FILE FETCHER between a source that is played by the test and directories.

#include "actors/file_fetcher.hpp"

#include <filesystem>
#include <fstream>

#include "tests/support/deterministic_system.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace fs = std::filesystem;

namespace {

/// Of no order: has a silent source answer with the text that comes with it.
constexpr std::uint64_t answer_all = 0;

/// What a source has heard, and has.
struct SourceRecord {
  std::map<std::string, std::string> contents;
  std::vector<FetchFilePart> questions;
  std::vector<FilesPlaced> placed;
  caf::error error;
  bool is_silent = false;
  std::vector<caf::typed_response_promise<FilePart>> unanswered;
};

FileSourceActor::behavior_type
file_source(FileSourceActor::pointer self,
            std::shared_ptr<SourceRecord> record) {
  return {
      [=](const FetchFilePart& x) -> caf::result<FilePart> {
        record->questions.push_back(x);
        if (record->error)
          return record->error;
        if (record->is_silent)
          return record->unanswered.emplace_back(
              self->make_response_promise<FilePart>());
        auto i = record->contents.find(x.sha256);
        if (i == record->contents.end())
          return FilePart{{}, "the file is not here any more"};
        return FilePart{i->second.substr(static_cast<std::size_t>(x.offset),
                                         static_cast<std::size_t>(x.limit)),
                        {}};
      },
      [=](const FilesPlaced& x) {
        if (x.ticket != answer_all)
          return record->placed.push_back(x);
        for (auto& promise : std::exchange(record->unanswered, {}))
          promise.deliver(FilePart{x.problem.value(), {}});
      },
  };
}

struct FetcherFixture : DeterministicSystem {
  TemporaryDirectory directory;
  std::shared_ptr<SourceRecord> source = std::make_shared<SourceRecord>();
  FileSourceActor source_actor = spawn(file_source, source);
  FileFetcherConfig config;
  FileFetcherActor fetcher;
  std::uint64_t tickets = 0;

  FetcherFixture() {
    config.source = source_actor;
    config.store = {directory.path("cache"), {4'000'000, 4'000'000, 0}, false};
    start();
  }

  void start() {
    fetcher = spawn(file_fetcher, config);
  }

  CommandFile add(const std::string& name, const std::string& content) {
    CommandFile result{name, sha256_of(content),
                       static_cast<std::int64_t>(content.size()), false};
    source->contents[result.sha256] = content;
    return result;
  }

  /// Returns the order's ticket.
  std::uint64_t place(const std::string& own, std::vector<CommandFile> files) {
    FetchFilePart question;
    question.worker_id = WorkerId{"w1"};
    question.executor = ExecutorId{AppId{own}, 0};
    caf::anon_send(fetcher, PlaceFiles{++tickets, question, directory.path(own),
                                       std::move(files)});
    scheduler.run();
    return tickets;
  }

  /// A silent source answers what it was asked.
  void answer(const std::string& data) {
    caf::anon_send(source_actor, FilesPlaced{answer_all, data});
    scheduler.run();
  }

  /// How the order has ended: nothing, "", or why it failed.
  std::optional<std::string> end_of(std::uint64_t ticket) {
    for (const auto& x : source->placed)
      if (x.ticket == ticket)
        return x.problem.value_or("");
    return std::nullopt;
  }
};

const std::string large(1'300'000, 'x');

} // namespace

TEST_CASE_METHOD(FetcherFixture, "files are fetched in pieces, and placed",
                 "[file fetcher]") {
  auto ticket
      = place("app", {add("one", large), add("two", "y"), add("no", "")});
  CHECK(end_of(ticket) == "");
  CHECK(directory.read("app/one") == large);
  CHECK(directory.read("app/two") == "y");
  CHECK(directory.read("app/no").empty());
  REQUIRE(source->questions.size() == 4);
  CHECK(source->questions[1].offset == FileFetcherState::piece_bytes);
  CHECK(source->questions[1].executor == ExecutorId{AppId{"app"}, 0});
}

TEST_CASE_METHOD(FetcherFixture, "what was fetched once is not fetched again",
                 "[file fetcher]") {
  auto file = add("one", large);
  place("app", {file});
  auto asked = source->questions.size();
  SECTION("nor for another program") {
  }
  SECTION("nor after a restart") {
    kill(fetcher);
    start();
  }
  CHECK(end_of(place("other", {file})) == "");
  CHECK(source->questions.size() == asked);
  // A copy is its program's own.
  std::ofstream{directory.path("app/one")} << "changed";
  CHECK(end_of(place("third", {file})) == "");
  CHECK(directory.read("third/one") == large);
}

TEST_CASE_METHOD(FetcherFixture, "programs that wait for one file share it",
                 "[file fetcher]") {
  auto file = add("one", "content");
  source->is_silent = true;
  auto first = place("app", {file});
  auto second = place("other", {file});
  REQUIRE(source->unanswered.size() == 1);
  answer("content");
  CHECK(end_of(first) == "");
  CHECK(end_of(second) == "");
  CHECK(source->questions.size() == 1);
}

TEST_CASE_METHOD(FetcherFixture, "a lost master is waited for",
                 "[file fetcher]") {
  auto file = add("one", large);
  source->error = caf::make_error(Errc::not_alive, std::string{"away"});
  auto ticket = place("app", {file});
  advance(60s);
  CHECK_FALSE(end_of(ticket));
  CHECK(source->questions.size() > 10);
  source->error = caf::error{};
  advance(1s);
  CHECK(end_of(ticket) == "");
  CHECK(directory.read("app/one") == large);
}

TEST_CASE_METHOD(FetcherFixture, "what the master refuses fails its program",
                 "[file fetcher]") {
  auto file = add("one", "content");
  SECTION("by an answer") {
    source->contents.clear();
  }
  SECTION("by an error") {
    source->error
        = caf::make_error(Errc::not_allowed, std::string{"it gets none"});
  }
  auto why = end_of(place("app", {file}));
  REQUIRE(why);
  CHECK(why->find("'one'") != std::string::npos);
  CHECK_FALSE(fs::exists(directory.path("app/one")));
}

TEST_CASE_METHOD(FetcherFixture, "what came wrong is fetched again, once",
                 "[file fetcher]") {
  auto file = add("one", "content");
  source->contents[file.sha256] = "CONTENT";
  auto why = end_of(place("app", {file}));
  REQUIRE(why);
  CHECK(why->find("not what its sha256 says") != std::string::npos);
  CHECK(source->questions.size() == 2);
}

TEST_CASE_METHOD(FetcherFixture, "a kept file that was changed is fetched anew",
                 "[file fetcher]") {
  auto file = add("one", "content");
  place("app", {file});
  std::ofstream{directory.path("cache/all/" + file.sha256)} << "malware";
  CHECK(end_of(place("other", {file})) == "");
  CHECK(directory.read("other/one") == "content");
  CHECK(source->questions.size() == 2);
}

TEST_CASE_METHOD(FetcherFixture,
                 "nobody is told of an order that was abandoned",
                 "[file fetcher]") {
  auto file = add("one", "content");
  source->is_silent = true;
  auto ticket = place("app", {file});
  caf::anon_send(fetcher, AbandonFiles{ticket});
  scheduler.run();
  answer("content");
  CHECK_FALSE(end_of(ticket));
  CHECK_FALSE(fs::exists(directory.path("app/one")));
  source->is_silent = false;
  CHECK(end_of(place("other", {file})) == "");
}

TEST_CASE_METHOD(FetcherFixture, "kept files give way to those that are needed",
                 "[file fetcher]") {
  auto one = add("one", std::string(1'500'000, '1'));
  auto two = add("two", std::string(1'500'000, '2'));
  auto three = add("three", std::string(1'500'000, '3'));
  CHECK(end_of(place("a", {one})) == "");
  advance(1s);
  CHECK(end_of(place("b", {two})) == "");
  advance(1s);
  CHECK(end_of(place("c", {one})) == "");
  auto asked = source->questions.size();
  CHECK(end_of(place("d", {three})) == "");
  CHECK(source->questions.size() > asked);
  CHECK(fs::exists(directory.path("cache/all/" + one.sha256)));
  CHECK_FALSE(fs::exists(directory.path("cache/all/" + two.sha256)));
  auto none = end_of(place("e", {add("huge", std::string(4'000'001, 'x'))}));
  REQUIRE(none);
  CHECK_FALSE(none->empty());
}

TEST_CASE_METHOD(FetcherFixture, "kept files go an hour after their last use",
                 "[file fetcher]") {
  auto file = add("one", "content");
  place("app", {file});
  auto kept = directory.path("cache/all/" + file.sha256);
  advance(50min, 1s);
  place("other", {file});
  advance(50min, 1s);
  CHECK(fs::exists(kept));
  advance(11min, 1s);
  CHECK_FALSE(fs::exists(kept));
  CHECK(pending_timers() == 0);
}
