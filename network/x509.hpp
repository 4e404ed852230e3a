#pragma once

// Keys and certificates, as OpenSSL makes them.

#include <memory>
#include <string>
#include <vector>

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "messages/result.hpp"
#include "network/identity.hpp"

namespace stoker::x509 {

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* x) const noexcept {
    Free(x);
  }
};

using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;

/// A certificate and the key that belongs to it.
struct KeyPair {
  Certificate certificate;
  Key key;
};

/// Signed by itself; may sign nodes, but no other authorities.
/// @param backdated_days For so long, and an hour, it is valid before now: the clock may be set
/// back later.
Result<KeyPair> make_authority(const std::string& name, int days,
                               int backdated_days = 0);

/// Whose certificate it is: server and client.
struct Subject {
  Identity identity;

  /// The names and addresses that it may be reached by.
  std::vector<std::string> hosts;
};

/// Good for `days`, but no longer than its authority.
/// @param backdated_days As of `make_authority`.
Result<KeyPair> make_member(const Subject& subject, int days,
                            const KeyPair& authority, int backdated_days = 0);

/// Whether a text is an IP address, of either version.
bool is_address(const std::string& text);

/// Reads an authority that still holds from PEM files.
Result<KeyPair> read_authority(const std::string& certificate_file,
                               const std::string& key_file);

/// Whether PEM files hold what `make_member` makes: a certificate of this identity that
/// the authority has signed and that still holds, and its key. The error says what they
/// hold instead.
Status check_member(const std::string& certificate_file,
                    const std::string& key_file, const Identity& identity,
                    const KeyPair& authority);

/// What a list of revoked certificates says of one.
struct RevocableCertificate {
  std::string serial;

  /// Such as "user ann"; empty: it is no member's.
  std::string holder;
};

/// Reads a certificate from a PEM file.
Result<RevocableCertificate> read_certificate(const std::string& file);

std::string certificate_pem(const KeyPair& x);

/// Not encrypted.
std::string key_pem(const KeyPair& x);

} // namespace stoker::x509
