#include "tools/stoker/certificates.hpp"

#include <arpa/inet.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "tools/stoker/atomic_files.hpp"
#include "tools/stoker/x509.hpp"

namespace stoker {

namespace {

namespace fs = std::filesystem;

constexpr int authority_days = 3653;

/// The most that common clients accept.
constexpr int node_days = 825;

/// A common name has no room for more (RFC 5280, ub-common-name).
constexpr std::size_t host_length_max = 64;

bool is_address(const std::string& host) {
  in6_addr bytes{};
  return inet_pton(AF_INET, host.c_str(), &bytes) == 1
         || inet_pton(AF_INET6, host.c_str(), &bytes) == 1;
}

/// Letters, digits, and in between dots, hyphens and underscores: this names
/// files, too.
bool is_name(std::string_view host) {
  auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9');
  };
  auto joint = [](char c) { return c == '.' || c == '-' || c == '_'; };
  return !host.empty() && plain(host.front()) && plain(host.back())
         && std::all_of(host.begin(), host.end(),
                        [&](char c) { return plain(c) || joint(c); })
         && host.find("..") == std::string_view::npos;
}

Status validate_host(const std::string& host) {
  if (host.empty())
    return invalid("a host's name must not be empty");
  if (host.size() > host_length_max)
    return invalid("the host's name '" + host + "' is longer than "
                   + std::to_string(host_length_max) + " characters");
  if (!is_address(host) && !is_name(host))
    return invalid("'" + host + "' is neither a host's name nor an IP address");
  return {};
}

/// The directory, removed again unless something was put there.
class Directory {
public:
  Status create(std::string path) {
    // Of "a/b/" the parent would be "a/b".
    while (path.size() > 1 && path.ends_with('/'))
      path.pop_back();
    std::error_code error;
    fs::create_directories(fs::absolute(path, error).parent_path(), error);
    if (!error && ::mkdir(path.c_str(), 0700) == 0)
      created_ = path;
    else if (!error && errno != EEXIST)
      error = {errno, std::generic_category()};
    if (error)
      return Error{Errc::io, "cannot create the directory " + path + ": "
                                 + error.message()};
    if (!fs::is_directory(path, error))
      return Error{Errc::io, path + " is not a directory"};
    return {};
  }

  ~Directory() {
    // Fails, as it should, when it is not empty.
    if (!created_.empty())
      ::rmdir(created_.c_str());
  }

private:
  std::string created_;
};

/// Finds the names of all files. Each must be new, and no other's.
Status name_files(const std::string& directory,
                  const std::vector<std::string>& hosts, Certificates& out) {
  auto path = [&](const std::string& name) {
    return (fs::path{directory} / name).string();
  };
  out.authority = path("ca.pem");
  out.authority_key = path("ca-key.pem");
  std::set<std::string> taken{out.authority, out.authority_key};
  for (const auto& host : hosts) {
    if (auto valid = validate_host(host); !valid)
      return valid;
    NodeCertificate node{host, path(host + ".pem"), path(host + "-key.pem")};
    for (const auto& file : {node.certificate, node.key}) {
      std::error_code error;
      if (!taken.insert(file).second)
        return invalid("'" + host + "' needs the file " + file
                       + ", which is another one's; give it another name");
      if (fs::exists(fs::symlink_status(file, error)))
        return Error{Errc::io, file + " exists already; nothing was written"};
    }
    out.nodes.push_back(std::move(node));
  }
  return {};
}

/// Reads the authority, or makes one and prepares its files.
Result<x509::Identity> find_authority(Certificates& names, NewFiles& files) {
  std::error_code error;
  auto has_certificate = fs::exists(names.authority, error);
  auto has_key = fs::exists(names.authority_key, error);
  if (has_certificate && has_key)
    return x509::read_authority(names.authority, names.authority_key);
  if (has_certificate || has_key)
    return Error{Errc::failed,
                 "there is " + (has_key ? names.authority_key : names.authority)
                     + " but no "
                     + (has_key ? names.authority : names.authority_key)
                     + "; an authority needs both"};
  names.authority_is_new = true;
  auto made = x509::make_authority("Stoker cluster authority", authority_days);
  if (made) {
    auto written
        = files.prepare(names.authority_key, x509::key_pem(*made), 0600);
    if (written)
      written
          = files.prepare(names.authority, x509::certificate_pem(*made), 0644);
    if (!written)
      return std::move(written).error();
  }
  return made;
}

} // namespace

Result<Certificates> make_certificates(const std::string& directory,
                                       const std::vector<std::string>& hosts) {
  if (hosts.empty())
    return Error{Errc::invalid_request, "at least one host is needed"};
  Certificates result;
  if (auto named = name_files(directory, hosts, result); !named)
    return std::move(named).error();
  Directory place;
  if (auto created = place.create(directory); !created)
    return std::move(created).error();
  NewFiles files;
  auto found = find_authority(result, files);
  if (!found)
    return std::move(found).error();
  const auto& authority = *found;
  for (const auto& node : result.nodes) {
    auto made = x509::make_node(node.host, is_address(node.host), node_days,
                                authority);
    if (!made)
      return std::move(made).error();
    const auto& identity = *made;
    auto written = files.prepare(node.key, x509::key_pem(identity), 0600);
    if (written)
      written = files.prepare(node.certificate, x509::certificate_pem(identity),
                              0644);
    if (!written)
      return std::move(written).error();
  }
  if (auto published = files.publish(); !published)
    return std::move(published).error();
  return result;
}

} // namespace stoker
