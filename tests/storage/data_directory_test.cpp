// A master's directory: storage/data_directory.hpp.

#include "storage/data_directory.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "storage/file_system.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// Which directory is on NFS, for the function below.
std::string nfs_directory;

} // namespace

/// In place of the C library's.
extern "C" int statfs(const char* path, struct statfs* status) noexcept {
  auto result = static_cast<int>(::syscall(SYS_statfs, path, status));
  constexpr long nfs = 0x6969;
  if (result == 0 && path == nfs_directory)
    status->f_type = nfs;
  return result;
}

namespace {

/// Why it cannot be had; empty if it can.
std::string why_not_opened(const std::string& path) {
  auto result = DataDirectory::open(path);
  return result ? "" : result.error().message;
}

} // namespace

TEST_CASE("a data directory is created, and closed to others", "[storage]") {
  TemporaryDirectory parent;
  auto old = umask(0);
  auto path = parent.path(GENERATE("data", "a/b/data", "data/", "./data"));
  auto opened = DataDirectory::open(path);
  umask(old);
  INFO(path);
  REQUIRE(opened);
  CHECK(opened->path() == path);
  CHECK(mode_of(path) == 0700);
  CHECK(mode_of(path + "/lock") == 0600);
}

TEST_CASE("a second master is refused", "[storage]") {
  TemporaryDirectory parent;
  auto path = parent.path("data");
  auto first = DataDirectory::open(path);
  REQUIRE(first);
  CHECK(DataDirectory::open(path).code() == Errc::in_use);
  CHECK(why_not_opened(path)
        == "cannot use the data directory " + path
               + ": another master has it; choose another with --data");
  // Not by another name either.
  CHECK(why_not_opened(parent.path("./data")) != "");
}

TEST_CASE("the lock is free once a master has ended", "[storage]") {
  TemporaryDirectory parent;
  auto path = parent.path("data");
  {
    auto first = DataDirectory::open(path);
    REQUIRE(first);
    // Moved, not copied: it is the same lock.
    auto moved = *std::move(first);
    CHECK(why_not_opened(path) != "");
  }
  CHECK(why_not_opened(path).empty());
  CHECK(why_not_opened(path).empty());
}

TEST_CASE("a directory that cannot be used is named, with the reason",
          "[storage]") {
  TemporaryDirectory parent;
  auto file = parent.write("file", "");
  auto problem = why_not_opened(file + "/data");
  CHECK(problem.find("cannot use the data directory " + file + "/data: ") == 0);
  CHECK(problem.find("Not a directory") != std::string::npos);
  CHECK(why_not_opened(file) != "");
  CHECK(why_not_opened("") != "");
}

TEST_CASE("a lock that leads elsewhere is not followed", "[storage]") {
  TemporaryDirectory parent;
  std::filesystem::create_directory(parent.path("data"));
  auto target = parent.path("target");
  std::filesystem::create_symlink(target, parent.path("data/lock"));
  CHECK(why_not_opened(parent.path("data")) != "");
  CHECK_FALSE(std::filesystem::exists(target));
}

TEST_CASE("a lock whose file was removed or replaced is lost", "[storage]") {
  TemporaryDirectory parent;
  auto path = parent.path("data");
  auto opened = DataDirectory::open(path);
  REQUIRE(opened);
  const auto& first = *opened;
  CHECK(first.is_locked());
  std::filesystem::remove(path + "/lock");
  CHECK_FALSE(first.is_locked());
  auto second = DataDirectory::open(path);
  REQUIRE(second);
  CHECK_FALSE(first.is_locked());
  CHECK(second->is_locked());
}

TEST_CASE("a directory that was there is not made anew", "[storage]") {
  TemporaryDirectory parent;
  auto path = parent.path("data");
  auto opened = DataDirectory::open(path, DataDirectory::Missing::refuse);
  REQUIRE_FALSE(opened);
  CHECK(
      opened.error().message
      == "the data directory " + path
             + " was here and is gone; put it back, or start the master again "
               "to begin without it");
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a directory in which others may write is refused", "[storage]") {
  TemporaryDirectory parent;
  auto path = parent.path("data");
  std::filesystem::create_directory(path);
  auto mode = GENERATE(0770, 0777, 0702);
  REQUIRE(chmod(path.c_str(), static_cast<mode_t>(mode)) == 0);
  CHECK(why_not_opened(path)
        == "others may write in the data directory " + path
               + ", and so change what is stored; try chmod go-w " + path);
  REQUIRE(chmod(path.c_str(), 0755) == 0);
  CHECK(why_not_opened(path).empty());
}

