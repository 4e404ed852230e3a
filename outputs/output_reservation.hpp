#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <utility>

#include "messages/result.hpp"

namespace stoker {

/// How many bytes the executors of one application have on one worker, all
/// together: a file in the application's directory that all of them map into their
/// memory. An executor has a slot in it; the sum of all slots, and of what ended
/// executors have left, is at most the limit.
///
/// An executor adds to its slot before it writes. So a kill at any moment leaves a
/// slot that says too much, never too little, until the worker sets it right
/// (`settle`). May be used by any thread and several processes.
class ReservationTable {
public:
  static constexpr std::uint64_t unlimited
      = std::numeric_limits<std::uint64_t>::max();

  /// As many executors of one application can write on one worker at a time.
  static constexpr std::size_t slots = 1024;

  /// For the worker: makes the file, or opens the one that is there and sets its
  /// limit in bytes. One that is damaged is replaced. Fails with `Errc::io` or
  /// `Errc::full`.
  static Result<ReservationTable> create(const std::filesystem::path& directory,
                                         std::uint64_t limit_bytes);

  /// For an executor. Fails with `Errc::not_found` if no worker serves the
  /// directory, with `Errc::corrupt`, or with `Errc::io`.
  static Result<ReservationTable> open(const std::filesystem::path& directory);

  ReservationTable(ReservationTable&& other) noexcept;
  ReservationTable& operator=(ReservationTable&& other) noexcept;
  ~ReservationTable();

  /// All that counts now.
  [[nodiscard]] std::uint64_t used() const noexcept;
  [[nodiscard]] std::uint64_t limit() const noexcept;

  /// Of one executor; 0: it has none.
  [[nodiscard]] std::uint64_t used_by(int exec_id) const noexcept;

  /// Whether an executor has a slot.
  [[nodiscard]] bool knows(int exec_id) const noexcept;

  /// Reserves for an executor. Fails with `Errc::full`, and has then reserved
  /// nothing. Of two that ask at once for the last bytes both may fail.
  Status reserve(int exec_id, std::uint64_t bytes);

  /// @pre the executor has reserved as much
  void give_back(int exec_id, std::uint64_t bytes) noexcept;

  /// For the worker. An executor has ended: from now on it has what is left of it
  /// on the disk, and no slot.
  void settle(int exec_id, std::uint64_t bytes_left) noexcept;

  /// For the worker. Outputs of ended executors are removed, or found.
  void remove_settled(std::uint64_t bytes) noexcept;
  void add_settled(std::uint64_t bytes) noexcept;

private:
  struct Layout;

  explicit ReservationTable(Layout* layout) : layout_(layout) {
  }

  static Result<ReservationTable> map(int fd, int fd_error);

  Layout* layout_ = nullptr;
};

/// What one writer has reserved. It is given back with this object, but for what is
/// kept.
class OutputReservation {
public:
  /// Fails as `ReservationTable::open`.
  static Result<OutputReservation> open(const std::filesystem::path& directory,
                                        int exec_id);

  OutputReservation(OutputReservation&& other) noexcept
      : table_(std::move(other.table_)), exec_id_(other.exec_id_),
        reserved_(std::exchange(other.reserved_, 0)) {
  }
  OutputReservation& operator=(OutputReservation&&) = delete;
  ~OutputReservation();

  /// There is room for so many bytes in all. Reserves some MiB ahead, and fails
  /// with `Errc::full` if not even that much is left.
  Status grow_to(std::uint64_t bytes);

  /// So many bytes stay in use from now on; the rest is given back.
  /// @pre as many are reserved
  void keep(std::uint64_t bytes) noexcept;

private:
  OutputReservation(ReservationTable table, int exec_id)
      : table_(std::move(table)), exec_id_(exec_id) {
  }

  ReservationTable table_;
  int exec_id_;
  std::uint64_t reserved_ = 0;
};

} // namespace stoker
