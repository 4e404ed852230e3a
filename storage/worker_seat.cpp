#include "storage/worker_seat.hpp"

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
#include <thread>
#include <utility>

#include "messages/json.hpp"
#include "storage/seat_files.hpp"

namespace stoker {

namespace fs = std::filesystem;
using namespace seat_files;

namespace {

/// Whoever holds the lock on all seats does little.
constexpr std::chrono::seconds patience{10};

constexpr const char* record_name = "/worker.json";

std::string unusable(const std::string& path, const std::string& reason) {
  return "cannot use " + path + ": " + reason
         + "; choose another work directory with --work-dir";
}

/// One that can be locked, so that its worker is dead.
struct DeadSeat {
  std::string path;
  int lock = -1;
  std::optional<SeatRecord> record;
};

/// Changes when a worker takes the seat.
std::string mark_of(const std::string& seat) {
  struct stat info {};
  if (::stat((seat + record_name).c_str(), &info) != 0)
    return {};
  return std::to_string(info.st_ino) + ' ' + std::to_string(info.st_mtim.tv_sec)
         + ' ' + std::to_string(info.st_mtim.tv_nsec);
}

/// The lock on all seats, or -1 if somebody holds it for too long.
int lock_all(const std::string& root) {
  auto fd = open_lock(root + "/lock");
  if (fd < 0)
    return -1;
  auto deadline = std::chrono::steady_clock::now() + patience;
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() >= deadline) {
      ::close(fd);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return fd;
}

std::vector<DeadSeat> dead_seats(const std::string& root, const SeatRecord& of,
                                 std::vector<std::string>& warnings) {
  std::vector<DeadSeat> result;
  for (auto number : numbers_in(root)) {
    DeadSeat seat;
    seat.path = root + '/' + std::to_string(number);
    seat.lock = open_lock(seat.path + "/lock");
    if (seat.lock < 0)
      continue;
    if (::flock(seat.lock, LOCK_EX | LOCK_NB) != 0) {
      ::close(seat.lock);
      continue;
    }
    try {
      seat.record = read_record<SeatRecord>(seat.path + record_name);
    } catch (const std::runtime_error& e) {
      warnings.emplace_back(e.what());
    }
    // Another machine that shares the directory.
    if (seat.record && !seat.record->host.empty()
        && seat.record->host != of.host)
      ::close(seat.lock);
    else
      result.push_back(std::move(seat));
  }
  return result;
}

bool goes_on_as(const SeatRecord& wanted, const SeatRecord& known) {
  return !known.leaving && !known.id.value.empty()
         && wanted.cores == known.cores && wanted.memory_mb == known.memory_mb
         && wanted.resources == known.resources;
}

/// The smallest number that is free, with its directory.
std::variant<DeadSeat, std::string> new_seat(const std::string& root) {
  for (int number = 1;; ++number) {
    DeadSeat result;
    result.path = root + '/' + std::to_string(number);
    if (::mkdir(result.path.c_str(), 0700) != 0) {
      if (errno == EEXIST)
        continue;
      return unusable(result.path, std::strerror(errno));
    }
    result.lock = open_lock(result.path + "/lock");
    if (result.lock < 0 || ::flock(result.lock, LOCK_EX | LOCK_NB) != 0)
      return unusable(result.path, std::strerror(errno));
    return result;
  }
}

/// The one that `wanted` takes: of the same figures, or any.
std::vector<DeadSeat>::iterator choose(std::vector<DeadSeat>& seats,
                                       const SeatRecord& wanted) {
  auto i = std::find_if(seats.begin(), seats.end(), [&](const DeadSeat& x) {
    return x.record && goes_on_as(wanted, *x.record);
  });
  return i != seats.end() ? i : seats.begin();
}

ProgramRecord read_program(const std::string& path, const std::string& key,
                           const std::string& work_directory,
                           std::vector<std::string>& warnings) {
  try {
    auto result = read_record<ProgramRecord>(path);
    if (result && key_of(*result) == key)
      return *result;
    warnings.push_back("cannot read " + path
                       + ": it tells of another program; ending it");
  } catch (const std::runtime_error& e) {
    warnings.push_back(std::string{e.what()} + "; ending the program");
  }
  return program_of_nobody(key, work_directory);
}

} // namespace

WorkerSeat::WorkerSeat(std::string root, std::string path, int lock)
    : root_(std::move(root)), path_(std::move(path)), lock_(lock) {
}

WorkerSeat::~WorkerSeat() {
  if (lock_ >= 0)
    ::close(lock_);
}

std::variant<std::unique_ptr<WorkerSeat>, std::string>
WorkerSeat::take(const std::string& work_directory, SeatRecord wanted) {
  auto root = work_directory + "/.workers";
  if (auto problem = make_directory(root))
    return unusable(root, *problem);
  Descriptor all{lock_all(root)};
  if (all.fd < 0)
    return unusable(root,
                    std::string{"cannot lock it: "} + std::strerror(errno));
  Warnings warnings;
  auto seats = dead_seats(root, wanted, warnings);
  std::optional<DeadSeat> taken;
  if (auto i = choose(seats, wanted); i != seats.end()) {
    taken = std::move(*i);
    seats.erase(i);
  } else {
    auto created = new_seat(root);
    if (auto* problem = std::get_if<std::string>(&created))
      return *problem;
    taken = std::get<DeadSeat>(std::move(created));
  }
  std::unique_ptr<WorkerSeat> result{
      new WorkerSeat{root, taken->path, taken->lock}};
  for (const auto& x : seats) {
    result->dead_[x.path] = mark_of(x.path);
    ::close(x.lock);
  }
  result->warnings_ = std::move(warnings);
  auto goes_on = taken->record && goes_on_as(wanted, *taken->record);
  result->record_ = goes_on ? *taken->record : std::move(wanted);
  for (const auto& path : {taken->path + "/programs",
                           taken->path + "/directories", root + "/directories"})
    if (auto problem = make_directory(path))
      return unusable(path, *problem);
  if (auto problem
      = replace_file(taken->path + record_name, to_json(result->record_)))
    return *problem;
  move_files(root + "/directories", taken->path + "/directories");
  result->found_ = result->read_all();
  return result;
}

ProgramsFound WorkerSeat::read_all() {
  ProgramsFound result;
  auto work_directory = fs::path{root_}.parent_path().string();
  for (const auto& [key, path] : programs_in(path_ + "/programs"))
    result.programs.push_back(
        read_program(path, key, work_directory, warnings_));
  result.directories = oldest_first(path_ + "/directories");
  return result;
}

// -- what is remembered -------------------------------------------------------

std::optional<std::string> WorkerSeat::remember(const ProgramRecord& x) {
  auto key = key_of(x);
  auto name = key.substr(0, key.find('/'));
  if (auto problem = create_file(path_ + "/directories/" + name))
    return problem;
  return replace_file(program_file(path_ + "/programs", key), to_json(x));
}

std::optional<std::string> WorkerSeat::remember_leaving() {
  record_.leaving = true;
  return replace_file(path_ + record_name, to_json(record_));
}

void WorkerSeat::forget(const std::string& key) {
  ::unlink(program_file(path_ + "/programs", key).c_str());
}

void WorkerSeat::forget_directory(const std::string& name) {
  ::unlink((path_ + "/directories/" + name).c_str());
}

// -- the end ------------------------------------------------------------------

ProgramsFound WorkerSeat::take_abandoned() {
  Descriptor all{lock_all(root_)};
  if (all.fd < 0)
    return {};
  auto known = std::exchange(dead_, {});
  auto moved = false;
  for (const auto& seat : dead_seats(root_, record_, warnings_)) {
    Descriptor lock{seat.lock};
    auto i = known.find(seat.path);
    if (i == known.end() || i->second != mark_of(seat.path))
      continue;
    move_files(seat.path + "/programs", path_ + "/programs");
    move_files(seat.path + "/directories", path_ + "/directories");
    remove_directory(seat.path);
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

void WorkerSeat::give_up() {
  Descriptor all{lock_all(root_)};
  move_files(path_ + "/directories", root_ + "/directories");
  if (all.fd >= 0)
    remove_directory(path_);
  ::close(std::exchange(lock_, -1));
}

} // namespace stoker
