#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pages/cells.hpp"

namespace stoker::pages {

/// Which part of a long list is shown: pages of rows, counted from 1.
struct Paging {
  static constexpr std::size_t rows_per_page = 100;

  std::size_t page = 1;
  std::size_t rows_in_all = 0;

  /// Where a page of the list is, but for its number: "/workers?page=".
  std::string href;

  [[nodiscard]] std::size_t pages() const {
    return rows_in_all == 0 ? 1 : (rows_in_all - 1) / rows_per_page + 1;
  }
};

struct Row {
  /// Tells it from the others of the page.
  std::string key;
  std::vector<Cell> cells;
};

/// What is not kept any more of what was, and where the history has it.
struct Forgotten {
  std::size_t count = 0;
  std::string href;

  /// "3 that have ended are in the history alone."
  [[nodiscard]] std::string text() const;
};

/// A column in which nothing stands is left out.
struct Table {
  std::string title;
  std::vector<std::string> head;
  std::vector<Row> rows;

  /// What is said where there are no rows, and where all are of which these would be some;
  /// empty: these would be all.
  std::string empty;
  std::string href_of_all;
  Paging paging;

  /// Of a list that nobody counts: where the rows are that follow, and the first ones; empty:
  /// there are none that follow, or these are the first.
  std::string next;
  std::string first;

  /// Of a list of which an overview has the beginning alone: all that there are, and where.
  struct Whole {
    std::size_t rows = 0;
    std::string href;
  };
  std::optional<Whole> whole;

  /// What would stand here, too, and is in the history alone.
  std::optional<Forgotten> forgotten;
};

std::string html(const Table& x);

/// A name and what it stands for.
struct Fact {
  std::string name;
  Cell cell;
};
std::string html(const std::vector<Fact>& facts);

/// The same in large letters.
std::string figures_html(const std::vector<Fact>& figures);

/// Says what is wrong, so that also who does not see the page hears of it.
std::string problem_html(const std::string& problem);

/// @param title empty: none
std::string sentences_html(const std::string& title,
                           const std::vector<std::string>& sentences);

} // namespace stoker::pages
