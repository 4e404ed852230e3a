// stoker tenants: a tenants file without a master.

#include <iostream>
#include <memory>
#include <string>

#include "scheduling/common/format.hpp"
#include "tools/stoker/command_error.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/notice.hpp"
#include "tools/stoker/tenants_file.hpp"

namespace stoker {

namespace {

std::string companies_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " company" : " companies");
}

void check_file(const std::string& path) {
  auto checked = check_tenants_file(path);
  require_ok(checked);
  for (const auto& doubt : checked->doubts)
    print_notice("warning: " + doubt);
  const auto& tenants = checked->tenants;
  std::cout << path << ": " << companies_text(tenants.companies.size()) << ", "
            << format_count(static_cast<int>(tenants.users.size()), "user")
            << std::endl;
}

} // namespace

void add_tenants_command(CLI::App& app, CommandContext&) {
  auto* command
      = app.add_subcommand("tenants", "Check a tenants file without a master");
  command->require_subcommand(1);
  auto path = std::make_shared<std::string>();
  auto* check = command->add_subcommand(
      "check", "Read a tenants file as a master would, and say what is wrong");
  check->footer("It warns of what is allowed and hardly meant, such as a cap "
                "below the purchase.\n\n"
                "Example:\n"
                "  stoker tenants check tenants.toml && stoker reload");
  check->add_option("FILE", *path, "The tenants file")->required();
  check->callback([path] { check_file(*path); });
}

} // namespace stoker
