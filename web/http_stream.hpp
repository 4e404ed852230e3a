#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace stoker {

/// A body that goes on for as long as somebody reads it: who answers a request keeps it, and
/// writes whenever there is something new. Many may be sent the same piece, which is there
/// once. For any thread.
class HttpStream {
public:
  using Piece = std::shared_ptr<const std::string>;

  /// Sends this after what was written before, unless nobody reads any more. An empty piece
  /// is none.
  void write(const Piece& piece);

  /// Nothing follows: the connection is closed after what was written.
  void finish();

  /// What should follow cannot be had: the connection is closed so that the reader knows
  /// that something is missing.
  void cut_off();

  /// Bytes that were written, and not yet sent. Who writes to many looks here, so that one
  /// who reads slowly does not keep everything that is new.
  [[nodiscard]] std::size_t unsent() const;

  /// Calls this, from any thread, whenever all that was written is sent: who has more to say
  /// than he keeps for one reader writes the next of it then. Not after the end.
  void on_drained(std::function<void()> drained);

  /// Nobody reads any more.
  [[nodiscard]] bool is_closed() const;

  // -- for the connection -------------------------------------------------------

  /// @param send takes each piece that was or will be written, and null after the last one,
  /// from any thread
  void attach(std::function<void(Piece)> send);

  void sent(std::size_t bytes);
  void close();

  /// Whether more should have followed the last piece.
  [[nodiscard]] bool is_cut_off() const;

private:
  /// @pre the lock is held
  void send(const Piece& piece);

  mutable std::mutex mutex_;
  std::function<void(Piece)> send_;
  std::function<void()> drained_;

  /// What was written before anybody took it.
  std::vector<Piece> early_;
  std::size_t unsent_ = 0;
  bool is_closed_ = false;
  bool is_cut_off_ = false;
};

} // namespace stoker
