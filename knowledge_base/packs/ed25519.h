#pragma once
/// \file
/// Ed25519 signatures over OpenSSL, with keys in PEM files.

#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace warpmind::knowledge_base {

/// Raw bytes: 32 of the public key, 64 of the signature.
struct Signature {
  std::string public_key;
  std::string bytes;
  bool operator==(const Signature&) const = default;
};

/// Signs with the private key in `pem` (`openssl genpkey -algorithm ed25519`).
/// Errors: not_found; invalid_argument when the file holds no Ed25519 private key.
[[nodiscard]] Result<Signature> sign(std::string_view message, const std::filesystem::path& pem);

/// Whether the signature fits message and key. Never an error: what cannot be a key fits nothing.
[[nodiscard]] bool fits(const Signature& signature, std::string_view message);

/// Of small order, or a number in a second spelling: for such a raw key one signature fits every
/// message. It fits nothing here.
[[nodiscard]] bool is_weak_key(std::string_view public_key);

/// Raw public key in `pem` (`openssl pkey -in private.pem -pubout`).
/// Errors: not_found; invalid_argument when the file holds no Ed25519 public key, or one of small
/// order.
[[nodiscard]] Result<std::string> read_public_key(const std::filesystem::path& pem);

/// "ed25519:" and 32 hex digits of SHA-256 of the raw public key.
[[nodiscard]] std::string fingerprint(std::string_view public_key);

}  // namespace warpmind::knowledge_base
