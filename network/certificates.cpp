#include "network/certificates.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "network/atomic_files.hpp"
#include "network/x509.hpp"

namespace stoker {

namespace {

namespace fs = std::filesystem;

constexpr int authority_days = 3653;

/// The most that common clients accept.
constexpr int member_days = 825;

/// A common name has no room for more (RFC 5280, ub-common-name).
constexpr std::size_t name_length_max = 64;

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

Status validate(const Identity& x) {
  auto what = std::string{x.role == Role::node ? "a host's name" : "a name"};
  if (x.name.empty())
    return invalid(what + " must not be empty");
  if (x.name.size() > name_length_max)
    return invalid(what + " must not be longer than "
                   + std::to_string(name_length_max) + " characters: '" + x.name
                   + "'");
  if (!is_name(x.name) && !(x.role == Role::node && x509::is_address(x.name)))
    return invalid("'" + x.name + "' is "
                   + (x.role == Role::node
                          ? "neither a host's name nor an IP address"
                          : "no name: letters, digits, and dots, hyphens and "
                            "underscores in between"));
  return {};
}

std::vector<std::string> hosts_of(const std::string& node) {
  if (node == "localhost")
    return {node, "127.0.0.1", "::1"};
  return {node};
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

/// Finds the names of all files. Each must be no other's.
Status name_files(const std::string& directory,
                  const std::vector<Identity>& members, Certificates& out) {
  auto path = [&](const std::string& name) {
    return (fs::path{directory} / name).string();
  };
  out.authority = path("ca.pem");
  out.authority_key = path("ca-key.pem");
  std::set<std::string> taken{out.authority, out.authority_key};
  for (const auto& x : members) {
    if (auto valid = validate(x); !valid)
      return valid;
    MemberCertificate member{x, path(x.name + ".pem"),
                             path(x.name + "-key.pem")};
    for (const auto& file : {member.certificate, member.key})
      if (!taken.insert(file).second)
        return invalid("'" + x.name + "' needs the file " + file
                       + ", which is another one's; give it another name");
    out.members.push_back(std::move(member));
  }
  return {};
}

/// Finds out who has a certificate already. What else stands in the place of one is not
/// ours to replace.
Status find_members(const x509::KeyPair& authority, Certificates& names) {
  auto is_there = [](const std::string& file) {
    std::error_code error;
    return fs::exists(fs::symlink_status(file, error));
  };
  for (auto& x : names.members) {
    auto has_certificate = is_there(x.certificate);
    auto has_key = is_there(x.key);
    x.is_new = !has_certificate && !has_key;
    if (x.is_new)
      continue;
    Status good;
    if (has_certificate != has_key)
      good = Error{Errc::io, "there is " + (has_key ? x.key : x.certificate)
                                 + " but no "
                                 + (has_key ? x.certificate : x.key)};
    else
      good = x509::check_member(x.certificate, x.key, x.identity, authority);
    if (!good)
      return Error{Errc::io, good.error().message
                                 + "; nothing was written: move it away to "
                                   "make one for "
                                 + to_string(x.identity)};
  }
  return {};
}

/// Reads the authority, or makes one and prepares its files.
Result<x509::KeyPair> find_authority(Certificates& names, NewFiles& files) {
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
                                       const std::vector<Identity>& members) {
  if (members.empty())
    return invalid("at least one host or user is needed");
  if (directory.empty())
    return invalid("the name of the directory for certificates is empty");
  Certificates result;
  if (auto named = name_files(directory, members, result); !named)
    return std::move(named).error();
  Directory place;
  if (auto created = place.create(directory); !created)
    return std::move(created).error();
  NewFiles files;
  auto authority = find_authority(result, files);
  if (!authority)
    return std::move(authority).error();
  if (auto found = find_members(*authority, result); !found)
    return std::move(found).error();
  for (const auto& member : result.members) {
    if (!member.is_new)
      continue;
    x509::Subject subject{member.identity, {}};
    if (member.identity.role == Role::node)
      subject.hosts = hosts_of(member.identity.name);
    auto made = x509::make_member(subject, member_days, *authority);
    if (!made)
      return std::move(made).error();
    auto written = files.prepare(member.key, x509::key_pem(*made), 0600);
    if (written)
      written = files.prepare(member.certificate, x509::certificate_pem(*made),
                              0644);
    if (!written)
      return std::move(written).error();
  }
  if (auto published = files.publish(); !published)
    return std::move(published).error();
  return result;
}

} // namespace stoker
