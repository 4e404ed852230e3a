#include "tools/stoker/started_command.hpp"

#include <memory>

#include "tools/stoker/command_parser.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

namespace {

class UsageWithCommand : public CLI::Formatter {
public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    auto result = CLI::Formatter::make_usage(app, std::move(name));
    auto end = result.find_last_not_of('\n') + 1;
    return result.substr(0, end) + " [--] COMMAND [ARGUMENT...]\n";
  }
};

} // namespace

void take_command(CLI::App& app) {
  app.prefix_command();
  app.formatter(std::make_shared<UsageWithCommand>());
}

std::vector<std::string> command_of(const CLI::App& app,
                                    const std::vector<std::string>& after) {
  auto result = app.remaining();
  if (result.empty())
    return after;
  if (result.front().size() > 1 && result.front().front() == '-')
    throw CommandError{
        exit_usage,
        unknown_option_text(app, "stoker " + app.get_name(), result.front())
            + " (see 'stoker " + app.get_name() + " --help')"};
  // It is one of the program's own words.
  if (!after.empty())
    result.emplace_back("--");
  result.insert(result.end(), after.begin(), after.end());
  return result;
}

} // namespace stoker
