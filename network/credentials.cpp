#include "network/credentials.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include "network/application_tls.hpp"
#include "network/limited_log.hpp"

namespace stoker {

namespace {

namespace ssl = boost::asio::ssl;

Result<std::shared_ptr<Credentials::Context>>
read_context(const TlsConfig& files) {
  if (files.certificate.empty() || files.key.empty() || files.authority.empty())
    return invalid("TLS needs all of --tls-cert, --tls-key and --tls-ca");
  std::error_code status;
  for (const auto& file : {files.certificate, files.key, files.authority})
    // OpenSSL would read one that has no end for ever.
    if (std::filesystem::is_character_file(file, status)
        || std::filesystem::is_block_file(file, status))
      return invalid("cannot use " + file + " for TLS: it is a device");
  auto result = std::make_shared<ssl::context>(ssl::context::tls);
  SSL_CTX_set_min_proto_version(result->native_handle(), TLS1_3_VERSION);
  // Connections are few and long: nobody comes back to a session.
  SSL_CTX_set_num_tickets(result->native_handle(), 0);
  result->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  boost::system::error_code error;
  auto wrong = [&](const char* what, const std::string& file) {
    // OpenSSL says "system lib" of a file that cannot be read.
    auto readable = ::access(file.c_str(), R_OK) == 0;
    auto reason = readable ? error.message() : std::strerror(errno);
    return invalid(std::string{"cannot use the "} + what + ' ' + file + ": "
                   + reason);
  };
  if (result->use_certificate_chain_file(files.certificate, error); error)
    return wrong("certificate", files.certificate);
  if (result->use_private_key_file(files.key, ssl::context::pem, error); error)
    return wrong("key", files.key);
  if (result->load_verify_file(files.authority, error); error)
    return wrong("authority", files.authority);
  // Browsers offer their user's certificates of it, and no others.
  SSL_CTX_set_client_CA_list(result->native_handle(),
                             SSL_load_client_CA_file(files.authority.c_str()));
  return result;
}

} // namespace

/// The list that counts now, for all contexts that were ever read.
class Credentials::RevokedList {
public:
  using List = std::shared_ptr<const RevokedCertificates>;

  [[nodiscard]] List get() const {
    std::lock_guard guard{mutex_};
    return list_;
  }
  void set(List list) {
    std::lock_guard guard{mutex_};
    list_ = std::move(list);
  }

private:
  mutable std::mutex mutex_;
  List list_ = std::make_shared<RevokedCertificates>();
};

namespace {

/// What a context judges certificates by, beside their authority.
struct RevocationCheck {
  std::shared_ptr<const Credentials::RevokedList> revoked;
  std::string file;
  LimitedLog log{"certificate-revoked"};
};

void free_revocation_check(void*, void* x, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<RevocationCheck*>(x);
}

int revocation_check_index() {
  static const int index = X509_STORE_get_ex_new_index(
      0, nullptr, nullptr, nullptr, free_revocation_check);
  return index;
}

/// OpenSSL asks this of each chain that it has verified otherwise, whichever side shows it.
int check_revoked(X509_STORE_CTX* chain) {
  auto* check = static_cast<RevocationCheck*>(X509_STORE_get_ex_data(
      X509_STORE_CTX_get0_store(chain), revocation_check_index()));
  auto* certificates = X509_STORE_CTX_get0_chain(chain);
  const auto revoked = check->revoked->get();
  for (int i = 0; i < sk_X509_num(certificates); ++i) {
    auto* certificate = sk_X509_value(certificates, i);
    auto serial = serial_number(certificate);
    if (!revoked->contains(serial))
      continue;
    auto holder = stoker::identity_of(certificate);
    check->log.warn("serial=" + serial + ": refused the certificate of "
                    + (holder ? to_string(*holder) : "an authority")
                    + "; it is in " + check->file);
    X509_STORE_CTX_set_error(chain, X509_V_ERR_CERT_REVOKED);
    X509_STORE_CTX_set_error_depth(chain, i);
    X509_STORE_CTX_set_current_cert(chain, certificate);
    return 0;
  }
  return 1;
}

void refuse_revoked(
    SSL_CTX* context,
    const std::shared_ptr<const Credentials::RevokedList>& revoked,
    const std::string& file) {
  auto* store = SSL_CTX_get_cert_store(context);
  auto check = std::make_unique<RevocationCheck>();
  check->revoked = revoked;
  check->file = file;
  if (X509_STORE_set_ex_data(store, revocation_check_index(), check.get()) != 1)
    throw std::bad_alloc{};
  static_cast<void>(check.release());
  X509_STORE_set_check_revocation(store, check_revoked);
}

/// "2026-11-29 00:00:00 UTC"
std::string utc_text(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1)
    return "?";
  std::array<char, 32> result{};
  std::strftime(result.data(), result.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return result.data();
}

Status check_times(const X509* certificate, const std::string& file) {
  if (X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0)
    return invalid("the certificate " + file
                   + " has expired; make another with 'stoker certs'");
  if (X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0)
    return invalid("the certificate " + file + " is not valid before "
                   + utc_text(X509_get0_notBefore(certificate))
                   + ", which is in the future by this machine's clock; set "
                     "the clock, or make another certificate");
  return {};
}

/// Whoever trusts this authority would not let this process in otherwise. Times are
/// left to those who look at them.
Status check_signature(SSL_CTX* context, const TlsConfig& files) {
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_get0_chain_certs(context, &chain);
  std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> check{
      X509_STORE_CTX_new(), X509_STORE_CTX_free};
  if (!check
      || X509_STORE_CTX_init(check.get(), SSL_CTX_get_cert_store(context),
                             SSL_CTX_get0_certificate(context), chain)
             != 1)
    throw std::bad_alloc{};
  X509_STORE_CTX_set_flags(check.get(), X509_V_FLAG_NO_CHECK_TIME);
  auto good = X509_verify_cert(check.get()) == 1;
  // Nobody is to take it for the reason of another failure.
  ERR_clear_error();
  if (good)
    return {};
  auto why = X509_STORE_CTX_get_error(check.get());
  return invalid("the certificate " + files.certificate
                 + " is not signed by the authority " + files.authority + " ("
                 + X509_verify_cert_error_string(why)
                 + "); name the one that made it with --tls-ca");
}

} // namespace

/// Those who want to know what becomes of certificates. Outlives the credentials if need be.
struct Credentials::Watchers {
  struct Watched {
    std::vector<std::string> serials;
    std::function<void()> call;

