// stoker certs: makes the certificates of a cluster.

#include <iostream>
#include <memory>

#include <boost/json.hpp>

#include "messages/utf8_json.hpp"
#include "network/certificates.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/notice.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

namespace {

struct CertsOptions {
  std::string directory;
  std::vector<std::string> hosts;
  std::vector<std::string> users;
  std::vector<std::string> operators;
  bool json = false;
};

constexpr const char* footer = R"(Files in DIR:
  ca.pem, ca-key.pem      The cluster's authority. It is made at first and used
                          again later, to add nodes and users. ca-key.pem lets its
                          holder join the cluster: keep it here, and secret.
  NAME.pem, NAME-key.pem  For one node, user or operator. Nothing that exists is
                          overwritten: who has a certificate keeps it. For a new
                          one, move the two files away.

A node may be a master or a worker. A user runs applications, an operator runs the
cluster, too. Copy ca.pem and the two files of NAME to where they are used, the key
by a safe way. 'stoker revoke' shuts a member out.

Examples:
  stoker certs certs --host node1 --host node2 --user alice --operator bob
  stoker master --host node1 --tls-cert certs/node1.pem \
    --tls-key certs/node1-key.pem --tls-ca certs/ca.pem
  stoker worker stoker://node1:7070 --tls-cert certs/node2.pem \
    --tls-key certs/node2-key.pem --tls-ca certs/ca.pem
  export STOKER_TLS_CERT=certs/alice.pem STOKER_TLS_KEY=certs/alice-key.pem \
    STOKER_TLS_CA=certs/ca.pem
  stoker run --master stoker://node1:7070 -- hostname)";

void print_json(const Certificates& made) {
  namespace json = boost::json;
  json::array nodes;
  json::array users;
  for (const auto& x : made.members)
    if (x.identity.role == Role::node)
      nodes.push_back(json::object{{"host", x.identity.name},
                                   {"certificate", x.certificate},
                                   {"key", x.key},
                                   {"is_new", x.is_new}});
    else
      users.push_back(json::object{{"name", x.identity.name},
                                   {"role", to_string(x.identity.role)},
                                   {"certificate", x.certificate},
                                   {"key", x.key},
                                   {"is_new", x.is_new}});
  std::cout << utf8_json(
      json::object{{"authority", made.authority},
                   {"authority_key", made.authority_key},
                   {"authority_is_new", made.authority_is_new},
                   {"nodes", std::move(nodes)},
                   {"users", std::move(users)}})
            << '\n';
}

void print_text(const Certificates& made) {
  std::cout << (made.authority_is_new ? "made the authority "
                                      : "used the authority ")
            << made.authority << " (keep " << made.authority_key
            << " here, and secret)\n";
  for (const auto& x : made.members)
    if (x.is_new)
      std::cout << "made " << x.certificate << " and " << x.key << " for "
                << to_string(x.identity) << '\n';
  std::cout << "each of them needs " << made.authority
            << " and its own two files; 'stoker certs --help' shows how to use "
               "them\n";
}

void make(const CertsOptions& options) {
  std::vector<Identity> members;
  auto add = [&](const std::vector<std::string>& names, Role role) {
    for (const auto& x : names)
      members.push_back({x, role});
  };
  add(options.hosts, Role::node);
  add(options.users, Role::user);
  add(options.operators, Role::operator_);
  if (members.empty())
    throw CLI::RequiredError{"One of --host, --user and --operator"};
  auto result = make_certificates(options.directory, members);
  require_ok(result);
  const auto& made = *result;
  for (const auto& x : made.members)
    if (!x.is_new)
      print_notice("kept " + x.certificate + " and " + x.key + " of "
                   + to_string(x.identity));
  if (options.json)
    print_json(made);
  else
    print_text(made);
}

} // namespace

void add_certs_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<CertsOptions>();
  auto* command
      = app.add_subcommand("certs", "Make certificates for mutual TLS");
  command
      ->add_option("DIR", options->directory,
                   "Where the files are put; created if need be")
      ->required();
  auto add_names = [&](const char* name, std::vector<std::string>& names,
                       const char* what, const char* type) {
    command->add_option(name, names, what)
        ->type_name(type)
        ->allow_extra_args(false);
  };
  add_names("--host", options->hosts,
            "A node's host name or IP address; may be repeated", "HOST");
  add_names("--user", options->users, "Who runs applications; may be repeated",
            "NAME");
  add_names("--operator", options->operators,
            "Who runs the cluster; may be repeated", "NAME");
  command->add_flag("--json", options->json,
                    "Print what was made, or kept, as JSON");
  command->footer(footer);
  command->callback([=] { make(*options); });
}

} // namespace stoker
