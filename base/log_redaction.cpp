#include "base/log_redaction.h"

#include "base/guarded.h"
#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace warpmind::log {
namespace {

constexpr std::string_view kMark = "[hidden]";
constexpr std::size_t kShortest = 8;

using Secrets = std::vector<std::string>;

Guarded<Secrets>& secrets() {
  static Guarded<Secrets> list;
  return list;
}

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}
bool is_key_byte(char c) {
  return is_word(c) || std::string_view("-_.~+/=").find(c) != std::string_view::npos;
}

std::size_t find_unlettered(const std::string& text, std::string_view word, std::size_t from) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  const auto found =
      std::search(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(), word.begin(),
                  word.end(), [&](char a, char b) { return lower(a) == lower(b); });
  return found == text.end() ? std::string::npos : static_cast<std::size_t>(found - text.begin());
}

/// Hides the run of key bytes behind `prefix`, when it has at least `shortest` of them. `keep`
/// bytes of the prefix stay.
void hide_behind(std::string& text, std::string_view prefix, std::size_t shortest,
                 std::size_t keep) {
  for (std::size_t at = find_unlettered(text, prefix, 0); at != std::string::npos;
       at = find_unlettered(text, prefix, at + 1)) {
    if (at > 0 && is_word(text[at - 1])) continue;  // the middle of a word
    const std::size_t begin = at + prefix.size();
    std::size_t end = begin;
    while (end < text.size() && is_key_byte(text[end])) ++end;
    if (end - begin < shortest) continue;
    text.replace(at + keep, end - at - keep, kMark);
  }
}

/// "https://user:password@host": what stands between "//" and "@".
void hide_logins(std::string& text) {
  for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at + 3)) {
    const std::size_t begin = at + 3;
    const std::size_t end = text.find_first_of("@/ \"'\\\n", begin);
    if (end == std::string::npos || text[end] != '@' || end == begin) continue;
    text.replace(begin, end - begin, kMark);
  }
}

void hide_pem(std::string& text) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  constexpr std::string_view kEnd = "-----END ";
  for (std::size_t at = text.find(kBegin); at != std::string::npos;
       at = text.find(kBegin, at + kMark.size())) {
    const std::size_t close = text.find("-----", at + kBegin.size());
    const bool secret = close != std::string::npos &&
                        text.substr(at, close - at).find("PRIVATE KEY") != std::string::npos;
    if (!secret) continue;
    std::size_t end = text.find(kEnd, close);
    end = end == std::string::npos ? text.size() : text.find("-----", end + kEnd.size());
    text.replace(at, end == std::string::npos ? end : end + 5 - at, kMark);
  }
}

}  // namespace

void hide(std::string_view secret) {
  if (secret.size() < kShortest) return;
  secrets().with([secret](Secrets& list) {
    if (!contains(list, secret)) list.emplace_back(secret);
  });
}

std::string redacted(std::string text) {
  secrets().with([&text](const Secrets& list) {
    for (const auto& secret : list) text = replace_text(std::move(text), secret, kMark);
  });
  hide_behind(text, "sk-", 16, 0);
  hide_behind(text, "AKIA", 16, 0);
  hide_behind(text, "Bearer ", 8, 7);
  hide_behind(text, "Basic ", 16, 6);
  hide_logins(text);
  hide_pem(text);
  return text;
}

}  // namespace warpmind::log
