// Files that go with commands: what is stored counts when it is whole, and what it should
// be; of each owner apart, within limits, and after a crash.

#include "storage/file_store.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "messages/descriptions.hpp"
#include "storage/file_uses.hpp"
#include "storage/place_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace fs = std::filesystem;

namespace {

constexpr Instant at{1'000'000ms};

FileKey key_of(const std::string& content, const std::string& owner = "o") {
  return {owner, sha256_of(content)};
}

struct StoreFixture {
  TemporaryDirectory directory;
  FileStoreConfig config{directory.path("files"), {}, true};
  std::unique_ptr<FileStore> store;

  explicit StoreFixture() {
    config.limits = {1000, FileLimits::smallest * 3, 0};
    start();
  }

  /// As after a restart.
  std::vector<FileKey> start() {
    store = std::make_unique<FileStore>(config);
    auto found = store->open(at);
    REQUIRE(found);
    return *found;
  }

  Result<std::int64_t> put(const std::string& content, std::int64_t offset,
                           const std::string& data, Instant now = at,
                           const std::string& owner = "o",
                           FileShare share = FileShare::all) {
    return store->put(key_of(content, owner),
                      static_cast<std::int64_t>(content.size()), offset, data,
                      now, share);
  }

  [[nodiscard]] std::size_t files() const {
    std::size_t result = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator i{directory.path("files"), error},
         end;
         !error && i != end; i.increment(error))
      result += i->is_regular_file() ? 1 : 0;
    return result;
  }
};

} // namespace

