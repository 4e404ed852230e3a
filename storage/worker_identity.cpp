#include "storage/worker_identity.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "messages/json.hpp"
#include "storage/identity_files.hpp"

namespace stoker {

namespace fs = std::filesystem;
using process::UniqueFd;
using namespace identity_files;

namespace {

/// Whoever holds the lock on all identities does little.
constexpr std::chrono::seconds lock_patience{10};

constexpr const char* record_name = "/worker.json";

Error unusable(const std::string& path, const std::string& reason) {
  return {Errc::io, "cannot use " + path + ": " + reason
                        + "; choose another work directory with --work-dir"};
}

/// One that can be locked, so that its worker is dead.
struct UnusedIdentity {
  std::string path;
  UniqueFd lock;
  std::optional<IdentityRecord> record;
};

/// Changes when a worker takes the identity.
std::string mark_of(const std::string& identity) {
  struct stat info {};
  if (::stat((identity + record_name).c_str(), &info) != 0)
    return {};
  return std::to_string(info.st_ino) + ' ' + std::to_string(info.st_mtim.tv_sec)
         + ' ' + std::to_string(info.st_mtim.tv_nsec);
}

/// The lock on all identities; empty if somebody holds it for too long.
UniqueFd lock_all(const std::string& root) {
  auto fd = open_lock(root + "/lock");
  if (!fd)
    return {};
  auto deadline = std::chrono::steady_clock::now() + lock_patience;
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() >= deadline)
      return {};
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return fd;
}

std::vector<UnusedIdentity>
dead_identities(const std::string& root, const IdentityRecord& of,
                std::vector<std::string>& warnings) {
  std::vector<UnusedIdentity> result;
  for (auto number : numbers_in(root)) {
    UnusedIdentity identity;
    identity.path = root + '/' + std::to_string(number);
    identity.lock = open_lock(identity.path + "/lock");
    if (!identity.lock || ::flock(identity.lock.get(), LOCK_EX | LOCK_NB) != 0)
      continue;
    // Its worker may live, with programs of its own.
    if (is_copy(noted_place(identity.lock.get()),
                place_of(identity.lock.get()))) {
      warnings.push_back(identity.path
                         + " is a copy of a worker's, whose place nobody takes "
                           "here; remove it");
      continue;
    }
    auto record = read_record<IdentityRecord>(identity.path + record_name);
    if (record)
      identity.record = *std::move(record);
    else
      warnings.push_back(std::move(record).error().message);
    // Another machine that shares the directory.
    auto elsewhere = identity.record && !identity.record->host.empty()
                     && identity.record->host != of.host;
    if (!elsewhere)
      result.push_back(std::move(identity));
  }
  return result;
}

bool goes_on_as(const IdentityRecord& wanted, const IdentityRecord& known) {
  return !known.leaving && !known.id.value.empty()
         && wanted.cores == known.cores && wanted.memory_mb == known.memory_mb
         && wanted.resources == known.resources;
}

/// The smallest number that is free, with its directory.
Result<UnusedIdentity> new_identity(const std::string& root) {
  for (int number = 1;; ++number) {
    UnusedIdentity result;
    result.path = root + '/' + std::to_string(number);
    if (::mkdir(result.path.c_str(), 0700) != 0) {
      if (errno == EEXIST)
        continue;
      return unusable(result.path, std::strerror(errno));
    }
    result.lock = open_lock(result.path + "/lock");
    if (!result.lock || ::flock(result.lock.get(), LOCK_EX | LOCK_NB) != 0)
      return unusable(result.path, std::strerror(errno));
    return result;
  }
}

/// The one that `wanted` takes: of the same figures, or any.
std::vector<UnusedIdentity>::iterator
choose(std::vector<UnusedIdentity>& identities, const IdentityRecord& wanted) {
  auto i = std::find_if(identities.begin(), identities.end(),
                        [&](const UnusedIdentity& x) {
                          return x.record && goes_on_as(wanted, *x.record);
                        });
  return i != identities.end() ? i : identities.begin();
}

ProgramRecord read_program(const std::string& path, const std::string& key,
                           const std::string& work_directory,
                           std::vector<std::string>& warnings) {
  auto result = read_record<ProgramRecord>(path);
  if (result && *result && key_of(**result) == key)
    return **result;
  if (result)
    warnings.push_back("cannot read " + path
                       + ": it tells of another program; ending it");
  else if (result.code() == Errc::io)
    throw std::runtime_error{result.error().message};
  else
    warnings.push_back(result.error().message + "; ending the program");
  return program_of_nobody(key, work_directory);
}

} // namespace

WorkerIdentity::WorkerIdentity(std::string root, std::string path,
                               UniqueFd lock)
    : root_(std::move(root)), path_(std::move(path)), lock_(std::move(lock)) {
}

