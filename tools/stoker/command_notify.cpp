// stoker notify: posts how something has ended.

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/ssl/context.hpp>

#include "tools/stoker/commands.hpp"
#include "tools/stoker/end_notice.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

namespace {

namespace ssl = boost::asio::ssl;

struct NotifyOptions {
  std::string url;
  std::string authorities;
  Duration timeout = std::chrono::seconds{30};
};

const char* variable(const char* name) {
  return std::getenv(name);
}

/// By whom servers are judged that are not this cluster's.
std::shared_ptr<ssl::context> judged_by(const std::string& authorities) {
  auto result = std::make_shared<ssl::context>(ssl::context::tls_client);
  result->set_options(ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1);
  result->set_verify_mode(ssl::verify_peer);
  boost::system::error_code error;
  if (authorities.empty())
    result->set_default_verify_paths(error);
  else
    result->load_verify_file(authorities, error);
  if (error)
    throw CommandError{exit_usage, "--ca: " + authorities
                                       + " cannot be read as certificates: "
                                       + error.message()};
  return result;
}

void run_notify(const NotifyOptions& options) {
  auto url = options.url;
  if (const auto* known = variable(notice_url_variable);
      url.empty() && known != nullptr)
    url = known;
  if (url.empty())
    throw CommandError{exit_usage,
                       "where to post is missing: pass a URL, or set "
                           + std::string{notice_url_variable}};
  auto address = parse_notice_address(url);
  require_ok(exit_usage, address);
  auto body = end_notice(variable);
  if (!body)
    throw CommandError{
        exit_usage, "nothing has ended: STOKER_ENDED_ID is not set, as it is "
                    "for what --on-end and --on-end-url start"};
  HttpCall call;
  call.to = address->server;
  call.method = "POST";
  call.target = address->target;
  call.body = *std::move(body);
  call.content_type = "application/json";
  // Some answer a notice with pages.
  call.reads_body = false;
  call.patience = options.timeout;
  if (call.to.is_encrypted)
    call.tls = judged_by(options.authorities);
  auto answer = call_http(call);
  require_ok(exit_failure, answer);
  if (answer->status < 200 || answer->status > 299)
    throw CommandError{exit_failure, to_string(call.to) + " answered with "
                                         + std::to_string(answer->status)};
}

} // namespace

void add_notify_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<NotifyOptions>();
  auto* command = app.add_subcommand(
      "notify", "Post how something has ended, as --on-end-url does");
  command->footer(
      "Run by what follows an end (--on-end): it finds STOKER_ENDED_ID, "
      "STOKER_ENDED_NAME,\nSTOKER_ENDED_STATE, STOKER_ENDED_EXIT_STATUS and "
      "STOKER_ENDED_MESSAGE in its\nenvironment, and posts them as a JSON "
      "object: "
      "id, name, state, succeeded,\nexit_status, message, and all of it as one "
      "line, text, as chats take it.\n"
      "Any answer but one of 200 to 299 is a failure.\n\n"
      "Examples:\n"
      "  stoker submit --on-end-url https://chat.example/hooks/T1 -- "
      "./nightly\n"
      "  stoker submit --on-end 'stoker notify http://ops:9000/' -- ./nightly");
  command->add_option("URL", options->url,
                      "Where to post (default: what STOKER_NOTIFY_URL says)");
  command
      ->add_option("--ca", options->authorities,
                   "Certificates of authorities that a server of https:// may "
                   "be of (default: those of this machine)")
      ->type_name("FILE");
  add_duration_option(*command, "--timeout", options->timeout,
                      "How long all of it may take (default: 30s)");
  command->callback([=] { run_notify(*options); });
}

} // namespace stoker
