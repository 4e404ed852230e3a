#include "outputs/output_reservation.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "outputs/output_names.hpp"
#include "outputs/write_errors.hpp"
#include "process/unique_fd.hpp"

namespace stoker {

namespace {

constexpr std::uint64_t reservation_magic = 0x3176'7372'6b6f'7473;
constexpr std::uint64_t reserved_ahead = std::uint64_t{4} << 20;

Error table_error(const std::string& what) {
  auto code = errno == ENOENT ? Errc::not_found : Errc::io;
  return is_full(errno) ? write_error(what, errno)
                        : Error{code, what + ": " + std::strerror(errno)};
}

} // namespace

/// Words that processes share. Each slot is written by one executor while it lives,
/// and by the worker when it has ended.
struct ReservationTable::Layout {
  using Word = std::atomic<std::uint64_t>;
  static_assert(Word::is_always_lock_free);

  struct Slot {
    /// One more than its executor's number; 0: it is free.
    Word owner;
    Word bytes;
  };

  Word magic;
  Word limit;
  Word settled;
  std::array<Slot, slots> all;

  Slot* find(int exec_id) noexcept {
    auto owner = static_cast<std::uint64_t>(exec_id) + 1;
    auto found = std::find_if(all.begin(), all.end(), [&](const Slot& x) {
      return x.owner.load() == owner;
    });
    return found != all.end() ? &*found : nullptr;
  }

  /// Null: all are taken. Of two threads of one executor that take one at once,
  /// both may get one of their own: they are summed, and freed together.
  Slot* find_or_take(int exec_id) noexcept {
    if (auto* found = find(exec_id))
      return found;
    auto owner = static_cast<std::uint64_t>(exec_id) + 1;
    for (auto& slot : all) {
      std::uint64_t nobody = 0;
      if (slot.owner.compare_exchange_strong(nobody, owner))
        return &slot;
    }
    return nullptr;
  }