TEST_CASE("a lock says who holds it", "[storage]") {
  TemporaryDirectory parent;
  auto path = parent.path("data");
  CHECK_FALSE(read_lock_holder(path));
  std::filesystem::create_directory(path);
  // What an earlier holder left may be longer.
  parent.write("data/lock", std::string(300, '7') + '\n');
  auto opened = DataDirectory::open(path);
  REQUIRE(opened);
  auto holder = read_lock_holder(path);
  REQUIRE(holder);
  CHECK(holder->process == LockHolder::self().process);
  CHECK(parse_lock_holder(to_string(*holder)) == holder);
  opened->show_life();
  auto later = read_lock_holder(path);
  REQUIRE(later);
  CHECK(later->sign > holder->sign);
  CHECK(later->process == holder->process);
}

TEST_CASE("what is no holder of a lock is not read as one", "[storage]") {
  for (const auto* text :
       {"", " ", "1", "1 2", "1 2 here", "-1 2 here 3", "0 2 here 3",
        "x 2 here 3", "1 2 here x", "99999999999999999999 2 here 3"}) {
    INFO(text);
    CHECK_FALSE(parse_lock_holder(text));
  }
}

TEST_CASE("a holder is killed, and nobody else", "[storage]") {
  auto child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::alarm(100);
    for (;;)
      ::pause();
  }
  auto holder = LockHolder::self();
  CHECK_FALSE(end_lock_holder(holder));
  holder.process = process::identify(child);
  auto other = holder;
  SECTION("of another machine") {
    other.place = "elsewhere/1";
    CHECK_FALSE(end_lock_holder(other));
  }
  SECTION("that has ended, and whose pid another one has") {
    ++other.process.start;
    CHECK(end_lock_holder(other));
  }
  CHECK(waitpid(child, nullptr, WNOHANG) == 0);
  CHECK(end_lock_holder(holder));
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
}

TEST_CASE("a data directory of another user is refused", "[storage]") {
  TemporaryDirectory parent;
  auto path = parent.path("data");
  REQUIRE(DataDirectory::open(path));
  constexpr uid_t other = 65534;
  if (chown(path.c_str(), other, other) != 0)
    return skip("only root can give a directory away");
  CHECK(why_not_opened(path)
        == "cannot use the data directory " + path
               + ": it belongs to another user, of id 65534, who may change "
                 "what is stored; choose another with --data");
}

TEST_CASE("a data directory behind a link is refused when either is another "
          "user's",
          "[storage]") {
  TemporaryDirectory parent;
  auto path = parent.path("data");
  auto link = parent.path("link");
  std::filesystem::create_directory(path);
  std::filesystem::create_symlink(path, link);
  constexpr uid_t other = 65534;
  auto target = GENERATE(false, true);
  if (lchown((target ? path : link).c_str(), other, other) != 0)
    return skip("only root can give a directory away");
  CHECK(why_not_opened(link).find("it belongs to another user, of id 65534")
        != std::string::npos);
}

TEST_CASE("a data directory on a network file system is refused", "[storage]") {
  TemporaryDirectory parent;
  nfs_directory = parent.path("data");
  auto problem = why_not_opened(nfs_directory);
  CHECK(problem
        == "cannot use the data directory " + nfs_directory
               + ": it is on a network file system (NFS), where locks and the "
                 "database's log are not reliable; choose another with --data");
  CHECK_FALSE(std::filesystem::exists(nfs_directory + "/lock"));
  nfs_directory.clear();
  CHECK(why_not_opened(parent.path("data")).empty());
}

TEST_CASE("network file systems are told from local ones", "[storage]") {
  constexpr std::uint64_t nfs = 0x6969, cifs = 0xff534d42, smb2 = 0xfe534d42,
                          ceph = 0x00c36400, lustre = 0x0bd00bd0,
                          afs = 0x5346414f;
  CHECK(network_file_system(nfs) == "NFS");
  CHECK(network_file_system(cifs) == "CIFS");
  CHECK(network_file_system(smb2) == "SMB2");
  CHECK(network_file_system(ceph) == "Ceph");
  CHECK(network_file_system(lustre) == "Lustre");
  CHECK(network_file_system(afs) == "AFS");
  constexpr std::uint64_t ext4 = 0xef53, xfs = 0x58465342, btrfs = 0x9123683e,
                          overlay = 0x794c7630, tmpfs = 0x01021994,
                          fuse = 0x65735546, plan9 = 0x01021997;
  for (auto local : {ext4, xfs, btrfs, overlay, tmpfs, fuse, plan9})
    CHECK_FALSE(network_file_system(local));
  CHECK_FALSE(network_file_system_of("/proc/self"));
  CHECK_FALSE(network_file_system_of("/no/such/directory"));
}