TEST_CASE("a SHA-256 is that of the standard", "[files]") {
  // FIPS 180-2, appendix B.
  CHECK(sha256_of("abc")
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_of("")
        == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE_METHOD(StoreFixture, "a file grows to its end, and is then there",
                 "[files]") {
  CHECK(*put("abcdef", 0, "") == 0);
  CHECK(files() == 0);
  CHECK(*put("abcdef", 0, "abc") == 3);
  // What was sent before, or does not follow, adds nothing.
  CHECK(*put("abcdef", 0, "abc") == 3);
  CHECK(*put("abcdef", 5, "f") == 3);
  CHECK_FALSE(store->size(key_of("abcdef")));
  CHECK(*put("abcdef", 3, "def") == 6);
  CHECK(store->size(key_of("abcdef")) == 6);
  CHECK(*put("abcdef", 0, "") == 6);
  CHECK(*store->read(key_of("abcdef"), 1, 3) == "bcd");
  CHECK(*store->read(key_of("abcdef"), 4, 99) == "ef");
  CHECK(store->read(key_of("abcdef"), 6, 1)->empty());
  CHECK(store->read(key_of("abcdef"), 7, 1).code() == Errc::invalid_request);
  CHECK(mode_of(store->path_of(key_of("abcdef"))) == 0600);
  CHECK(mode_of(directory.path("files/o")) == 0700);
}

TEST_CASE_METHOD(StoreFixture, "an empty file is there at once", "[files]") {
  CHECK(*put("", 0, "") == 0);
  CHECK(store->size(key_of("")) == 0);
  CHECK(store->read(key_of(""), 0, 10)->empty());
}

TEST_CASE_METHOD(StoreFixture,
                 "what is not what its sum says is removed, with an error",
                 "[files]") {
  REQUIRE(*put("abcdef", 0, "abc") == 3);
  auto wrong = put("abcdef", 3, "xyz");
  CHECK(wrong.code() == Errc::invalid_request);
  CHECK(wrong.error().message.find("not what its sha256 says")
        != std::string::npos);
  CHECK(files() == 0);
  CHECK(store->used() == 0);
  CHECK(*put("abcdef", 0, "abcdef") == 6);
}

TEST_CASE_METHOD(StoreFixture, "what is no piece of a file is refused",
                 "[files]") {
  struct Case {
    std::string sha256;
    std::int64_t bytes;
    std::int64_t offset;
    std::string data;
  };
  auto good = sha256_of("abc");
  auto wrong = GENERATE_COPY(
      Case{"../../etc/passwd", 3, 0, "abc"}, Case{"", 3, 0, "abc"},
      Case{good.substr(1), 3, 0, "abc"}, Case{good + "0", 3, 0, "abc"},
      Case{"BA" + good.substr(2), 3, 0, "abc"}, Case{good, -1, 0, ""},
      Case{good, 3, -1, "abc"}, Case{good, 3, 4, ""}, Case{good, 3, 1, "abc"},
      Case{good, 2'000'000, 0, std::string(1'048'577, 'x')});
  CHECK(
      store->put({"o", wrong.sha256}, wrong.bytes, wrong.offset, wrong.data, at)
          .code()
      == Errc::invalid_request);
  CHECK(files() == 0);
}

TEST_CASE_METHOD(StoreFixture,
                 "who knows the sum of another one's file gets nothing by it",
                 "[files]") {
  auto ann = file_owner("user ann");
  auto bob = file_owner("user bob");
  REQUIRE(ann != bob);
  REQUIRE(*put("secret", 0, "secret", at, ann) == 6);
  CHECK(*put("secret", 0, "", at, bob) == 0);
  CHECK(store->read(key_of("secret", bob), 0, 6).code() == Errc::not_found);
  CHECK(*store->read(key_of("secret", ann), 0, 6) == "secret");
}

TEST_CASE_METHOD(StoreFixture,
                 "a file store takes at most half of all from one user",
                 "[files]") {
  config.limits.all = FileLimits::smallest * 4;
  start();
  auto of = [&](const std::string& owner, const std::string& content) {
    return put(content, 0, content, at, owner, FileShare::half);
  };
  CHECK(of("ann", "one"));
  // What has begun counts, too.
  CHECK(put("two", 0, "t", at, "ann", FileShare::half));
  auto refused = of("ann", "three");
  REQUIRE(refused.code() == Errc::full);
  CHECK(refused.error().message.starts_with(
      "the files of one user may have at most half of all room, "));
  CHECK(*put("two", 1, "wo", at, "ann", FileShare::half) == 3);
  CHECK(of("bob", "one"));
  CHECK(of("bob", "two"));
  store->remove(key_of("one", "ann"));
  CHECK(of("ann", "three"));
}

TEST_CASE_METHOD(StoreFixture,
                 "a file store leaves room for others when two users take all "
                 "that they may",
                 "[files]") {
  config.limits.all = FileLimits::smallest * 16;
  start();
  auto take_all = [&](const std::string& owner) {
    int result = 0;
    auto content = std::to_string(result);
    while (put(content, 0, content, at, owner, FileShare::half))
      content = std::to_string(++result);
    return result;
  };
  CHECK(take_all("ann") == 8);
  CHECK(take_all("bob") == 5);
  auto refused = put("more", 0, "more", at, "bob", FileShare::half);
  REQUIRE(refused.code() == Errc::full);
  CHECK(refused.error().message.starts_with(
      "the files of one user may have no more than what is free, "));
  CHECK(take_all("cyd") == 2);
}

TEST_CASE_METHOD(StoreFixture, "files have limits, each and all together",
                 "[files]") {
  auto large = put(std::string(1001, 'x'), 0, "");
  CHECK(large.code() == Errc::invalid_request);
  CHECK(large.error().message.find("stoker.files.maxFileSize")
        != std::string::npos);
  // Small ones count as larger ones: there may not be any number of them.
  REQUIRE(*put("one", 0, "one") == 3);
  REQUIRE(*put("two", 0, "two") == 3);
  REQUIRE(*put("three", 0, "th") == 2);
  CHECK(put("four", 0, "").code() == Errc::full);
  CHECK(put("four", 0, "four").code() == Errc::full);
  // What has begun goes on.
  CHECK(*put("three", 2, "ree") == 5);
  store->remove(key_of("one"));
  CHECK(*put("four", 0, "four") == 4);
  CHECK(store->used() == 3 * FileLimits::smallest);
}

TEST_CASE_METHOD(StoreFixture,
                 "nothing is taken that would fill the disk for others",
                 "[files]") {
  config.limits.left_free = std::int64_t{1} << 60;
  start();
  auto full = put("abc", 0, "abc");
  CHECK(full.code() == Errc::full);
  CHECK(full.error().message.starts_with(
      "there is no room for it: 1099511627776 MB of the master's disk stay "
      "free"));
  CHECK(files() == 0);
}

TEST_CASE_METHOD(StoreFixture, "after a crash files are found again",
                 "[files]") {
  REQUIRE(*put("abcdef", 0, "abcdef") == 6);
  REQUIRE(*put("ghijkl", 0, "ghi") == 3);
  std::ofstream{directory.path("files/o/notes")} << "not ours";
  CHECK(start() == std::vector{key_of("abcdef")});
  CHECK(*store->read(key_of("abcdef"), 0, 6) == "abcdef");
  SECTION("and what had begun goes on") {
    CHECK(*put("ghijkl", 0, "") == 3);
    CHECK(*put("ghijkl", 3, "jkl") == 6);
    CHECK(*store->read(key_of("ghijkl"), 0, 6) == "ghijkl");
  }
  SECTION("and what was damaged meanwhile is not taken") {
    std::ofstream{store->path_of(key_of("ghijkl")) + ".part"} << "GHI";
    CHECK(put("ghijkl", 3, "jkl").code() == Errc::invalid_request);
    CHECK(*put("ghijkl", 0, "ghijkl") == 6);
  }
  SECTION("and what was complete counts") {
    std::ofstream{store->path_of(key_of("ghijkl")) + ".part"} << "ghijkl";
    start();
    CHECK(*put("ghijkl", 0, "") == 6);
    CHECK(store->size(key_of("ghijkl")) == 6);
  }
}

TEST_CASE_METHOD(StoreFixture, "a beginning that does not grow is removed",
                 "[files]") {
  REQUIRE(*put("abcdef", 0, "abc") == 3);
  store->remove_old_beginnings(at + 1h - 1ms);
  CHECK(*put("abcdef", 3, "d", at + 30min) == 4);
  store->remove_old_beginnings(at + 1h);
  CHECK(*put("abcdef", 0, "", at + 1h) == 4);
  store->remove_old_beginnings(at + 90min);
  CHECK(files() == 0);
  CHECK(store->used() == 0);
}

TEST_CASE("files of a master without a directory go with it", "[files]") {
  std::string path;
  {
    FileStore store{{{}, {1000, 1 << 20, 0}, false}};
    CHECK(store.open(at)->empty());
    REQUIRE(*store.put(key_of("abc"), 3, 0, "abc", at) == 3);
    path = store.path_of(key_of("abc"));
    CHECK(fs::exists(path));
    CHECK(mode_of(fs::path{path}.parent_path().parent_path()) == 0700);
  }
  CHECK_FALSE(fs::exists(fs::path{path}.parent_path().parent_path()));
}

TEST_CASE("files are kept for an hour after they were needed", "[files]") {
  FileUses uses;
  auto one = key_of("one");
  auto two = key_of("two");
  uses.reset({one}, at);
  uses.add(two, at);
  uses.use(two, at + 30min);
  uses.use(key_of("three"), at);
  CHECK(uses.take_old(at + 1h - 1ms).empty());
  CHECK(uses.take_old(at + 1h) == std::vector{one});
  CHECK_FALSE(uses.contains(one));
  CHECK(uses.contains(two));
  CHECK(uses.take_old(at + 90min) == std::vector{two});
}

TEST_CASE("what nobody has needed for longest goes first", "[files]") {
  FileUses uses;
  uses.add(key_of("one"), at);
  uses.add(key_of("two"), at + 1s);
  uses.add(key_of("three"), at + 2s);
  CHECK(uses.take_oldest({key_of("one")}) == key_of("two"));
  CHECK(uses.take_oldest({key_of("one")}) == key_of("three"));
  CHECK_FALSE(uses.take_oldest({key_of("one")}));
  CHECK(uses.contains(key_of("one")));
}

// -- in the directory of a program ---------------------------------------------

namespace {

struct PlaceFixture {
  TemporaryDirectory directory;
  std::string source = directory.write("source", "content");
  CommandFile file{"name", sha256_of("content"), 7, false};

  Status place() {
    auto own = open_own_directory(directory.path("own"));
    if (!own)
      return std::move(own).error();
    return place_file(source, file, own->get());
  }
};

} // namespace

TEST_CASE_METHOD(PlaceFixture, "a file is copied into a program's directory",
                 "[files]") {
  auto old = ::umask(0777);
  auto placed = place();
  ::umask(old);
  REQUIRE(placed);
  CHECK(directory.read("own/name") == "content");
  CHECK(mode_of(directory.path("own/name")) == 0600);
  CHECK(mode_of(directory.path("own")) == 0700);
  // It is a copy: whoever changes it changes no other.
  CHECK(fs::hard_link_count(directory.path("own/name")) == 1);
  file.name = "tool";
  file.executable = true;
  REQUIRE(place());
  CHECK(mode_of(directory.path("own/tool")) == 0700);
}

TEST_CASE_METHOD(PlaceFixture, "a damaged file is not copied", "[files]") {
  std::ofstream{source} << "CONTENT";
  CHECK(place().code() == Errc::corrupt);
  std::ofstream{source} << "content and more";
  CHECK(place().code() == Errc::corrupt);
  fs::remove(source);
  CHECK(place().code() == Errc::corrupt);
  CHECK(fs::is_empty(directory.path("own")));
}

TEST_CASE_METHOD(PlaceFixture, "nothing is written through a link", "[files]") {
  auto elsewhere = directory.write("elsewhere", "mine");
  SECTION("of the file's name") {
    fs::create_directory(directory.path("own"));
    fs::create_symlink(elsewhere, directory.path("own/name"));
  }
  SECTION("of the directory's name") {
    fs::create_directory(directory.path("other"));
    fs::create_symlink(directory.path("other"), directory.path("own"));
  }
  SECTION("nor over what is there") {
    fs::create_directory(directory.path("own"));
    directory.write("own/name", "mine");
  }
  // Who ran here before has put it there.
  CHECK(place().code() == Errc::not_allowed);
  CHECK(directory.read("elsewhere") == "mine");
  CHECK_FALSE(fs::exists(directory.path("other/name")));
}
