// What a journal in a file promises when its process or its disk fails.

#include "storage/sqlite_journal.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>

#include "storage/stored_view.hpp"
#include "tests/storage/journals.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// A process of its own that runs a function, which may tell numbers.
class Child {
public:
  using Tell = std::function<void(int)>;

  explicit Child(const std::function<void(const Tell&)>& run) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      // Should the parent die, or this go on for ever.
      ::alarm(100);
      ::close(ends[0]);
      try {
        run([&](int x) {
          if (::write(ends[1], &x, sizeof(x)) != sizeof(x))
            _exit(3);
        });
      } catch (...) {
        _exit(2);
      }
      _exit(0);
    }
    ::close(ends[1]);
    numbers_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    kill();
    ::close(numbers_);
  }

  /// The next number; nothing at the end.
  std::optional<int> next() {
    int x = 0;
    return ::read(numbers_, &x, sizeof(x)) == sizeof(x) ? std::optional{x}
                                                        : std::nullopt;
  }

  void kill() {
    if (pid_ <= 0)
      return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

private:
  pid_t pid_ = 0;
  int numbers_ = -1;
};

/// Two records, of which there is never one alone.
Changes pair(int i) {
  auto name = std::to_string(1'000'000 + i);
  StoredCompany company;
  company.name = name;
  return {StoredUser{name}, company};
}

void check_pairs(const StoredState& state, std::size_t count) {
  REQUIRE(state.users.size() == state.companies.size());
  CHECK(state.users.size() >= count);
  for (std::size_t i = 0; i < state.users.size(); ++i) {
    auto name = std::to_string(1'000'000 + i);
    CHECK(state.users[i].name == name);
    CHECK(state.companies[i].name == name);
  }
}

/// Neither it nor anybody else would find again what is written.
void check_that_it_misses_its_file(Journal& journal, const SqlitePlace& place) {
  CHECK_FALSE(journal.check());
  auto status = journal.commit(pair(1));
  REQUIRE_FALSE(status);
  CHECK(status.error().message
        == "the database " + place.file()
               + " was removed or replaced while it was in use");
}

} // namespace

TEST_CASE("what was said to be committed survives a kill", "[storage]") {
  SqlitePlace place;
  auto told = 0;
  std::uint64_t epoch = 0;
  for (auto round = 1; round <= 5; ++round) {
    Child child{[&](const Child::Tell& tell) {
      auto journal = place.open();
      auto first = static_cast<int>(journal->lead("a", 1)->stored.users.size());
      for (auto i = first;; ++i) {
        REQUIRE(journal->commit(pair(i)));
        tell(i);
      }
    }};
    for (auto n = 0; n < 40 * round; ++n) {
      auto last = child.next();
      REQUIRE(last);
      told = *last + 1;
    }
    child.kill();
    while (auto last = child.next())
      told = *last + 1;
    auto leadership = *place.open()->lead("b", 2);
    CHECK(leadership.epoch.value > epoch);
    epoch = leadership.epoch.value;
    check_pairs(leadership.stored, static_cast<std::size_t>(told));
  }
}

TEST_CASE("a full disk stores nothing of a commit, and can be tried again",
          "[storage]") {
  SqlitePlace place;
  Child child{[&](const Child::Tell& tell) {
    // Calls are to fail, and not to end the process.
    signal(SIGXFSZ, SIG_IGN);
    auto journal = place.open();
    REQUIRE(journal->lead("a", 1));
    auto limit_files = [](rlim_t bytes) {
      rlimit limit{};
      getrlimit(RLIMIT_FSIZE, &limit);
      limit.rlim_cur = bytes;
      setrlimit(RLIMIT_FSIZE, &limit);
    };
    limit_files(rlim_t{256} << 10U);
    auto i = 0;
    auto commit
        = [&] { return static_cast<int>(journal->commit(pair(i)).code()); };
    auto code = 0;
    while (code == 0 && i < 10'000) {
      code = commit();
      i += code == 0 ? 1 : 0;
    }
    tell(code);
    tell(i);
    // Still.
    tell(commit());
    limit_files(RLIM_INFINITY);
    REQUIRE(journal->commit(pair(i)));
    REQUIRE(journal->commit(pair(i + 1)));
    tell(i + 2);
  }};
  CHECK(child.next() == static_cast<int>(Errc::full));
  auto committed = child.next();
  REQUIRE(committed);
  CHECK(*committed > 10);
  CHECK(child.next() == static_cast<int>(Errc::full));
  auto all = child.next();
  REQUIRE(all == *committed + 2);
  auto state = stored_in(place);
  CHECK(state.users.size() == static_cast<std::size_t>(*all));
  check_pairs(state, static_cast<std::size_t>(*all));
}

