#include "tools/stoker/table.hpp"

#include <algorithm>
#include <cstddef>
#include <ctime>

#include "messages/printable.hpp"
#include "scheduling/common/format.hpp"
#include "scheduling/common/instant.hpp"
#include "tools/stoker/text_width.hpp"

namespace stoker {

namespace {

constexpr std::size_t name_cells_max = 32;

} // namespace

std::string name_cell(const std::string& name) {
  return shortened_to_cells(name, name_cells_max);
}

void print_table(std::ostream& out, const std::vector<std::string>& heading,
                 const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) {
    out << "  (none)\n";
    return;
  }
  std::vector<std::size_t> widths;
  for (const auto& cell : heading)
    widths.push_back(cell.size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], cells_of(row[i]));
  auto print = [&](const std::vector<std::string>& row) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += ' ' + printable(row[i]);
      if (i + 1 < row.size())
        line.append(widths[i] - cells_of(row[i]) + 1, ' ');
    }
    out << line << '\n';
  };
  print(heading);
  for (const auto& row : rows)
    print(row);
}

std::string memory_text(std::int64_t mb) {
  if (mb < 10'240)
    return std::to_string(mb) + " MB";
  return std::to_string(mb / 1024) + '.' + std::to_string(mb % 1024 * 10 / 1024)
         + " GB";
}

std::string time_text(std::int64_t ms) {
  auto seconds = static_cast<std::time_t>(ms / 1000);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  return format_time(from_ms(ms + std::int64_t{parts.tm_gmtoff} * 1000));
}

std::string elapsed_text(std::int64_t begin_ms,
                         const std::optional<std::int64_t>& end_ms,
                         std::int64_t now_ms) {
  return format_elapsed(Duration{end_ms.value_or(now_ms) - begin_ms});
}

} // namespace stoker
