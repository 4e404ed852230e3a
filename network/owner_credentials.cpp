#include "network/owner_credentials.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "network/atomic_files.hpp"
#include "network/x509.hpp"
#include "process/private_directory.hpp"

namespace stoker {

namespace {

namespace fs = std::filesystem;

constexpr int days = 3653;

/// Nothing of this user's is older: a clock that was wrong when they were made, and is set back,
/// keeps nobody out.
constexpr int backdated_days = 3653;
constexpr const char* authority_name = "Stoker owner's authority";

Error problem(const std::string& what, int error) {
  return {Errc::io,
          what + ": " + std::strerror(error)
              + "; set XDG_STATE_HOME to a directory of yours, or pass "
                "certificates (see 'stoker certs')"};
}

/// Whoever may write in a directory may replace what is in it.
Status check_owner(const fs::path& path, mode_t not_for_others) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0)
    return problem("cannot read the directory " + path.string(), errno);
  if (!S_ISDIR(status.st_mode) || status.st_uid != ::geteuid())
    return invalid(path.string()
                   + " is not a directory of yours; set XDG_STATE_HOME to one");
  if ((status.st_mode & not_for_others) != 0)
    return invalid("others may use the directory " + path.string()
                   + "; close it with: chmod 700 " + path.string());
  return {};
}

std::string login_name() {
  const auto* entry = ::getpwuid(::geteuid());
  return entry != nullptr ? entry->pw_name
                          : "uid-" + std::to_string(::geteuid());
}

/// Puts a certificate and its key into a directory.
Status write(NewFiles& files, const fs::path& directory,
             const std::string& name, const x509::KeyPair& x) {
  auto written
      = files.prepare(directory / (name + "-key.pem"), x509::key_pem(x), 0600);
  return written ? files.prepare(directory / (name + ".pem"),
                                 x509::certificate_pem(x), 0600)
                 : written;
}

Status make_in(const fs::path& directory) {
  auto authority = x509::make_authority(authority_name, days, backdated_days);
  if (!authority)
    return std::move(authority).error();
  NewFiles files;
  auto add
      = [&](const std::string& name, const x509::Subject& subject) -> Status {
    auto made = x509::make_member(subject, days, *authority, backdated_days);
    return made ? write(files, directory, name, *made)
                : Status{std::move(made).error()};
  };
  auto written = files.prepare(directory / "ca.pem",
                               x509::certificate_pem(*authority), 0600);
  if (written)
    // The name stands in logs.
    written = add("node",
                  {{login_name() + "@localhost", Role::node}, {"localhost"}});
  if (written)
    written = add("owner", {{login_name(), Role::operator_}, {}});
  return written ? files.publish() : written;
}

/// Makes them under another name first, so that nobody finds half of them.
Status make(const fs::path& directory) {
  auto temporary = directory.string() + ".XXXXXX";
  if (::mkdtemp(temporary.data()) == nullptr)
    return problem("cannot create a directory beside " + directory.string(),
                   errno);
  auto made = make_in(temporary);
  // It fails if another process was faster, whose files serve as well.
  if (made && ::rename(temporary.c_str(), directory.c_str()) != 0
      && errno != EEXIST && errno != ENOTEMPTY)
    made = problem("cannot create the directory " + directory.string(), errno);
  std::error_code ignored;
  fs::remove_all(temporary, ignored);
  return made;
}

} // namespace

Result<TlsConfig> owner_credentials(const std::string& state_directory,
                                    Role role) {
  auto state = fs::absolute(state_directory).lexically_normal();
  auto directory = state / "credentials";
  if (auto failed = process::make_private_directories(state); failed != 0)
    return problem("cannot create the directory " + state.string(), failed);
  if (auto good = check_owner(state, 0022); !good)
    return std::move(good).error();
  std::error_code error;
  if (!fs::exists(fs::symlink_status(directory, error)))
    if (auto made = make(directory); !made)
      return std::move(made).error();
  if (auto good = check_owner(directory, 0077); !good)
    return std::move(good).error();
  std::string name = role == Role::node ? "node" : "owner";
  return TlsConfig{directory / (name + ".pem"), directory / (name + "-key.pem"),
                   directory / "ca.pem", false};
}

} // namespace stoker