  [[nodiscard]] std::uint64_t sum() const noexcept {
    auto result = settled.load();
    for (const auto& slot : all)
      result += slot.bytes.load();
    return result;
  }
};

Result<ReservationTable> ReservationTable::map(int fd, int fd_error) {
  if (fd < 0) {
    errno = fd_error;
    return table_error("cannot open the table of reservations");
  }
  process::UniqueFd owned{fd};
  struct stat status {};
  if (::fstat(fd, &status) != 0
      || static_cast<std::uint64_t>(status.st_size) != sizeof(Layout))
    return Error{Errc::corrupt, "the table of reservations is damaged"};
  auto* memory = ::mmap(nullptr, sizeof(Layout), PROT_READ | PROT_WRITE,
                        MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED)
    return table_error("cannot map the table of reservations");
  ReservationTable result{static_cast<Layout*>(memory)};
  if (result.layout_->magic.load() != reservation_magic)
    return Error{Errc::corrupt, "the table of reservations is damaged"};
  return result;
}

Result<ReservationTable>
ReservationTable::open(const std::filesystem::path& directory) {
  auto fd = ::open((directory / reserved_file).c_str(),
                   O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  auto result = map(fd, errno);
  if (result.code() == Errc::not_found)
    return Error{Errc::not_found,
                 directory.string() + " is not served by any worker"};
  return result;
}

Result<ReservationTable>
ReservationTable::create(const std::filesystem::path& directory,
                         std::uint64_t limit_bytes) {
  auto opened = open(directory);
  if (opened) {
    opened->layout_->limit = limit_bytes;
    return opened;
  }
  if (opened.code() != Errc::not_found && opened.code() != Errc::corrupt)
    return opened;
  // Executors see all of it, or the former one.
  auto path = (directory / reserved_file).string();
  auto unfinished = path + ".new";
  std::string bytes(sizeof(Layout), '\0');
  std::memcpy(bytes.data(), &reservation_magic, sizeof reservation_magic);
  std::memcpy(bytes.data() + sizeof reservation_magic, &limit_bytes,
              sizeof limit_bytes);
  process::UniqueFd fd{
      ::open(unfinished.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
  if (!fd)
    return table_error("cannot make " + unfinished);
  // All of it: a page that finds no room when it is written to ends the process.
  if (auto n = ::write(fd.get(), bytes.data(), bytes.size());
      n != static_cast<ssize_t>(bytes.size())) {
    if (n >= 0)
      errno = ENOSPC;
    auto error = table_error("cannot write " + unfinished);
    ::unlink(unfinished.c_str());
    return error;
  }
  if (std::rename(unfinished.c_str(), path.c_str()) != 0) {
    auto error = table_error("cannot rename " + unfinished);
    ::unlink(unfinished.c_str());
    return error;
  }
  return map(fd.release(), 0);
}

ReservationTable::ReservationTable(ReservationTable&& other) noexcept
    : layout_(std::exchange(other.layout_, nullptr)) {
}

ReservationTable&
ReservationTable::operator=(ReservationTable&& other) noexcept {
  std::swap(layout_, other.layout_);
  return *this;
}

ReservationTable::~ReservationTable() {
  if (layout_ != nullptr)
    ::munmap(layout_, sizeof(Layout));
}

std::uint64_t ReservationTable::used() const noexcept {
  return layout_->sum();
}

std::uint64_t ReservationTable::limit() const noexcept {
  return layout_->limit;
}

std::uint64_t ReservationTable::used_by(int exec_id) const noexcept {
  auto owner = static_cast<std::uint64_t>(exec_id) + 1;
  std::uint64_t result = 0;
  for (const auto& slot : layout_->all)
    if (slot.owner.load() == owner)
      result += slot.bytes.load();
  return result;
}

bool ReservationTable::knows(int exec_id) const noexcept {
  return layout_->find(exec_id) != nullptr;
}

Status ReservationTable::reserve(int exec_id, std::uint64_t bytes) {
  auto* slot = layout_->find_or_take(exec_id);
  if (slot == nullptr)
    return Error{Errc::full,
                 "too many executors of the application write at a time"};
  slot->bytes += bytes;
  auto used = layout_->sum();
  auto limit = layout_->limit.load();
  if (used <= limit)
    return {};
  slot->bytes -= bytes;
  return Error{Errc::full,
               "the application's quota for outputs on this worker, "
                   + std::to_string(limit) + " bytes, is used up"};
}

void ReservationTable::give_back(int exec_id, std::uint64_t bytes) noexcept {
  // Several slots of one executor are one account.
  auto owner = static_cast<std::uint64_t>(exec_id) + 1;
  for (auto& slot : layout_->all) {
    if (slot.owner.load() != owner)
      continue;
    auto had = slot.bytes.load();
    while (!slot.bytes.compare_exchange_weak(had, had - std::min(had, bytes))) {
    }
    bytes -= std::min(had, bytes);
    if (bytes == 0)
      return;
  }
}

void ReservationTable::settle(int exec_id, std::uint64_t bytes_left) noexcept {
  auto owner = static_cast<std::uint64_t>(exec_id) + 1;
  layout_->settled += bytes_left;
  for (auto& slot : layout_->all) {
    if (slot.owner.load() != owner)
      continue;
    slot.bytes = 0;
    slot.owner = 0;
  }
}

void ReservationTable::remove_settled(std::uint64_t bytes) noexcept {
  auto had = layout_->settled.load();
  layout_->settled = had - std::min(had, bytes);
}

void ReservationTable::add_settled(std::uint64_t bytes) noexcept {
  layout_->settled += bytes;
}

Result<OutputReservation>
OutputReservation::open(const std::filesystem::path& directory, int exec_id) {
  auto table = ReservationTable::open(directory);
  if (!table)
    return std::move(table).error();
  return OutputReservation{*std::move(table), exec_id};
}

OutputReservation::~OutputReservation() {
  keep(0);
}

Status OutputReservation::grow_to(std::uint64_t bytes) {
  if (bytes <= reserved_)
    return {};
  auto wanted = bytes - reserved_;
  // Near the limit only what is needed.
  for (auto ask : {std::max(wanted, reserved_ahead), wanted}) {
    auto good = table_.reserve(exec_id_, ask);
    if (good)
      reserved_ += ask;
    if (good || ask == wanted)
      return good;
  }
  return {};
}

void OutputReservation::keep(std::uint64_t bytes) noexcept {
  assert(bytes <= reserved_);
  if (reserved_ > bytes)
    table_.give_back(exec_id_, reserved_ - bytes);
  // What is kept is no longer this object's.
  reserved_ = 0;
}

} // namespace stoker
