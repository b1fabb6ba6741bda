#pragma once
/// \file
/// Letters that look like others, as a reader sees them: rules about words must see them so, too.

#include <string>
#include <string_view>

namespace warpmind::knowledge_base {

/// `text` (valid UTF-8) in ASCII: compatibility forms (NFKC: full width, mathematical, circled, …),
/// letters with marks, and letters of other scripts that look like Latin ones become those; what
/// looks like no letter becomes '?'.
[[nodiscard]] std::string as_seen(std::string_view text);

}  // namespace warpmind::knowledge_base
