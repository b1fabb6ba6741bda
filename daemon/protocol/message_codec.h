#pragma once
/// \file
/// Values of messages.h and knowledge_messages.h <-> JSON. Defined for every struct there that
/// travels by itself; another type does not link.

#include "daemon/protocol/document.h"
#include "daemon/protocol/messages.h"

#include <string>

namespace warpmind::daemon::protocol {

/// JSON text on one line, for make_request(), make_result(), make_notification().
template <class T>
[[nodiscard]] std::string encode(const T& value);

/// Missing members keep their defaults; unknown ones are ignored (requests are checked against the
/// method table first). Null reads as an empty object. Errors: corrupt_data naming the member.
template <class T>
[[nodiscard]] Result<T> decode(const Document& document);

}  // namespace warpmind::daemon::protocol
