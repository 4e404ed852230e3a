#include "network/basp_questions.hpp"

#include <algorithm>

#include <caf/binary_deserializer.hpp>
#include <caf/io/basp/header.hpp>

namespace stoker {

namespace basp = caf::io::basp;

void BaspQuestions::said(std::span<const char> bytes) {
  while (!bytes.empty()) {
    if (missing_ > 0) {
      auto count = std::min(bytes.size(), missing_);
      missing_ -= count;
      bytes = bytes.subspan(count);
      continue;
    }
    auto count = std::min(bytes.size(), basp::header_size - header_.size());
    header_.insert(header_.end(), bytes.begin(),
                   bytes.begin() + static_cast<std::ptrdiff_t>(count));
    bytes = bytes.subspan(count);
    if (header_.size() == basp::header_size)
      begin_frame();
  }
}

bool BaspQuestions::take(caf::message_id answer) {
  return open_.erase(answer.request_id().integer_value()) > 0;
}

void BaspQuestions::begin_frame() {
  basp::header header{};
  caf::binary_deserializer source{nullptr, header_.data(), header_.size()};
  // CAF wrote it.
  static_cast<void>(source(header));
  header_.clear();
  missing_ = header.payload_len;
  caf::message_id id{header.operation_data};
  if (header.operation != basp::message_type::direct_message
      || header.source_actor != asker_ || !id.is_request())
    return;
  open_.insert(id.request_id().integer_value());
  if (open_.size() > open_max)
    open_.erase(open_.begin());
}

} // namespace stoker
