#include "network/certificates.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "network/credentials.hpp"
#include "network/x509.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

namespace fs = std::filesystem;

class CertificateDirectory {
public:
  CertificateDirectory() {
    std::string name = (fs::temp_directory_path() / "stoker-certs-XXXXXX");
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~CertificateDirectory() {
    std::error_code error;
    fs::permissions(path_, fs::perms::owner_all, error);
    fs::remove_all(path_, error);
  }
  CertificateDirectory(const CertificateDirectory&) = delete;
  CertificateDirectory& operator=(const CertificateDirectory&) = delete;

  [[nodiscard]] std::string operator/(const std::string& name) const {
    return path_ + '/' + name;
  }

private:
  std::string path_;
};

std::vector<Identity> nodes(const std::vector<std::string>& hosts) {
  std::vector<Identity> result;
  for (const auto& x : hosts)
    result.push_back({x, Role::node});
  return result;
}

Certificates require_made(const std::string& directory,
                          const std::vector<std::string>& hosts) {
  auto result = make_certificates(directory, nodes(hosts));
  if (!result)
    FAIL(result.error().message);
  return *std::move(result);
}

/// The problem, or nothing when there was none.
std::string problem_of(const std::string& directory,
                       const std::vector<std::string>& hosts) {
  auto result = make_certificates(directory, nodes(hosts));
  return result ? "" : result.error().message;
}

std::set<std::string> names_in(const std::string& directory) {
  std::set<std::string> result;
  for (const auto& x : fs::directory_iterator{directory})
    result.insert(x.path().filename());
  return result;
}

std::string contents_of(const std::string& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

x509::Certificate read_certificate(const std::string& file) {
  std::unique_ptr<FILE, int (*)(FILE*)> in{std::fopen(file.c_str(), "r"),
                                           std::fclose};
  REQUIRE(in);
  x509::Certificate result{PEM_read_X509(in.get(), nullptr, nullptr, nullptr)};
  REQUIRE(result);
  return result;
}

/// Whether a chain of a node's certificate and its authority holds for a use.
bool chain_holds(const std::string& authority, const std::string& node,
                 int purpose) {
  auto root = read_certificate(authority);
  auto leaf = read_certificate(node);
  std::unique_ptr<X509_STORE, x509::Deleter<X509_STORE_free>> store{
      X509_STORE_new()};
  REQUIRE(X509_STORE_add_cert(store.get(), root.get()) == 1);
  std::unique_ptr<X509_STORE_CTX, x509::Deleter<X509_STORE_CTX_free>> context{
      X509_STORE_CTX_new()};
  REQUIRE(X509_STORE_CTX_init(context.get(), store.get(), leaf.get(), nullptr)
          == 1);
  X509_STORE_CTX_set_purpose(context.get(), purpose);
  X509_STORE_CTX_set_flags(context.get(), X509_V_FLAG_X509_STRICT);
  return X509_verify_cert(context.get()) == 1;
}

int days_of(const X509* certificate) {
  int days = 0;
  int seconds = 0;
  REQUIRE(
      ASN1_TIME_diff(&days, &seconds, nullptr, X509_get0_notAfter(certificate))
      == 1);
  return seconds > 0 ? days + 1 : days;
}

} // namespace

TEST_CASE("a node's certificate verifies as server and as client") {
  CertificateDirectory directory;
  auto made = require_made(directory / "certs", {"node1", "10.0.0.7"});
  CHECK(made.authority_is_new);
  REQUIRE(made.members.size() == 2);
  for (const auto& node : made.members) {
    CHECK(
        chain_holds(made.authority, node.certificate, X509_PURPOSE_SSL_SERVER));
    CHECK(
        chain_holds(made.authority, node.certificate, X509_PURPOSE_SSL_CLIENT));
    CHECK(Credentials::load({node.certificate, node.key, made.authority}));
  }
}

TEST_CASE("a certificate says who its holder is, and what he may be") {
  CertificateDirectory directory;
  std::vector<Identity> all{
      {"node1", Role::node}, {"ann", Role::user}, {"op", Role::operator_}};
  auto made = make_certificates(directory / "certs", all);
  REQUIRE(made);
  std::vector<Identity> found;
  for (const auto& x : made->members) {
    CHECK(chain_holds(made->authority, x.certificate, X509_PURPOSE_SSL_CLIENT));
    auto identity = identity_of(read_certificate(x.certificate).get());
    REQUIRE(identity);
    found.push_back(*identity);
  }
  CHECK(found == all);
}

TEST_CASE("a user's certificate names no host") {
  CertificateDirectory directory;
  REQUIRE(make_certificates(directory / "certs", {{"ann", Role::user}}));
  auto ann = read_certificate(directory / "certs/ann.pem");
  CHECK(X509_check_host(ann.get(), "ann", 0,
                        X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, nullptr)
        == 0);
}

TEST_CASE("a certificate does not verify under another authority") {
  CertificateDirectory directory;
  auto ours = require_made(directory / "ours", {"node1"});
  auto theirs = require_made(directory / "theirs", {"node1"});
  CHECK(!chain_holds(ours.authority, theirs.members[0].certificate,
                     X509_PURPOSE_SSL_SERVER));
}

TEST_CASE("a node cannot sign other certificates") {
  CertificateDirectory directory;
  auto made = require_made(directory / "certs", {"node1"});
  CHECK(X509_check_ca(read_certificate(made.authority).get()) == 1);
  CHECK(X509_check_ca(read_certificate(made.members[0].certificate).get())
        == 0);
}

TEST_CASE("a certificate names its host, as a name or as an address") {
  CertificateDirectory directory;
  auto made = require_made(directory / "certs",
                           {"node1.example.org", "10.0.0.7", "fd00::1"});
  auto name = read_certificate(directory / "certs/node1.example.org.pem");
  CHECK(X509_check_host(name.get(), "node1.example.org", 0, 0, nullptr) == 1);
  CHECK(X509_check_host(name.get(), "node2.example.org", 0, 0, nullptr) == 0);
  auto four = read_certificate(directory / "certs/10.0.0.7.pem");
  CHECK(X509_check_ip_asc(four.get(), "10.0.0.7", 0) == 1);
  CHECK(X509_check_ip_asc(four.get(), "10.0.0.8", 0) == 0);
  auto six = read_certificate(directory / "certs/fd00::1.pem");
  CHECK(X509_check_ip_asc(six.get(), "fd00::1", 0) == 1);
}

TEST_CASE("a certificate for localhost is one for its addresses") {
  CertificateDirectory directory;
  auto made = require_made(directory / "certs", {"localhost"});
  auto x = read_certificate(made.members[0].certificate);
  CHECK(X509_check_host(x.get(), "localhost", 0, 0, nullptr) == 1);
  CHECK(X509_check_ip_asc(x.get(), "127.0.0.1", 0) == 1);
  CHECK(X509_check_ip_asc(x.get(), "::1", 0) == 1);
}

TEST_CASE("authorities hold for ten years, nodes for 825 days") {
  CertificateDirectory directory;
  auto made = require_made(directory / "certs", {"node1"});
  CHECK(days_of(read_certificate(made.authority).get()) == 3653);
  CHECK(days_of(read_certificate(made.members[0].certificate).get()) == 825);
}

TEST_CASE("a node's certificate ends with its authority at the latest") {
  auto authority = x509::make_authority("short", 10);
  REQUIRE(authority);
  auto node
      = x509::make_member({{"node1", Role::node}, {"node1"}}, 825, *authority);
  REQUIRE(node);
  CHECK(days_of(node->certificate.get()) == 10);
}

TEST_CASE("keys are for their owner only, whatever the umask") {
  CertificateDirectory directory;
  auto old = ::umask(0);
  auto made = require_made(directory / "certs", {"node1"});
  ::umask(old);
  CHECK(mode_of(made.authority_key) == 0600);
  CHECK(mode_of(made.members[0].key) == 0600);
  CHECK(mode_of(made.authority) == 0644);
  CHECK(mode_of(made.members[0].certificate) == 0644);
  CHECK(mode_of(directory / "certs") == 0700);
}

TEST_CASE("an authority that is there signs further nodes") {
  CertificateDirectory directory;
  auto first = require_made(directory / "certs", {"node1"});
  auto authority = contents_of(first.authority);
  auto second = require_made(directory / "certs/", {"node2"});
  CHECK(!second.authority_is_new);
  CHECK(contents_of(second.authority) == authority);
  CHECK(chain_holds(first.authority, second.members[0].certificate,
                    X509_PURPOSE_SSL_SERVER));
  CHECK(names_in(directory / "certs")
        == std::set<std::string>{"ca.pem", "ca-key.pem", "node1.pem",
                                 "node1-key.pem", "node2.pem",
                                 "node2-key.pem"});
}

TEST_CASE("who has a certificate keeps it, and others get theirs") {
  CertificateDirectory directory;
  auto first = require_made(directory / "certs", {"node1"});
  CHECK(first.members[0].is_new);
  auto certificate = contents_of(first.members[0].certificate);
  auto key = contents_of(first.members[0].key);
  auto second = require_made(directory / "certs", {"node2", "node1"});
  CHECK(second.members[0].is_new);
  CHECK_FALSE(second.members[1].is_new);
  CHECK(contents_of(first.members[0].certificate) == certificate);
  CHECK(contents_of(first.members[0].key) == key);
  CHECK(chain_holds(first.authority, second.members[0].certificate,
                    X509_PURPOSE_SSL_SERVER));
  CHECK_FALSE(require_made(directory / "certs", {"node2"}).members[0].is_new);
}

TEST_CASE("what else is in a certificate's place stays, and nothing is "
          "written then") {
  CertificateDirectory directory;
  auto made = require_made(directory / "certs", {"node1"});
  auto other = require_made(directory / "other", {"node1"});
  const auto& file = made.members[0].certificate;
  const auto& key = made.members[0].key;
  auto replace = fs::copy_options::overwrite_existing;
  std::string expected;
  auto role = Role::node;
  SECTION("for somebody with another role") {
    role = Role::operator_;
    expected = file + " is for node node1";
  }
  SECTION("for another host") {
    auto node3 = require_made(directory / "certs", {"node3"});
    fs::copy_file(node3.members[0].certificate, file, replace);
    expected = file + " is for node node3";
  }
  SECTION("of another authority") {
    fs::copy_file(other.members[0].certificate, file, replace);
    fs::copy_file(other.members[0].key, key, replace);
    expected = file + " is of another authority";
  }
  SECTION("with another key") {
    fs::copy_file(other.members[0].key, key, replace);
    expected = key + " is not the key of " + file;
  }
  SECTION("expired") {
    auto authority = x509::read_authority(made.authority, made.authority_key);
    REQUIRE(authority);
    auto old
        = x509::make_member({{"node1", Role::node}, {"node1"}}, -1, *authority);
    REQUIRE(old);
    std::ofstream{file} << x509::certificate_pem(*old);
    std::ofstream{key} << x509::key_pem(*old);
    expected = file + " has expired";
  }
  SECTION("without its key") {
    fs::remove(key);
    expected = "there is " + file + " but no " + key;
  }
  SECTION("without its certificate") {
    fs::remove(file);
    expected = "there is " + key + " but no " + file;
  }
  SECTION("a link that leads nowhere") {
    fs::remove(file);
    fs::create_symlink("nowhere", file);
    expected = file + " cannot be read: ";
  }
  SECTION("no certificate at all") {
    std::ofstream{file} << "text\n";
    expected = file + " cannot be read: ";
  }
  auto names = names_in(directory / "certs");
  auto result = make_certificates(directory / "certs",
                                  {{"node2", Role::node}, {"node1", role}});
  REQUIRE_FALSE(result);
  const auto& problem = result.error().message;
  INFO(problem);
  CHECK(problem.starts_with(expected));
  CHECK(problem.ends_with("; nothing was written: move it away to make one "
                          "for "
                          + to_string(Identity{"node1", role})));
  CHECK(names_in(directory / "certs") == names);
}

TEST_CASE("half of an authority is not replaced") {
  CertificateDirectory directory;
  auto made = require_made(directory / "certs", {"node1"});
  fs::remove(made.authority_key);
  CHECK(problem_of(directory / "certs", {"node2"})
        == "there is " + made.authority + " but no " + made.authority_key
               + "; an authority needs both");
}

TEST_CASE("an authority must be one, with its own key") {
  CertificateDirectory directory;
  auto ours = require_made(directory / "ours", {"node1"});
  auto theirs = require_made(directory / "theirs", {"node1"});
  auto replace = fs::copy_options::overwrite_existing;
  SECTION("the key of another") {
    fs::copy_file(theirs.authority_key, ours.authority_key, replace);
    CHECK(problem_of(directory / "ours", {"node2"})
          == ours.authority_key + " is not the key of " + ours.authority);
  }
  SECTION("a node") {
    fs::copy_file(ours.members[0].key, ours.authority_key, replace);
    fs::copy_file(ours.members[0].certificate, ours.authority, replace);
    CHECK(problem_of(directory / "ours", {"node2"})
          == ours.authority + " is not an authority's certificate");
  }
  SECTION("no certificate at all") {
    std::ofstream{ours.authority} << "text\n";
    CHECK(
        problem_of(directory / "ours", {"node2"})
            .starts_with("cannot read the authority " + ours.authority + ": "));
  }
}

TEST_CASE("a host that cannot be one is refused") {
  CertificateDirectory directory;
  auto hosts = GENERATE(as<std::string>{}, "", "a/b", "..", ".a", "-a", "a b",
                        "a,DNS:b", "a\nb", "*.example.org", "fe80::1%eth0",
                        std::string(65, 'a'), "ca", "ca-key");
  CAPTURE(hosts);
  auto problem = problem_of(directory / "certs", {hosts});
  CHECK(!problem.empty());
  CHECK(!fs::exists(directory / "certs"));
}

TEST_CASE("two hosts cannot share a file") {
  CertificateDirectory directory;
  CHECK(problem_of(directory / "certs", {"a", "a"}).starts_with("'a' needs"));
  CHECK(problem_of(directory / "certs", {"a", "a-key"})
            .starts_with("'a-key' needs"));
  CHECK(problem_of(directory / "certs", {})
        == "at least one host or user is needed");
  CHECK(!fs::exists(directory / "certs"));
}

TEST_CASE("a directory that cannot be made or written is told") {
  CertificateDirectory directory;
  std::ofstream{directory / "file"} << "text";
  CHECK(problem_of(directory / "file", {"node1"})
        == (directory / "file") + " is not a directory");
  CHECK(problem_of(directory / "file/certs", {"node1"})
        == "cannot create the directory " + (directory / "file/certs")
               + ": Not a directory");
  // Whatever user runs the test, nothing can be created below /proc.
  CHECK(problem_of("/proc/self", {"node1"})
            .starts_with("cannot write /proc/self/ca-key.pem: "));
  CHECK(problem_of("/proc/no-such", {"node1"})
            .starts_with("cannot create the directory /proc/no-such: "));
}

TEST_CASE("a read-only directory is told") {
  CertificateDirectory directory;
  fs::create_directory(directory / "certs");
  ::chmod((directory / "certs").c_str(), 0555);
  ::chmod((directory / "").c_str(), 0755);
  // Root may write anywhere, so another user tries.
  auto child = ::fork();
  if (child == 0) {
    auto dropped = ::getuid() != 0 || ::setuid(65534) == 0;
    auto problem = problem_of(directory / "certs", {"node1"});
    auto expected = "cannot write " + (directory / "certs/ca-key.pem")
                    + ": Permission denied";
    ::_exit(dropped && problem == expected ? 0 : 1);
  }
  int status = 1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(names_in(directory / "certs").empty());
}
