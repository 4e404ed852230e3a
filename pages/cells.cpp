#include "pages/cells.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "messages/printable.hpp"
#include "messages/states.hpp"
#include "pages/linked_text.hpp"
#include "scheduling/common/format.hpp"
#include "scheduling/common/instant.hpp"

namespace stoker::pages {

namespace {

constexpr std::int64_t mb_per_gb = 1024;
constexpr std::string_view none = "-";

bool stands_for_itself(char x) {
  constexpr std::string_view others = "-._~";
  return (x >= '0' && x <= '9') || (x >= 'A' && x <= 'Z')
         || (x >= 'a' && x <= 'z') || others.find(x) != std::string_view::npos;
}

const char* section_of(Cell::Kind x) {
  switch (x) {
  case Cell::Kind::link:
    return "LINK";
  case Cell::Kind::state:
    return "STATE";
  case Cell::Kind::time:
    return "TIME";
  case Cell::Kind::since:
    return "SINCE";
  case Cell::Kind::use:
    return "USE";
  case Cell::Kind::text:
  case Cell::Kind::sentence:
    break;
  }
  return nullptr;
}

} // namespace

Cell text(std::string x) {
  Cell result;
  result.text = printable(x);
  return result;
}

Cell sentence_text(std::string x) {
  auto result = text(std::move(x));
  if (!result.text.empty())
    result.kind = Cell::Kind::sentence;
  return result;
}

Cell at_right(std::string x) {
  auto result = text(std::move(x));
  result.is_number = true;
  return result;
}

Cell number(std::int64_t x) {
  auto result = text(std::to_string(x));
  result.is_number = true;
  return result;
}

Cell number(const std::optional<int>& x) {
  if (x)
    return number(std::int64_t{*x});
  auto result = text(std::string{none});
  result.is_number = true;
  return result;
}

Cell link_to(std::string x, std::string href) {
  auto result = text(std::move(x));
  result.kind = Cell::Kind::link;
  result.href = std::move(href);
  return result;
}

Cell state(std::string x) {
  auto result = text(std::move(x));
  result.kind = Cell::Kind::state;
  return result;
}

Cell state(std::string x, std::optional<int> exit_status) {
  auto result = state(std::move(x));
  result.is_failure = result.text == to_string(ExecutorState::EXITED)
                      && exit_status.value_or(0) != 0;
  return result;
}

Cell time(std::optional<std::int64_t> ms) {
  if (!ms)
    return text(std::string{none});
  auto result = text(utc_text(*ms));
  result.kind = Cell::Kind::time;
  return result;
}

Cell typed_utc_time(std::int64_t ms) {
  return text(format_time(from_ms(ms)));
}

Cell elapsed(std::int64_t begun_ms, std::optional<std::int64_t> ended_ms,
             std::int64_t now_ms) {
  if (ended_ms)
    return text(duration_text(*ended_ms - begun_ms));
  auto result
      = text(now_ms == 0 ? std::string{} : duration_text(now_ms - begun_ms));
  result.kind = Cell::Kind::since;
  result.part = begun_ms;
  return result;
}

Cell use(std::int64_t part, std::int64_t whole) {
  auto result = text(std::to_string(part) + " of " + std::to_string(whole));
  result.kind = Cell::Kind::use;
  result.part = part;
  result.whole = whole;
  return result;
}

Cell memory_use(std::int64_t part_mb, std::int64_t whole_mb) {
  auto result = use(part_mb, whole_mb);
  result.text = memory_text(part_mb) + " of " + memory_text(whole_mb);
  return result;
}

std::string memory_text(std::int64_t mb) {
  if (mb < mb_per_gb)
    return std::to_string(mb) + " MB";
  auto tenths = mb % mb_per_gb * 10 / mb_per_gb;
  return std::to_string(mb / mb_per_gb)
         + (tenths == 0 ? std::string{} : '.' + std::to_string(tenths)) + " GB";
}

Cell memory(std::int64_t mb) {
  auto result = text(memory_text(mb));
  result.is_number = true;
  return result;
}

Cell cores_wanted(int x) {
  // More than any cluster has.
  constexpr int without_limit = 1'000'000'000;
  return text(x >= without_limit ? "all" : std::to_string(x));
}

std::string href_of(const AppId& x) {
  return "/applications/" + url_encoded(x.value);
}

std::string href_of(const WorkerId& x) {
  return "/workers/" + url_encoded(x.value);
}

std::string href_of(const DriverId& x) {
  return "/drivers/" + url_encoded(x.value);
}

std::string href_of(const ExecutorId& x) {
  return "/executors/" + url_encoded(x.app_id.value) + '/'
         + std::to_string(x.exec_id);
}

void fill_linked(ctemplate::TemplateDictionary& to, const std::string& text) {
  for (const auto& x : linked_text(text)) {
    auto& part = *to.AddSectionDictionary("PART");
    if (x.href.empty()) {
      part.AddSectionDictionary("PLAIN")->SetValue("TEXT", x.text);
    } else {
      auto& link = *part.AddSectionDictionary("LINK");
      link.SetValue("TEXT", x.text);
      link.SetValue("HREF", x.href);
    }
  }
}

void fill(ctemplate::TemplateDictionary& to, const Cell& cell) {
  if (cell.is_number)
    to.ShowSection("NUMBER");
  if (cell.kind == Cell::Kind::sentence)
    return fill_linked(to, cell.text);
  const auto* name = section_of(cell.kind);
  if (name == nullptr)
    return to.SetValue("TEXT", cell.text);
  auto& section = *to.AddSectionDictionary(name);
  section.SetValue("TEXT", cell.text);
  switch (cell.kind) {
  case Cell::Kind::link:
    return section.SetValue("HREF", cell.href);
  case Cell::Kind::state:
    if (cell.is_failure)
      section.ShowSection("FAILURE");
    return;
  case Cell::Kind::since:
    return section.SetValue("MS", std::to_string(cell.part));
  case Cell::Kind::use:
    section.SetValue("VALUE", std::to_string(cell.part));
    if (cell.part > cell.whole)
      section.ShowSection("ABOVE");
    return section.SetValue("MAX", std::to_string(cell.whole));
  default:
    return;
  }
}

std::string utc_text(std::int64_t ms) {
  auto result = format_time(from_ms(ms));
  std::ranges::replace(result, ' ', 'T');
  return result + 'Z';
}

std::string duration_text(std::int64_t ms) {
  return format_elapsed(Duration{ms});
}

std::string url_encoded(std::string_view x) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string result;
  for (auto c : x)
    if (stands_for_itself(c)) {
      result += c;
    } else {
      auto byte = static_cast<unsigned char>(c);
      result += '%';
      result += digits[byte >> 4U];
      result += digits[byte & 15U];
    }
  return result;
}

} // namespace stoker::pages
