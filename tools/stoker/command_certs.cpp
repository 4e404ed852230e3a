// stoker certs: makes the certificates of a cluster.

#include <iostream>
#include <memory>

#include <boost/json.hpp>

#include "tools/stoker/certificates.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

namespace {

struct CertsOptions {
  std::string directory;
  std::vector<std::string> hosts;
  bool json = false;
};

constexpr const char* footer = R"(Files in DIR:
  ca.pem, ca-key.pem      The cluster's authority. It is made at first and used
                          again later, to add nodes. ca-key.pem lets its holder
                          join the cluster: keep it here, and secret.
  HOST.pem, HOST-key.pem  For one node. Nothing that exists is overwritten.

Copy ca.pem, HOST.pem and HOST-key.pem to each node, the key by a safe way.
People who use the cluster need such three files, too.

Examples:
  stoker certs certs --host node1 --host node2 --host alice
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
  for (const auto& x : made.nodes)
    nodes.push_back(json::object{
        {"host", x.host}, {"certificate", x.certificate}, {"key", x.key}});
  std::cout << json::serialize(
      json::object{{"authority", made.authority},
                   {"authority_key", made.authority_key},
                   {"authority_is_new", made.authority_is_new},
                   {"nodes", std::move(nodes)}})
            << '\n';
}

void print_text(const Certificates& made) {
  std::cout << (made.authority_is_new ? "made the authority "
                                      : "used the authority ")
            << made.authority << " (keep " << made.authority_key
            << " here, and secret)\n";
  for (const auto& x : made.nodes)
    std::cout << "made " << x.certificate << " and " << x.key << '\n';
  std::cout << "copy to each node: " << made.authority
            << " and the node's two files; 'stoker certs --help' shows how to "
               "use them\n";
}

void make(const CertsOptions& options) {
  auto result = make_certificates(options.directory, options.hosts);
  require_ok(exit_failure, result);
  const auto& made = *result;
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
      ->add_option("directory", options->directory,
                   "Where the files are put; created if need be")
      ->type_name("DIR")
      ->required();
  command
      ->add_option("--host", options->hosts,
                   "A node's host name or IP address, or a user's name; may be "
                   "repeated")
      ->type_name("HOST")
      ->allow_extra_args(false)
      ->required();
  command->add_flag("--json", options->json, "Print what was made as JSON");
  command->footer(footer);
  command->callback([=] { make(*options); });
}

} // namespace stoker
