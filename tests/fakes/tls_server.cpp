#include "tests/fakes/tls_server.h"

#include <arpa/inet.h>
#include <csignal>
#include <cstdio>
#include <memory>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <utility>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace warpmind::fakes {
namespace {

template <auto Free>
struct FreeBy {
  template <class T>
  void operator()(T* handle) const {
    Free(handle);
  }
};
using UniqueCertificate = std::unique_ptr<X509, FreeBy<X509_free>>;
using UniqueContext = std::unique_ptr<SSL_CTX, FreeBy<SSL_CTX_free>>;
using UniqueSession = std::unique_ptr<SSL, FreeBy<SSL_free>>;
using UniquePair = std::unique_ptr<EVP_PKEY, FreeBy<EVP_PKEY_free>>;

void require(bool done) {
  if (!done) throw std::runtime_error("the TLS server of the test cannot be set up");
}

UniqueCertificate self_signed(EVP_PKEY* pair) {
  UniqueCertificate certificate(X509_new());
  X509* const x = certificate.get();
  require(X509_set_version(x, 2) == 1);
  ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
  X509_gmtime_adj(X509_getm_notBefore(x), -3600);
  X509_gmtime_adj(X509_getm_notAfter(x), 3600);
  X509_set_pubkey(x, pair);
  X509_NAME* const name = X509_get_subject_name(x);
  const auto* const text = reinterpret_cast<const unsigned char*>("127.0.0.1");
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0);
  X509_set_issuer_name(x, name);
  for (const auto& [kind, value] : {std::pair{NID_subject_alt_name, "IP:127.0.0.1"},
                                    std::pair{NID_basic_constraints, "critical,CA:TRUE"}}) {
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value);
    require(extension != nullptr);
    X509_add_ext(x, extension, -1);
    X509_EXTENSION_free(extension);
  }
  require(X509_sign(x, pair, EVP_sha256()) > 0);
  return certificate;
}

/// Head and body of one request; false when the client left.
bool read_request(SSL* session) {
  std::string bytes;
  std::size_t whole = 0;
  while (whole == 0 || bytes.size() < whole) {
    char chunk[4096];
    const int n = SSL_read(session, chunk, sizeof chunk);
    if (n <= 0) return false;
    bytes.append(chunk, static_cast<std::size_t>(n));
    const auto end = bytes.find("\r\n\r\n");
    const auto length = bytes.find("Content-Length: ");
    if (end == std::string::npos || length == std::string::npos) continue;
    whole = end + 4 + std::stoul(bytes.substr(length + 16));
  }
  return true;
}

}  // namespace

struct TlsServer::Context {
  UniqueContext tls;
};

TlsServer::TlsServer(const std::filesystem::path& certificate, std::string body)
    : context_(std::make_unique<Context>()), body_(std::move(body)) {
  const UniquePair pair(EVP_EC_gen("P-256"));
  require(pair != nullptr);
  const auto signed_by_itself = self_signed(pair.get());
  std::FILE* const file = std::fopen(certificate.c_str(), "w");
  require(file != nullptr);
  const bool written = PEM_write_X509(file, signed_by_itself.get()) == 1;
  require(std::fclose(file) == 0 && written);
  context_->tls.reset(SSL_CTX_new(TLS_server_method()));
  require(SSL_CTX_use_certificate(context_->tls.get(), signed_by_itself.get()) == 1);
  require(SSL_CTX_use_PrivateKey(context_->tls.get(), pair.get()) == 1);

  listening_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  require(::bind(listening_.get(), plain, size) == 0 && ::listen(listening_.get(), 16) == 0 &&
          ::getsockname(listening_.get(), plain, &size) == 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve_all(); });
}

TlsServer::~TlsServer() {
  (void)::shutdown(listening_.get(), SHUT_RDWR);
  thread_.join();
}

void TlsServer::serve_all() {
  // A client that leaves in the middle of a handshake must not end the test.
  sigset_t pipe_only;
  sigemptyset(&pipe_only);
  sigaddset(&pipe_only, SIGPIPE);
  (void)::pthread_sigmask(SIG_BLOCK, &pipe_only, nullptr);
  while (true) {
    const UniqueFd socket(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket) return;
    const UniqueSession session(SSL_new(context_->tls.get()));
    SSL_set_fd(session.get(), socket.get());
    if (SSL_accept(session.get()) != 1 || !read_request(session.get())) continue;
    ++requests_;
    const std::string answer =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
        "Content-Length: " +
        std::to_string(body_.size()) + "\r\n\r\n" + body_;
    (void)SSL_write(session.get(), answer.data(), static_cast<int>(answer.size()));
    (void)SSL_shutdown(session.get());
  }
}

}  // namespace warpmind::fakes
