#include "knowledge_base/packs/ed25519.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/sequence.h"
#include "base/text.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

namespace warpmind::knowledge_base {
namespace {

struct BioDeleter {
  void operator()(BIO* bio) const noexcept { BIO_free(bio); }
};
struct KeyDeleter {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};
struct DigestDeleter {
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};
using UniqueKey = std::unique_ptr<EVP_PKEY, KeyDeleter>;
using UniqueDigest = std::unique_ptr<EVP_MD_CTX, DigestDeleter>;

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kSignatureBytes = 64;
constexpr std::size_t kPemLimit = std::size_t{64} * 1024;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

/// A key file with a password: no daemon can ask for it.
int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user*/) { return -1; }

enum class KeyHalf { private_key, public_key };

Result<UniqueKey> read_pem(const std::filesystem::path& path, KeyHalf half) {
  WARPMIND_TRY(const auto text, read_file(path, kPemLimit));
  const std::unique_ptr<BIO, BioDeleter> bio(
      BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  UniqueKey key;
  if (bio) {
    key.reset(half == KeyHalf::private_key
                  ? PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr)
                  : PEM_read_bio_PUBKEY(bio.get(), nullptr, no_password, nullptr));
  }
  if (key && EVP_PKEY_id(key.get()) == EVP_PKEY_ED25519) return key;
  const bool is_private = half == KeyHalf::private_key;
  return fail(Errc::invalid_argument,
              path.string() + " holds no Ed25519 " + (is_private ? "private" : "public") +
                  " key without a password in PEM form; make one with `openssl " +
                  (is_private ? "genpkey -algorithm ed25519`" : "pkey -in private.pem -pubout`"));
}

Result<std::string> raw_public_key(const EVP_PKEY& key) {
  std::string raw(kKeyBytes, '\0');
  std::size_t length = raw.size();
  if (EVP_PKEY_get_raw_public_key(&key, bytes_of(raw), &length) != 1 || length != kKeyBytes) {
    return fail(Errc::external_failure, "OpenSSL gives no raw public key");
  }
  return raw;
}

}  // namespace

Result<Signature> sign(std::string_view message, const std::filesystem::path& pem) {
  WARPMIND_TRY(const auto key, read_pem(pem, KeyHalf::private_key));
  Signature signature;
  WARPMIND_TRY(signature.public_key, raw_public_key(*key));
  signature.bytes.resize(kSignatureBytes);
  std::size_t length = signature.bytes.size();
  const UniqueDigest context(EVP_MD_CTX_new());
  if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1 ||
      EVP_DigestSign(context.get(), bytes_of(signature.bytes), &length, bytes_of(message),
                     message.size()) != 1 ||
      length != kSignatureBytes) {
    return fail(Errc::external_failure, "OpenSSL cannot sign with " + pem.string());
  }
  return signature;
}

bool is_weak_key(std::string_view public_key) {
  // The y of all points whose order divides 8; the sign of x stands in the last bit.
  constexpr std::array<std::string_view, 5> kSmallOrder{
      "0000000000000000000000000000000000000000000000000000000000000000",
      "0100000000000000000000000000000000000000000000000000000000000000",
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"};
  if (public_key.size() != kKeyBytes) return false;
  std::string y(public_key);
  y.back() = static_cast<char>(static_cast<unsigned char>(y.back()) & 0x7fU);
  const std::string text = encode_hex(y);
  // 2^255 - 19 and more: the same numbers as 0 to 18.
  const bool is_not_reduced = text.substr(2) == kSmallOrder.back().substr(2) && text >= "ed";
  return is_not_reduced || contains(kSmallOrder, text);
}

bool fits(const Signature& signature, std::string_view message) {
  if (signature.public_key.size() != kKeyBytes || signature.bytes.size() != kSignatureBytes ||
      is_weak_key(signature.public_key)) {
    return false;
  }
  const UniqueKey key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr,
                                                  bytes_of(signature.public_key), kKeyBytes));
  const UniqueDigest context(EVP_MD_CTX_new());
  return key && context &&
         EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), bytes_of(signature.bytes), kSignatureBytes,
                          bytes_of(message), message.size()) == 1;
}

Result<std::string> read_public_key(const std::filesystem::path& pem) {
  WARPMIND_TRY(const auto key, read_pem(pem, KeyHalf::public_key));
  WARPMIND_TRY(auto raw, raw_public_key(*key));
  if (!is_weak_key(raw)) return raw;
  return fail(Errc::invalid_argument,
              pem.string() +
                  " holds a public key of small order, which everybody can sign for; ask "
                  "its owner for another one");
}

std::string fingerprint(std::string_view public_key) {
  return "ed25519:" + short_hash(public_key, kKeyBytes);
}

}  // namespace warpmind::knowledge_base
