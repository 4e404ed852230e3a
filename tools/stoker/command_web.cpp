// stoker web: opens the pages of a master in the browser.

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>

#include <boost/json/parse.hpp>

#include "embedding/machine.hpp"
#include "messages/printable.hpp"
#include "network/atomic_files.hpp"
#include "process/private_directory.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/notice.hpp"
#include "tools/stoker/options.hpp"
#include "web/http_client.hpp"

namespace stoker {

namespace {

struct WebCommandOptions {
  CLI::App* command = nullptr;
  std::string config;
  std::string web = "http://127.0.0.1:8080";
  NetworkOptions network;
  bool only_print = false;
};

/// By what a server of pages is judged; null: nothing is encrypted.
std::shared_ptr<Credentials::Context> tls_for(const WebAddress& to,
                                              const NetworkOptions& options) {
  if (!to.is_encrypted)
    return nullptr;
  if (!options.tls.enabled())
    throw CommandError{exit_usage,
                       "pages at https:// want to know who you are: pass your "
                       "certificate with --tls-cert, --tls-key and --tls-ca"};
  auto loaded = Credentials::load(options.tls);
  require_ok(exit_usage, loaded);
  return (*loaded)->context();
}

/// A text of a JSON object; empty: it is not there.
std::string text_in(const std::string& json, const char* name) {
  boost::json::error_code error;
  auto parsed = boost::json::parse(json, error);
  const auto* object = error ? nullptr : parsed.if_object();
  const auto* value = object ? object->if_contains(name) : nullptr;
  return value != nullptr && value->is_string()
             ? std::string{value->as_string()}
             : std::string{};
}

/// Of those of hexadecimal digits: nothing that a page or a program could take for
/// something else.
bool is_login_link(const std::string& url, const WebAddress& of) {
  auto begin = to_string(of) + "/login?token=";
  return url.starts_with(begin) && url.size() > begin.size()
         && url.find_first_not_of("0123456789abcdef", begin.size())
                == std::string::npos;
}

std::string ask_for_link(const WebAddress& of, const NetworkOptions& network) {
  HttpCall call;
  call.to = of;
  call.method = "POST";
  call.target = "/login-links";
  call.tls = tls_for(of, network);
  auto answer = call_http(call);
  if (answer.code() == Errc::not_alive)
    throw CommandError{exit_no_master,
                       answer.error().message
                           + "; start a master there, or say with --web where "
                             "its pages are"};
  if (!answer)
    throw CommandError{answer.error()};
  auto url = text_in(answer->body, "url");
  if (answer->status < 300 && is_login_link(url, of))
    return url;
  auto detail = text_in(answer->body, "detail");
  throw CommandError{
      exit_failure,
      to_string(of) + ": "
          + (detail.empty() ? "it is no Stoker master" : printable(detail))};
}

/// A page that leads to the link, for this user alone: a command line is seen by all users
/// of the machine.
std::string write_page(const std::string& url) {
  std::filesystem::path directory{default_state_directory()};
  auto path = std::filesystem::absolute(directory / "web.html");
  if (auto failed = process::make_private_directories(directory); failed != 0)
    throw CommandError{exit_failure, "cannot create " + directory.string()
                                         + ": " + std::strerror(failed)};
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  NewFiles files;
  require_ok(exit_failure,
             files.prepare(path,
                           "<!doctype html>\n<meta charset=\"utf-8\">\n"
                           "<meta http-equiv=\"refresh\" content=\"0; url="
                               + url + "\">\n<title>Stoker</title>\n<a href=\""
                               + url + "\">Go on</a>\n",
                           0600));
  require_ok(exit_failure, files.publish());
  return path;
}

bool has_display() {
  constexpr std::array<const char*, 2> names{"DISPLAY", "WAYLAND_DISPLAY"};
  return std::ranges::any_of(names, [](const char* name) {
    const auto* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  });
}

/// Starts what opens files on a desktop, and does not wait for it: it may last as long as
/// the browser.
void open_on_desktop(const std::string& path) {
  const char* program = "xdg-open";
  char* arguments[]
      = {const_cast<char*>(program), const_cast<char*>(path.c_str()), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (auto stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_RDWR, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t child = 0;
  auto failed = ::posix_spawnp(&child, program, &files, &attributes, arguments,
                               environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0)
    print_notice(std::string{"cannot start xdg-open: "} + std::strerror(failed)
                 + "; open the link yourself");
}

void run_web(const WebCommandOptions& options) {
  take_from_config(*options.command, options.config,
                   [](const std::string& name) {
                     return name == "web" || is_network_option(name);
                   });
  auto address = parse_web_address(options.web);
  require_ok(exit_usage, address);
  auto url = ask_for_link(*address, options.network);
  std::cout << url << std::endl;
  if (!options.only_print && has_display())
    open_on_desktop(write_page(url));
}

} // namespace

void add_web_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<WebCommandOptions>();
  auto* command
      = app.add_subcommand("web", "Show the pages of a master in the browser");
  command->footer("It prints a link that signs you in, once, within five "
                  "minutes, and opens it where there is a desktop.\n\n"
                  "Examples:\n"
                  "  stoker web\n"
                  "  stoker web --no-open\n"
                  "  stoker web --web https://node1:8080 --tls-cert ann.pem "
                  "--tls-key ann-key.pem --tls-ca ca.pem");
  options->command = command;
  command
      ->add_option("--web", options->web,
                   "Where the pages are: http://HOST:PORT or "
                   "https://HOST:PORT")
      ->envname("STOKER_WEB")
      ->type_name("URL")
      ->capture_default_str();
  add_network_options(*command, options->network);
  add_partial_config_option(*command, options->config);
  command->add_flag("--no-open", options->only_print,
                    "Print the link, and open nothing");
  command->callback([=] { run_web(*options); });
}

} // namespace stoker
