#pragma once
/// \file
/// Strikes secrets out of text that is about to be kept or sent.

#include <string>
#include <string_view>

namespace warpmind::log {

/// From now on that very text is struck out, wherever it stands. Shorter than 8 bytes it is
/// ignored: it would strike out words. Thread-safe.
void hide(std::string_view secret);

/// `text` with what was hidden, and with what looks like a secret: `sk-…`, `AKIA…`, what follows
/// `Bearer` and `Basic`, user and password of an address, private keys in PEM. Each becomes
/// "[hidden]". Thread-safe.
[[nodiscard]] std::string redacted(std::string text);

}  // namespace warpmind::log
