#include "network/identity.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace stoker {

namespace {

constexpr std::string_view uri_prefix = "urn:stoker:role:";
constexpr std::size_t name_bytes_max = 64;

Error bad_certificate(const std::string& what) {
  return {Errc::invalid_request,
          "the certificate " + what + "; make another with 'stoker certs'"};
}

std::string text_of(const ASN1_STRING* x) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(x)),
          static_cast<std::size_t>(ASN1_STRING_length(x))};
}

std::string common_name(X509* certificate) {
  auto* subject = X509_get_subject_name(certificate);
  auto at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0)
    return {};
  return text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
}

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= name_bytes_max
         && std::all_of(text.begin(), text.end(),
                        [](char c) { return c > ' ' && c <= '~'; });
}

/// A host's name or address among the alternative names; empty: it is something else.
std::string host_in(const GENERAL_NAME& x) {
  if (x.type == GEN_DNS) {
    auto result = text_of(x.d.dNSName);
    return is_name(result) ? result : std::string{};
  }
  if (x.type != GEN_IPADD)
    return {};
  std::array<char, INET6_ADDRSTRLEN> text{};
  auto length = ASN1_STRING_length(x.d.iPAddress);
  auto family = length == sizeof(in_addr)    ? AF_INET
                : length == sizeof(in6_addr) ? AF_INET6
                                             : AF_UNSPEC;
  const auto* bytes = ASN1_STRING_get0_data(x.d.iPAddress);
  return ::inet_ntop(family, bytes, text.data(), text.size()) != nullptr
             ? std::string{text.data()}
             : std::string{};
}

std::optional<Role> role_named(std::string_view name) {
  for (auto role : {Role::user, Role::operator_, Role::node})
    if (to_string(role) == name)
      return role;
  return std::nullopt;
}

} // namespace

bool includes(Role x, Role other) {
  return x == other || (x == Role::operator_ && other == Role::user);
}

std::string to_string(Role x) {
  switch (x) {
  case Role::user:
    return "user";
  case Role::operator_:
    return "operator";
  case Role::node:
    return "node";
  case Role::executor:
    return "executor";
  }
  return "?";
}

std::string to_string(const Identity& x) {
  return to_string(x.role) + ' ' + x.name;
}

std::string role_uri(Role x) {
  return std::string{uri_prefix} + to_string(x);
}

Result<Identity> identity_of(X509* certificate) {
  auto name = common_name(certificate);
  if (!is_name(name))
    return bad_certificate("has no name that can be shown");
  std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> names{
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(
          certificate, NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free};
  std::optional<Role> role;
  std::vector<std::string> hosts{name};
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const auto* entry = sk_GENERAL_NAME_value(names.get(), i);
    if (auto host = host_in(*entry); !host.empty())
      hosts.push_back(std::move(host));
    if (entry->type != GEN_URI)
      continue;
    auto uri = text_of(entry->d.uniformResourceIdentifier);
    if (!uri.starts_with(uri_prefix))
      continue;
    auto found = role_named(std::string_view{uri}.substr(uri_prefix.size()));
    if (!found || role)
      return bad_certificate("of '" + name
                             + "' has a role that is not known, or two");
    role = found;
  }
  if (!role)
    return bad_certificate("of '" + name + "' says no role");
  if (role != Role::node)
    hosts.clear();
  return Identity{std::move(name), *role, std::move(hosts)};
}

} // namespace stoker
