#include "pages/table.hpp"

#include <algorithm>

#include "messages/printable.hpp"
#include "pages/sentence.hpp"
#include "pages/templates.hpp"

namespace stoker::pages {

namespace {

using ctemplate::TemplateDictionary;

void fill_title(TemplateDictionary& to, const std::string& title) {
  if (!title.empty())
    to.AddSectionDictionary("TITLE")->SetValue("TEXT", title);
}

/// Characters of a text that stands in one line beside others.
constexpr std::size_t short_text_max = 28;

bool is_long(const Cell& x) {
  return (x.kind == Cell::Kind::text || x.kind == Cell::Kind::sentence)
         && x.text.size() > short_text_max;
}

/// Ids of applications are shorter.
constexpr std::size_t short_id_max = 32;

bool is_long_id(const Cell& x) {
  return x.kind == Cell::Kind::link && x.text.size() > short_id_max;
}

/// Where there is no room for it in one line, it may have several.
bool has_words(const Cell& x) {
  return (x.kind == Cell::Kind::text || x.kind == Cell::Kind::sentence)
         && !x.is_number && !is_long(x)
         && x.text.find(' ') != std::string::npos;
}

/// With more columns a row is a block of lines where the screen is not wide.
constexpr std::size_t columns_of_narrow_max = 3;

/// With more columns every cell may have several lines, unless the screen is very wide.
constexpr std::size_t columns_of_wide_max = 9;

/// The columns in which something stands.
std::vector<std::size_t> columns_of(const Table& x) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < x.head.size(); ++i)
    if (std::ranges::any_of(
            x.rows, [&](const Row& row) { return row.cells.at(i) != Cell{}; }))
      result.push_back(i);
  return result;
}

void fill_rows(TemplateDictionary& to, const Table& x) {
  auto& table = *to.AddSectionDictionary("TABLE");
  auto columns = columns_of(x);
  if (columns.size() > columns_of_narrow_max)
    table.ShowSection("WIDE");
  if (columns.size() > columns_of_wide_max)
    table.ShowSection("VERY_WIDE");
  if (x.title.empty())
    table.ShowSection("UNTITLED");
  else
    table.AddSectionDictionary("CAPTION")->SetValue("TEXT", x.title);
  for (auto i : columns) {
    auto& head = *table.AddSectionDictionary("HEAD");
    head.SetValue("NAME", x.head[i]);
    if (x.rows.front().cells.at(i).is_number)
      head.ShowSection("NUMBER");
  }
  for (const auto& row : x.rows) {
    auto& filled = *table.AddSectionDictionary("ROW");
    filled.SetValue("KEY", as_utf8(row.key));
    for (auto i : columns) {
      auto& cell = *filled.AddSectionDictionary("CELL");
      cell.SetValue("LABEL", x.head[i]);
      fill(cell, row.cells[i]);
      if (is_long(row.cells[i]))
        cell.ShowSection("LONG");
      if (has_words(row.cells[i]))
        cell.ShowSection("WORDS");
      if (is_long_id(row.cells[i]))
        cell.ShowSection("LONG_ID");
    }
  }
}

void fill_paging(TemplateDictionary& to, const Paging& x) {
  if (x.pages() == 1)
    return;
  auto& more = *to.AddSectionDictionary("MORE");
  more.AddSectionDictionary("COUNT")->SetValue(
      "TEXT", "page " + std::to_string(x.page) + " of "
                  + std::to_string(x.pages()) + ", "
                  + std::to_string(x.rows_in_all) + " in all");
  auto add = [&](const char* name, std::size_t page) {
    more.AddSectionDictionary(name)->SetValue("HREF",
                                              x.href + std::to_string(page));
  };
  if (x.page > 2)
    add("FIRST", 1);
  if (x.page + 1 < x.pages())
    add("LAST", x.pages());
  if (x.page > 1)
    add("BEFORE", x.page - 1);
  if (x.page < x.pages())
    add("AFTER", x.page + 1);
}

void fill_empty(TemplateDictionary& to, const Table& x) {
  auto& empty = *to.AddSectionDictionary("EMPTY");
  empty.SetValue("TEXT", x.empty);
  if (!x.href_of_all.empty())
    empty.AddSectionDictionary("ALL")->SetValue("HREF", x.href_of_all);
}

/// Says that there are more than are shown.
void fill_whole(TemplateDictionary& to, const Table& x) {
  if (!x.whole || x.whole->rows <= x.rows.size())
    return;
  auto& whole = *to.AddSectionDictionary("WHOLE");
  whole.SetValue("SHOWN", std::to_string(x.rows.size()));
  whole.SetValue("IN_ALL", std::to_string(x.whole->rows));
  whole.SetValue("HREF", x.whole->href);
}

void fill_forgotten(TemplateDictionary& to, const Table& x) {
  if (!x.forgotten)
    return;
  auto& forgotten = *to.AddSectionDictionary("FORGOTTEN");
  forgotten.SetValue("TEXT", x.forgotten->text());
  forgotten.SetValue("HREF", x.forgotten->href);
}

/// Leads through a list that nobody counts.
void fill_parts(TemplateDictionary& to, const Table& x) {
  if (x.next.empty() && x.first.empty())
    return;
  auto& more = *to.AddSectionDictionary("MORE");
  if (!x.first.empty())
    more.AddSectionDictionary("FIRST")->SetValue("HREF", x.first);
  if (!x.next.empty())
    more.AddSectionDictionary("AFTER")->SetValue("HREF", x.next);
}

std::string expand_facts(const char* name, const char* section,
                         const std::vector<Fact>& facts) {
  TemplateDictionary dictionary{name};
  for (const auto& x : facts) {
    auto& fact = *dictionary.AddSectionDictionary(section);
    fact.SetValue("NAME", printable(x.name));
    fill(fact, x.cell);
    if (is_long(x.cell))
      fact.ShowSection("LONG");
  }
  return expand(name, dictionary);
}

} // namespace

std::string Forgotten::text() const {
  return std::to_string(count)
         + (count == 1 ? " that has ended is" : " that have ended are")
         + " in the history alone.";
}

std::string html(const Table& x) {
  TemplateDictionary dictionary{"table"};
  fill_title(dictionary, x.title);
  if (x.rows.empty())
    fill_empty(dictionary, x);
  else
    fill_rows(dictionary, x);
  fill_whole(dictionary, x);
  fill_forgotten(dictionary, x);
  fill_paging(dictionary, x.paging);
  fill_parts(dictionary, x);
  return expand("table.html", dictionary);
}

std::string html(const std::vector<Fact>& facts) {
  return expand_facts("facts.html", "FACT", facts);
}

std::string figures_html(const std::vector<Fact>& figures) {
  return expand_facts("figures.html", "FIGURE", figures);
}

std::string problem_html(const std::string& problem) {
  return "<div role=\"alert\">\n" + sentences_html("", {sentence(problem)})
         + "</div>\n";
}

std::string sentences_html(const std::string& title,
                           const std::vector<std::string>& sentences) {
  TemplateDictionary dictionary{"sentences"};
  fill_title(dictionary, title);
  for (const auto& x : sentences)
    fill_linked(*dictionary.AddSectionDictionary("SENTENCE"), printable(x));
  return expand("sentences.html", dictionary);
}

} // namespace stoker::pages