    /// Whether it is called after each reading, and not only once.
    bool is_always = false;
  };

  std::mutex mutex;
  std::uint64_t last = 0;
  std::map<std::uint64_t, Watched> all;

  static Watch add(const std::shared_ptr<Watchers>& to, Watched x) {
    std::lock_guard guard{to->mutex};
    auto number = ++to->last;
    to->all.emplace(number, std::move(x));
    return {to.get(), [to, number](const void*) {
              std::lock_guard own{to->mutex};
              to->all.erase(number);
            }};
  }

  /// Those to be called, now that these are revoked.
  std::vector<std::function<void()>>
  take_affected(const RevokedCertificates& revoked) {
    std::lock_guard guard{mutex};
    std::vector<std::function<void()>> result;
    for (auto& [number, x] : all)
      if (x.is_always)
        result.push_back(x.call);
      else if (x.call && revoked.contains_any(x.serials))
        result.push_back(std::exchange(x.call, {}));
    return result;
  }
};

Credentials::Credentials(TlsConfig files)
    : files_(std::move(files)), revoked_(std::make_shared<RevokedList>()),
      watchers_(std::make_shared<Watchers>()) {
}

Result<std::shared_ptr<Credentials>> Credentials::load(const TlsConfig& files) {
  std::shared_ptr<Credentials> result{new Credentials{files}};
  if (auto good = result->reload(); !good)
    return std::move(good).error();
  return result;
}

std::shared_ptr<Credentials>
Credentials::for_application(const AppId& id, const ApplicationSecret& secret) {
  std::shared_ptr<Credentials> result{new Credentials{TlsConfig{}}};
  result->application_ = id;
  result->context_ = application_peer_context(id, secret);
  result->identity_ = Identity{id.value, Role::executor};
  return result;
}

Status Credentials::reload() {
  if (application_)
    return {};
  auto revoked = std::make_shared<const RevokedCertificates>();
  if (!files_.revoked.empty()) {
    auto read = RevokedCertificates::read(files_.revoked);
    if (!read)
      return std::move(read).error();
    revoked = std::make_shared<const RevokedCertificates>(*std::move(read));
  }
  auto own = reload_own(*revoked);
  if (!own && !context())
    return own;
  // Revoked certificates are refused even if the own certificate cannot be used.
  revoked_->set(revoked);
  for (const auto& call : watchers_->take_affected(*revoked))
    call();
  if (!own && !files_.revoked.empty())
    return Error{own.code(), own.error().message + "; the list "
                                 + files_.revoked + " counts"};
  return own;
}

Status Credentials::reload_own(const RevokedCertificates& revoked) {
  auto context = read_context(files_);
  if (!context)
    return std::move(context).error();
  auto* certificate = SSL_CTX_get0_certificate((*context)->native_handle());
  if (auto good = check_times(certificate, files_.certificate); !good)
    return good;
  if (revoked.contains(serial_number(certificate)))
    return invalid("the certificate " + files_.certificate + " is revoked by "
                   + files_.revoked + "; make another with 'stoker certs'");
  if (auto known = check_signature((*context)->native_handle(), files_); !known)
    return known;
  refuse_revoked((*context)->native_handle(), revoked_, files_.revoked);
  return take(*std::move(context), identity_of(certificate));
}

Status Credentials::take(std::shared_ptr<Context> context,
                         const Result<Identity>& identity) {
  std::lock_guard guard{mutex_};
  // Nobody would know this process any more.
  if (identity_ && (!identity || identity->role != identity_->role))
    return invalid("the certificate " + files_.certificate + " is that of "
                   + (identity ? to_string(*identity) : "nobody")
                   + ", and was that of " + to_string(*identity_));
  context_ = std::move(context);
  identity_ = identity ? std::optional{*identity} : std::nullopt;
  return {};
}

bool Credentials::are_revoked(const std::vector<std::string>& serials) const {
  return revoked_->get()->contains_any(serials);
}

Credentials::Watch
Credentials::end_when_revoked(const std::vector<std::string>& serials,
                              const std::function<void()>& end) const {
  auto result = Watchers::add(watchers_, {serials, end, false});
  // The list may have been read since the handshake.
  if (are_revoked(serials))
    end();
  return result;
}

Credentials::Watch Credentials::on_reload(std::function<void()> call) const {
  return Watchers::add(watchers_, {{}, std::move(call), true});
}

std::optional<Identity> Credentials::identity() const {
  std::lock_guard guard{mutex_};
  return identity_;
}

std::shared_ptr<Credentials::Context> Credentials::context() const {
  std::lock_guard guard{mutex_};
  return context_;
}

} // namespace stoker