WorkerIdentity::~WorkerIdentity() = default;

bool WorkerIdentity::is_any_in(const std::string& work_directory) {
  return !numbers_in(work_directory + "/.workers").empty();
}

Result<std::unique_ptr<WorkerIdentity>>
WorkerIdentity::take(const std::string& work_directory,
                     IdentityRecord wanted) try {
  auto root = work_directory + "/.workers";
  if (auto made = make_directory(root); !made)
    return unusable(root, made.error().message);
  auto all = lock_all(root);
  if (!all)
    return unusable(root,
                    std::string{"cannot lock it: "} + std::strerror(errno));
  Warnings warnings;
  auto identities = dead_identities(root, wanted, warnings);
  std::optional<UnusedIdentity> taken;
  if (auto i = choose(identities, wanted); i != identities.end()) {
    taken = std::move(*i);
    identities.erase(i);
  } else {
    auto created = new_identity(root);
    if (!created)
      return std::move(created).error();
    taken = *std::move(created);
  }
  std::unique_ptr<WorkerIdentity> result{
      new WorkerIdentity{root, taken->path, std::move(taken->lock)}};
  for (const auto& x : identities)
    result->dead_[x.path] = mark_of(x.path);
  // Their locks.
  identities.clear();
  result->warnings_ = std::move(warnings);
  auto goes_on = taken->record && goes_on_as(wanted, *taken->record);
  result->record_ = goes_on ? *taken->record : std::move(wanted);
  if (goes_on)
    ++result->record_.life;
  for (const auto& path : {taken->path + "/programs",
                           taken->path + "/directories", root + "/directories"})
    if (auto made = make_directory(path); !made)
      return unusable(path, made.error().message);
  note_place(result->lock_.get());
  if (auto written = result->write_record(); !written)
    return std::move(written).error();
  move_files(root + "/directories", taken->path + "/directories");
  result->found_ = result->read_all();
  return result;
} catch (const std::runtime_error& e) {
  // As for a lack of descriptors. Programs that are not known now would be lost.
  return Error{Errc::io, "cannot use " + work_directory + ": " + e.what()};
}

ProgramsFound WorkerIdentity::read_all() {
  ProgramsFound result;
  auto work_directory = fs::path{root_}.parent_path().string();
  for (const auto& [key, path] : programs_in(path_ + "/programs"))
    result.programs.push_back(
        read_program(path, key, work_directory, warnings_));
  result.directories = oldest_first(path_ + "/directories");
  for (auto& name : oldest_first(spark_directory()))
    result.spark_files.push_back(AppId{std::move(name)});
  return result;
}

// -- what is remembered -------------------------------------------------------

Status WorkerIdentity::remember(const ProgramRecord& x) {
  auto key = key_of(x);
  auto name = key.substr(0, key.find('/'));
  if (auto created = create_file(path_ + "/directories/" + name); !created)
    return created;
  return replace_file(program_file(path_ + "/programs", key),
                      to_json<Secrets::kept>(x));
}

Status WorkerIdentity::remember_leaving() {
  record_.leaving = true;
  return write_record();
}

Status WorkerIdentity::write_record() const {
  auto record = to_json<Secrets::kept>(record_);
  auto written = replace_file(path_ + record_name, record);
  // What runs can be found again all the same.
  return written.code() == Errc::full
             ? overwrite_file(path_ + record_name, record)
             : written;
}

void WorkerIdentity::forget(const std::string& key) {
  ::unlink(program_file(path_ + "/programs", key).c_str());
}

void WorkerIdentity::forget_directory(const std::string& name) {
  ::unlink((path_ + "/directories/" + name).c_str());
}

// -- the end ------------------------------------------------------------------

ProgramsFound WorkerIdentity::take_abandoned() {
  auto all = lock_all(root_);
  if (!all)
    return {};
  auto known = std::exchange(dead_, {});
  auto moved = false;
  for (const auto& identity : dead_identities(root_, record_, warnings_)) {
    auto i = known.find(identity.path);
    if (i == known.end() || i->second != mark_of(identity.path))
      continue;
    move_files(identity.path + "/programs", path_ + "/programs");
    move_files(identity.path + "/directories", path_ + "/directories");
    remove_directory(identity.path);
    moved = true;
  }
  if (!moved)
    return {};
  auto result = read_all();
  // What this worker runs itself it knows already.
  std::erase_if(result.programs, [this](const ProgramRecord& x) {
    return x.worker_id == record_.id;
  });
  return result;
}

void WorkerIdentity::give_up() {
  auto all = lock_all(root_);
  move_files(path_ + "/directories", root_ + "/directories");
  if (all)
    remove_directory(path_);
  lock_.reset();
}

} // namespace stoker
