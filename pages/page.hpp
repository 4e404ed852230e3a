#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "messages/states.hpp"

namespace stoker::pages {

/// A part of a page that changes on its own, while somebody reads.
struct Section {
  /// Of letters; no other of the page has it.
  std::string id;
  std::string html;

  /// It changes while somebody reads. What people fill in does not.
  bool is_live = true;
};

struct Page {
  std::string title;
  std::vector<Section> sections;

  /// Whether it has charts, which need a script of their own.
  bool has_charts = false;

  /// What was filled in is of no use, and it says why.
  bool is_refusal = false;
};

/// What surrounds a page.
struct Frame {
  /// Its path, as "/workers/w1".
  std::string path;

  /// As "stoker://127.0.0.1:7070"; empty: it is not told.
  std::string master_url;
  RecoveryState status = RecoveryState::STANDBY;

  /// Who reads; empty: nobody knows.
  std::string user;

  /// Whether he has a session, which he may end.
  bool has_session = false;
  std::int64_t now_ms = 0;
};

std::string html(const Page& page, const Frame& frame);

} // namespace stoker::pages
