#pragma once

// Keys and certificates, as OpenSSL makes them.

#include <memory>
#include <string>

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "messages/result.hpp"

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
struct Identity {
  Certificate certificate;
  Key key;
};

/// Signed by itself; may sign nodes, but no other authorities.
Result<Identity> make_authority(const std::string& name, int days);

/// A server and a client; good for `days`, but no longer than its authority.
Result<Identity> make_node(const std::string& host, bool is_address, int days,
                           const Identity& authority);

/// Reads an authority that still holds from PEM files.
Result<Identity> read_authority(const std::string& certificate_file,
                                const std::string& key_file);

std::string certificate_pem(const Identity& x);

/// Not encrypted.
std::string key_pem(const Identity& x);

} // namespace stoker::x509
