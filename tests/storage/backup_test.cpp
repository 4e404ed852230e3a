// Copies of what a master stores: complete, private, and never in place of anything.

#include "storage/backup.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "storage/history_store.hpp"
#include "storage/stored_view.hpp"
#include "tests/storage/journals.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;
namespace fs = std::filesystem;

namespace {

std::set<std::string> names_of(const std::string& directory) {
  std::set<std::string> result;
  for (const auto& x : fs::directory_iterator{directory})
    result.insert(x.path().filename());
  return result;
}

std::string file_bytes(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::set<std::string> users_in(const std::string& directory) {
  auto found = view_stored(journal_file(directory));
  REQUIRE(found);
  std::set<std::string> result;
  for (const auto& x : found->state.users)
    result.insert(x.name);
  return result;
}

/// A master's directory, and one for copies, which is not there yet.
struct BackupPlace {
  [[nodiscard]] std::string from() const {
    return place.directory.path(".");
  }
  [[nodiscard]] std::string to() const {
    return copies.path("monday");
  }
  SqlitePlace place;
  TemporaryDirectory copies;
};

} // namespace

TEST_CASE("a backup has what was committed last, while a master goes on",
          "[storage]") {
  BackupPlace x;
  auto journal = x.place.open();
  REQUIRE(journal->lead("a", 1));
  REQUIRE(journal->commit({StoredUser{"before"}}));
  auto made = back_up(x.from(), x.to());
  REQUIRE(made);
  CHECK(made->files == std::vector<std::string>{journal_file(x.to())});
  CHECK_FALSE(made->history_problem);
  REQUIRE(journal->commit({StoredUser{"later"}}));
  CHECK(users_in(x.to()) == std::set<std::string>{"before"});
  CHECK(check_stored(journal_file(x.to()))->empty());
  auto again = SqliteJournal::open(journal_file(x.to()));
  REQUIRE(again);
  CHECK((*again)->lead("b", 1)->stored.users.size() == 1);
}

TEST_CASE("a backup follows a link, and has what was committed last",
          "[storage]") {
  BackupPlace x;
  x.place.open();
  auto moved = x.copies.path("moved.db");
  fs::rename(x.place.file(), moved);
  fs::create_symlink(moved, x.place.file());
  auto journal = x.place.open();
  REQUIRE(journal->lead("a", 1));
  REQUIRE(journal->commit({StoredUser{"last"}}));
  REQUIRE(back_up(x.from(), x.to()));
  CHECK(users_in(x.to()) == std::set<std::string>{"last"});
  CHECK_FALSE(fs::is_symlink(journal_file(x.to())));
}

TEST_CASE("a backup changes nothing where no master runs", "[storage]") {
  BackupPlace x;
  {
    auto journal = x.place.open();
    REQUIRE(journal->lead("a", 1));
    REQUIRE(journal->commit({StoredUser{"ann"}}));
  }
  auto names = names_of(x.from());
  auto before = file_bytes(x.place.file());
  REQUIRE(back_up(x.from(), x.to()));
  CHECK(users_in(x.to()) == std::set<std::string>{"ann"});
  CHECK(names_of(x.from()) == names);
  CHECK(file_bytes(x.place.file()) == before);
}

TEST_CASE("a backup has the history, too, and is its owner's alone",
          "[storage]") {
  BackupPlace x;
  REQUIRE(x.place.open()->lead("a", 1));
  REQUIRE(HistoryStore::open(history_file(x.from()), {}));
  auto old = ::umask(0);
  auto made = back_up(x.from(), x.to());
  ::umask(old);
  REQUIRE(made);
  CHECK(
      made->files
      == std::vector<std::string>{journal_file(x.to()), history_file(x.to())});
  CHECK(names_of(x.to()) == std::set<std::string>{"stoker.db", "history.db"});
  for (const auto& file : made->files)
    CHECK(mode_of(file) == 0600);
  CHECK(mode_of(x.to()) == 0700);
  CHECK(HistoryStore::open(history_file(x.to()), {}));
}

TEST_CASE("a history that cannot be read keeps nothing else from its copy",
          "[storage]") {
  BackupPlace x;
  REQUIRE(x.place.open()->lead("a", 1));
  std::ofstream{history_file(x.from())} << "garbage";
  auto made = back_up(x.from(), x.to());
  REQUIRE(made);
  CHECK(made->files == std::vector<std::string>{journal_file(x.to())});
  REQUIRE(made->history_problem);
  CHECK(made->history_problem->message.find("history.db") != std::string::npos);
  CHECK(names_of(x.to()) == std::set<std::string>{"stoker.db"});
}

TEST_CASE("a backup of nothing makes nothing", "[storage]") {
  BackupPlace x;
  auto source = GENERATE("missing", ".");
  auto error = error_of(back_up(x.place.directory.path(source), x.to()));
  CHECK(error.message.find("No such file or directory") != std::string::npos);
  std::ofstream{x.place.file()} << "garbage";
  error = error_of(back_up(x.from(), x.to()));
  CHECK(error.message.find("is not a database of SQLite") != std::string::npos);
  CHECK_FALSE(fs::exists(x.to()));
  CHECK(error_of(back_up(x.from(), "")).message.find("needs a name")
        != std::string::npos);
}

TEST_CASE("a backup takes no other's place", "[storage]") {
  BackupPlace x;
  REQUIRE(x.place.open()->lead("a", 1));
  REQUIRE(HistoryStore::open(history_file(x.from()), {}));
  fs::create_directories(x.to());
  const auto* taken = GENERATE("stoker.db", "history.db");
  std::ofstream{x.to() + '/' + taken} << "of yesterday";
  CHECK(error_of(back_up(x.from(), x.to())).message
        == x.to() + '/' + taken
               + " exists already; nothing was written: name another "
                 "directory");
  CHECK(names_of(x.to()) == std::set<std::string>{taken});
  CHECK(file_bytes(x.to() + '/' + taken) == "of yesterday");
}
