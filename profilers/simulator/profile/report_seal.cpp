#include "profilers/simulator/profile/report_seal.h"

#include "base/text.h"

#include <cstring>
#include <initializer_list>

#include <boost/uuid/detail/sha1.hpp>

namespace warpmind::simulator {
namespace {

/// Hexadecimal. Boost's SHA-1 and not base/hash.h: this is loaded into programs of users, which may
/// have another OpenSSL. For a chain under a secret key SHA-1 is strong enough.
std::string digest_of(std::initializer_list<std::string_view> parts) {
  boost::uuids::detail::sha1 hash;
  for (const std::string_view part : parts) {
    const std::size_t size = part.size();
    hash.process_bytes(&size, sizeof size);
    hash.process_bytes(part.data(), size);
  }
  boost::uuids::detail::sha1::digest_type digest;
  hash.get_digest(digest);
  std::string bytes(sizeof digest, '\0');
  std::memcpy(bytes.data(), &digest, sizeof digest);
  return encode_hex(bytes);
}

}  // namespace

void ReportSeal::add(std::string_view line) {
  chain_ = digest_of({"line", key_, digest_of({key_, chain_, line})});
  ++lines_;
}

std::string ReportSeal::value() const {
  if (spoilt_) return {};
  return digest_of({"end", key_, digest_of({key_, chain_, std::to_string(lines_)})});
}

}  // namespace warpmind::simulator
