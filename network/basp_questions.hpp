#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include <caf/actor_control_block.hpp>
#include <caf/message_id.hpp>

namespace stoker {

/// What an actor here has asked over one connection, and has not been told yet. CAF
/// takes an answer from whoever knows the number of the question, and numbers them
/// in turn.
class BaspQuestions {
public:
  /// Of more, the oldest are forgotten: some are never answered.
  static constexpr std::size_t open_max = 65'536;

  explicit BaspQuestions(caf::actor_id asker) : asker_(asker) {
  }

  /// Takes the next bytes of CAF's protocol that CAF sends, however they are cut.
  void said(std::span<const char> bytes);

  /// Whether this answers a question, which is open no longer.
  bool take(caf::message_id answer);

private:
  void begin_frame();

  caf::actor_id asker_;

  /// In the order in which they were asked.
  std::set<std::uint64_t> open_;

  /// A header, while it is incomplete.
  std::vector<char> header_;

  /// What of a payload is still to come.
  std::size_t missing_ = 0;
};

} // namespace stoker
