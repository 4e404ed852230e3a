// stoker revoke: adds certificates to the list of those that do not count any more.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "network/revoked_certificates.hpp"
#include "network/x509.hpp"
#include "process/unique_fd.hpp"
#include "scheduling/common/instant.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/notice.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

namespace {

struct RevokeOptions {
  std::string list;
  std::vector<std::string> certificates;
};

constexpr const char* revoke_footer
    = R"(A CERTIFICATE is a PEM file, or a serial number as 'openssl x509 -serial' prints it.
The list is made if need be. Masters and workers that are started with it refuse
these certificates. Once the list has changed, 'stoker reload' or SIGHUP makes them
read it again, and close the connections of these certificates.

Examples:
  stoker revoke --list revoked.txt certs/alice.pem
  stoker master --tls-revoked revoked.txt --tls-cert m.pem --tls-key m-key.pem \
    --tls-ca ca.pem
  stoker reload)";

/// A file, or else a serial number: of a certificate that is lost.
x509::RevocableCertificate find_certificate(const std::string& text) {
  std::error_code error;
  if (auto serial = parse_serial_number(text);
      !serial.empty() && !std::filesystem::exists(text, error))
    return {serial, {}};
  auto read = x509::read_certificate(text);
  require_ok(exit_usage, read);
  return *std::move(read);
}

/// All lines at once, behind what there is.
void append_to_list(const std::string& file, const std::string& lines) {
  auto failed = [&] {
    return CommandError{exit_failure,
                        "cannot write " + file + ": " + std::strerror(errno)};
  };
  process::UniqueFd out{
      ::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644)};
  if (!out)
    throw failed();
  // The last line may have been written without its end.
  char last = '\n';
  auto size = ::lseek(out.get(), 0, SEEK_END);
  if (size > 0 && ::pread(out.get(), &last, 1, size - 1) != 1)
    throw failed();
  auto text = (last == '\n' ? "" : "\n") + lines;
  if (auto n = ::write(out.get(), text.data(), text.size());
      n != static_cast<ssize_t>(text.size())) {
    if (n >= 0)
      errno = ENOSPC;
    throw failed();
  }
  if (::fsync(out.get()) != 0)
    throw failed();
}

void revoke(const RevokeOptions& options) {
  std::error_code error;
  RevokedCertificates present;
  if (std::filesystem::exists(options.list, error)) {
    auto read = RevokedCertificates::read(options.list);
    require_ok(exit_failure, read);
    present = *std::move(read);
  }
  std::vector<x509::RevocableCertificate> all;
  for (const auto& x : options.certificates)
    all.push_back(find_certificate(x));
  auto today = compact_date(
      std::chrono::floor<Duration>(std::chrono::system_clock::now()));
  std::string lines;
  for (const auto& x : all) {
    auto named = x.serial + (x.holder.empty() ? "" : " of " + x.holder);
    if (present.contains(x.serial)) {
      print_notice("kept " + named);
      continue;
    }
    lines += x.serial + "  # " + (x.holder.empty() ? "" : x.holder + ", ")
             + "revoked " + today + '\n';
    std::cout << "revoked " << named << '\n';
  }
  if (!lines.empty())
    append_to_list(options.list, lines);
}

} // namespace

void add_revoke_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<RevokeOptions>();
  auto* command = app.add_subcommand(
      "revoke", "Add certificates to a list of revoked ones");
  command
      ->add_option("CERTIFICATE", options->certificates,
                   "A certificate's file, or its serial number")
      ->required();
  command
      ->add_option("--list", options->list,
                   "The list that masters and workers have by --tls-revoked")
      ->required()
      ->type_name("FILE");
  command->footer(revoke_footer);
  command->callback([=] { revoke(*options); });
}

} // namespace stoker
