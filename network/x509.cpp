#include "network/x509.hpp"

#include <arpa/inet.h>

#include <array>

#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "network/revoked_certificates.hpp"

namespace stoker::x509 {

namespace {

using Bio = std::unique_ptr<BIO, Deleter<BIO_free>>;
using Number = std::unique_ptr<BIGNUM, Deleter<BN_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Deleter<X509_EXTENSION_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, Deleter<GENERAL_NAMES_free>>;

/// Clocks of machines differ.
constexpr long clocks_differ_seconds = 3600;

constexpr int serial_bits = 127;

std::string last_reason() {
  const auto* reason = ERR_reason_error_string(ERR_peek_error());
  ERR_clear_error();
  return reason != nullptr ? reason : "unknown reason";
}

bool add_extension(X509* to, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
  Extension extension{X509V3_EXT_conf_nid(nullptr, &context, nid, value)};
  return extension && X509_add_ext(to, extension.get(), -1) == 1;
}

bool add_name(GENERAL_NAMES* to, int type, const std::string& value) {
  auto* name
      = a2i_GENERAL_NAME(nullptr, nullptr, nullptr, type, value.c_str(), 0);
  if (name == nullptr)
    return false;
  if (sk_GENERAL_NAME_push(to, name) != 0)
    return true;
  GENERAL_NAME_free(name);
  return false;
}

bool add_alternative_names(X509* to, const Subject& subject) {
  Names names{GENERAL_NAMES_new()};
  auto good
      = names
        && add_name(names.get(), GEN_URI, role_uri(subject.identity.role));
  for (const auto& host : subject.hosts)
    good = good
           && add_name(names.get(), is_address(host) ? GEN_IPADD : GEN_DNS,
                       host);
  return good
         && X509_add1_ext_i2d(to, NID_subject_alt_name, names.get(), 0, 0) == 1;
}

/// A key, and a certificate with all that does not depend on its use.
KeyPair make_plain(const std::string& name, int days, int backdated_days) {
  KeyPair result{Certificate{X509_new()}, Key{EVP_EC_gen("P-256")}};
  auto* x = result.certificate.get();
  Number serial{BN_new()};
  auto good
      = x != nullptr && result.key && serial
        && X509_set_version(x, X509_VERSION_3) == 1
        && BN_rand(serial.get(), serial_bits, BN_RAND_TOP_ONE,
                   BN_RAND_BOTTOM_ANY)
               == 1
        && BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(x)) != nullptr
        && X509_time_adj_ex(X509_getm_notBefore(x), -backdated_days,
                            -clocks_differ_seconds, nullptr)
               != nullptr
        && X509_time_adj_ex(X509_getm_notAfter(x), days, 0, nullptr) != nullptr
        && X509_set_pubkey(x, result.key.get()) == 1
        && X509_NAME_add_entry_by_NID(
               X509_get_subject_name(x), NID_commonName, MBSTRING_UTF8,
               reinterpret_cast<const unsigned char*>(name.data()),
               static_cast<int>(name.size()), -1, 0)
               == 1;
  return good ? std::move(result) : KeyPair{};
}

Error cannot_make(const std::string& name) {
  return {Errc::failed,
          "cannot make a certificate for '" + name + "': " + last_reason()};
}

/// Never asks for a passphrase, as OpenSSL would do at the terminal.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

template <class Handle, class Read>
Handle read_pem(const std::string& file, Read read) {
  Bio in{BIO_new_file(file.c_str(), "r")};
  return Handle{in ? read(in.get(), nullptr, no_passphrase, nullptr) : nullptr};
}

template <class Write>
std::string to_pem(Write write) {
  Bio out{BIO_new(BIO_s_mem())};
  if (!out || write(out.get()) != 1)
    return {};
  char* data = nullptr;
  auto size = BIO_get_mem_data(out.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

} // namespace

Result<KeyPair> make_authority(const std::string& name, int days,
                               int backdated_days) {
  ERR_clear_error();
  auto result = make_plain(name, days, backdated_days);
  auto* x = result.certificate.get();
  auto good
      = x != nullptr && X509_set_issuer_name(x, X509_get_subject_name(x)) == 1
        && add_extension(x, x, NID_basic_constraints,
                         "critical,CA:TRUE,pathlen:0")
        && add_extension(x, x, NID_key_usage, "critical,keyCertSign,cRLSign")
        && add_extension(x, x, NID_subject_key_identifier, "hash")
        && X509_sign(x, result.key.get(), EVP_sha256()) > 0;
  if (!good)
    return cannot_make(name);
  return result;
}

Result<KeyPair> make_member(const Subject& subject, int days,
                            const KeyPair& authority, int backdated_days) {
  ERR_clear_error();
  const auto& name = subject.identity.name;
  auto result = make_plain(name, days, backdated_days);
  auto* x = result.certificate.get();
  auto* issuer = authority.certificate.get();
  auto good
      = x != nullptr
        && X509_set_issuer_name(x, X509_get_subject_name(issuer)) == 1
        && add_extension(x, issuer, NID_basic_constraints, "critical,CA:FALSE")
        && add_extension(x, issuer, NID_key_usage, "critical,digitalSignature")
        && add_extension(x, issuer, NID_ext_key_usage, "serverAuth,clientAuth")
        && add_extension(x, issuer, NID_subject_key_identifier, "hash")
        && add_extension(x, issuer, NID_authority_key_identifier, "keyid")
        && add_alternative_names(x, subject);
  const auto* end = X509_get0_notAfter(issuer);
  if (good && ASN1_TIME_compare(X509_get0_notAfter(x), end) > 0)
    good = X509_set1_notAfter(x, end) == 1;
  if (!good || X509_sign(x, authority.key.get(), EVP_sha256()) <= 0)
    return cannot_make(name);
  return result;
}

bool is_address(const std::string& text) {
  in6_addr bytes{};
  return inet_pton(AF_INET, text.c_str(), &bytes) == 1
         || inet_pton(AF_INET6, text.c_str(), &bytes) == 1;
}

Result<KeyPair> read_authority(const std::string& certificate_file,
                               const std::string& key_file) {
  ERR_clear_error();
  auto certificate = read_pem<Certificate>(certificate_file, PEM_read_bio_X509);
  if (!certificate)
    return Error{Errc::failed, "cannot read the authority " + certificate_file
                                   + ": " + last_reason()};
  auto key = read_pem<Key>(key_file, PEM_read_bio_PrivateKey);
  if (!key)
    return Error{Errc::failed, "cannot read the authority's key " + key_file
                                   + ": " + last_reason()};
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    ERR_clear_error();
    return Error{Errc::failed,
                 key_file + " is not the key of " + certificate_file};
  }
  if (X509_check_ca(certificate.get()) != 1)
    return Error{Errc::failed,
                 certificate_file + " is not an authority's certificate"};
  if (X509_cmp_current_time(X509_get0_notAfter(certificate.get())) < 0)
    return Error{Errc::failed,
                 "the authority " + certificate_file
                     + " has expired; make a new one in another directory"};
  return KeyPair{std::move(certificate), std::move(key)};
}

Status check_member(const std::string& certificate_file,
                    const std::string& key_file, const Identity& identity,
                    const KeyPair& authority) {
  ERR_clear_error();
  auto certificate = read_pem<Certificate>(certificate_file, PEM_read_bio_X509);
  if (!certificate)
    return Error{Errc::failed,
                 certificate_file + " cannot be read: " + last_reason()};
  auto key = read_pem<Key>(key_file, PEM_read_bio_PrivateKey);
  if (!key)
    return Error{Errc::failed, key_file + " cannot be read: " + last_reason()};
  auto* x = certificate.get();
  auto wrong = [&](const std::string& file, const std::string& what) {
    ERR_clear_error();
    return Error{Errc::failed, file + what};
  };
  if (X509_verify(x, X509_get0_pubkey(authority.certificate.get())) != 1)
    return wrong(certificate_file, " is of another authority");
  auto holder = identity_of(x);
  if (!holder)
    return wrong(certificate_file, ": " + holder.error().message);
  if (*holder != identity)
    return wrong(certificate_file, " is for " + to_string(*holder));
  if (X509_cmp_current_time(X509_get0_notAfter(x)) < 0)
    return wrong(certificate_file, " has expired");
  if (X509_check_private_key(x, key.get()) != 1)
    return wrong(key_file, " is not the key of " + certificate_file);
  return {};
}

Result<RevocableCertificate> read_certificate(const std::string& file) {
  ERR_clear_error();
  auto certificate = read_pem<Certificate>(file, PEM_read_bio_X509);
  if (!certificate)
    return Error{Errc::failed,
                 "cannot read the certificate " + file + ": " + last_reason()};
  auto holder = identity_of(certificate.get());
  return RevocableCertificate{serial_number(certificate.get()),
                              holder ? to_string(*holder) : std::string{}};
}

std::string certificate_pem(const KeyPair& x) {
  return to_pem(
      [&](BIO* out) { return PEM_write_bio_X509(out, x.certificate.get()); });
}

std::string key_pem(const KeyPair& x) {
  return to_pem([&](BIO* out) {
    return PEM_write_bio_PKCS8PrivateKey(out, x.key.get(), nullptr, nullptr, 0,
                                         nullptr, nullptr);
  });
}

} // namespace stoker::x509
