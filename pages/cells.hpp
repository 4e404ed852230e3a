#pragma once

// What stands in a cell of a table, or behind a name.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <ctemplate/template_dictionary.h>

#include "messages/ids.hpp"

namespace stoker::pages {

struct Cell {
  enum class Kind {
    text,
    /// A text in which ids lead to their pages.
    sentence,
    /// A text that leads to `href`.
    link,
    /// One of the words of messages/states.hpp.
    state,
    /// A moment, as RFC 3339 has it.
    time,
    /// How long it is since `part`, in milliseconds since 1970: it goes on.
    since,
    /// `part` of `whole`, with words.
    use
  };

  Kind kind = Kind::text;
  std::string text;
  std::string href;
  std::int64_t part = 0;
  std::int64_t whole = 0;

  /// Stands at the right, as figures do.
  bool is_number = false;

  /// A state that is a failure only of this one.
  bool is_failure = false;

  friend bool operator==(const Cell&, const Cell&) = default;
};

Cell text(std::string x);

/// A text that may name what has a page.
Cell sentence_text(std::string x);
Cell number(std::int64_t x);

/// An amount with its unit: stands as numbers do.
Cell at_right(std::string x);

/// "-" where there is none.
Cell number(const std::optional<int>& x);
Cell link_to(std::string x, std::string href);

/// @param x as "RUNNING"
Cell state(std::string x);

/// Of a program that may have exited: with another status than 0 that is a failure.
Cell state(std::string x, std::optional<int> exit_status);

/// @param ms since 1970; unset: "-"
Cell time(std::optional<std::int64_t> ms);

/// The same for a column that says that it is in UTC, as people type it there:
/// "2026-11-25 19:17:19".
Cell typed_utc_time(std::int64_t ms);

/// How long something took, or takes since.
/// @param now_ms 0: the script on the page fills it in
Cell elapsed(std::int64_t begun_ms, std::optional<std::int64_t> ended_ms,
             std::int64_t now_ms);

/// "3 of 8"
Cell use(std::int64_t part, std::int64_t whole);
Cell memory_use(std::int64_t part_mb, std::int64_t whole_mb);
Cell memory(std::int64_t mb);

/// "512 MB", "1.5 GB": as many digits as anybody reads.
std::string memory_text(std::int64_t mb);

/// Cores that something waits for: "all" where it takes whatever there is.
Cell cores_wanted(int x);

// Where what has an id has its page.
std::string href_of(const AppId& x);
std::string href_of(const WorkerId& x);
std::string href_of(const DriverId& x);
std::string href_of(const ExecutorId& x);

/// An id that leads to its page.
template <class Id>
Cell link_to(const Id& x) {
  return link_to(to_string(x), href_of(x));
}

/// Fills in what a template shows of a text whose ids lead to their pages.
void fill_linked(ctemplate::TemplateDictionary& to, const std::string& text);

/// Fills in what a template shows of a cell.
void fill(ctemplate::TemplateDictionary& to, const Cell& cell);

/// As RFC 3339 has it, in UTC and whole seconds.
std::string utc_text(std::int64_t ms);

/// "3 min 5 s": the two largest units, as the script on the page has it.
std::string duration_text(std::int64_t ms);

/// A text in the path or the query of an address.
std::string url_encoded(std::string_view x);

} // namespace stoker::pages