TEST_CASE("a full disk makes no half of a file", "[storage]") {
  SqlitePlace place;
  Child child{[&](const Child::Tell& tell) {
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 8192;
    setrlimit(RLIMIT_FSIZE, &limit);
    tell(static_cast<int>(SqliteJournal::open(place.file()).code()));
  }};
  CHECK(child.next() == static_cast<int>(Errc::full));
  CHECK(std::filesystem::is_empty(place.directory.path(".")));
  CHECK(stored_in(place) == StoredState{});
}

TEST_CASE("a change that fails takes the others of its commit with it",
          "[storage]") {
  SqlitePlace place;
  auto journal = place.open();
  REQUIRE(journal->lead("a", 1));
  REQUIRE(journal->commit({StoredUser{"kept"}}));
  SQLite::Database shell{place.file(), SQLite::OPEN_READWRITE};
  shell.exec("CREATE TRIGGER no BEFORE INSERT ON companies "
             "BEGIN SELECT RAISE(ABORT, 'no company'); END");
  Changes changes{StoredUser{"b"}, EraseUser{"kept"}, StoredCompany{"c"}};
  auto error = error_of(journal->commit(changes));
  CHECK(error.code == Errc::corrupt);
  CHECK(error.message.find("no company") != std::string::npos);
  CHECK(stored_in(place).users == std::vector{StoredUser{"kept"}});
  shell.exec("DROP TRIGGER no");
  REQUIRE(journal->lead("a", 2));
  REQUIRE(journal->commit(changes));
  CHECK(stored_in(place).users == std::vector{StoredUser{"b"}});
}

TEST_CASE("a reader with a long look does not hold up commits", "[storage]") {
  SqlitePlace place;
  auto journal = place.open();
  REQUIRE(journal->lead("a", 1));
  SQLite::Database reader{place.file(), SQLite::OPEN_READONLY};
  SQLite::Transaction look{reader};
  CHECK(reader.execAndGet("SELECT count(*) FROM users").getInt() == 0);
  for (auto i = 0; i < 20; ++i)
    REQUIRE(journal->commit({StoredUser{std::to_string(i)}}));
  CHECK(reader.execAndGet("SELECT count(*) FROM users").getInt() == 0);
  CHECK(stored_in(place).users.size() == 20);
}

TEST_CASE("nothing is committed to a database that is gone", "[storage]") {
  SqlitePlace place;
  auto journal = place.open();
  REQUIRE(journal->lead("a", 1));
  REQUIRE(journal->commit(pair(0)));
  auto gone = GENERATE(std::string{""}, std::string{"-wal"});
  std::filesystem::remove(place.file() + gone);
  check_that_it_misses_its_file(*journal, place);
}

TEST_CASE("a database may be a link to another disk", "[storage]") {
  namespace fs = std::filesystem;
  SqlitePlace place;
  place.open();
  auto disk = place.directory.path("disk");
  fs::create_directory(disk);
  fs::rename(place.file(), disk + "/moved.db");
  // Relative to where the link is.
  fs::create_symlink("disk/moved.db", place.file());
  auto journal = place.open();
  REQUIRE(journal->lead("a", 1));
  CHECK(journal->commit(pair(0)));
  CHECK(journal->check());
  CHECK(fs::exists(disk + "/moved.db-wal"));
  CHECK_FALSE(fs::exists(place.file() + "-wal"));
  // Also what is in the log only.
  auto seen = view_stored(place.file());
  REQUIRE(seen);
  CHECK(seen->state.users.size() == 1);
  CHECK(check_stored(place.file())->empty());
  auto gone = GENERATE(as<std::string>{}, "disk/moved.db", "disk/moved.db-wal",
                       "stoker.db");
  fs::remove(place.directory.path(gone));
  check_that_it_misses_its_file(*journal, place);
}

TEST_CASE("a link that leads to another database now is told", "[storage]") {
  namespace fs = std::filesystem;
  SqlitePlace place;
  place.open();
  auto beside = place.directory.path("beside.db");
  fs::rename(place.file(), place.directory.path("first.db"));
  REQUIRE(open_and_lead(beside));
  fs::create_symlink("first.db", place.file());
  auto journal = place.open();
  REQUIRE(journal->lead("a", 1));
  fs::remove(place.file());
  fs::create_symlink("beside.db", place.file());
  CHECK_FALSE(journal->commit(pair(0)));
}

TEST_CASE("a database that was there is not made anew", "[storage]") {
  SqlitePlace place;
  auto opened
      = SqliteJournal::open(place.file(), SqliteJournal::Missing::refuse);
  REQUIRE_FALSE(opened);
  CHECK(opened.error().message.find("was here and is gone")
        != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(place.file()));
}
