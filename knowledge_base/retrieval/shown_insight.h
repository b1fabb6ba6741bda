#pragma once
/// \file
/// What a search shows of an insight, read without decoding what it does not show: signatures,
/// attestations and what the fold remembers are most of a record.

#include "base/model/insight.h"
#include "base/result.h"
#include "knowledge_base/database.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace warpmind::knowledge_base {

/// The text of a JSON object without the members `names` of its top level. nullopt for a text that
/// is not laid out as our own are: compact, without escapes in names. What is left out is not
/// checked.
[[nodiscard]] std::optional<std::string> without_members(
    std::string_view object, std::initializer_list<std::string_view> names);

/// An insight without signatures and attestations. Errors: not_found, corrupt_data.
[[nodiscard]] Result<Insight> read_shown_insight(const Database& database, const InsightId& id);

}  // namespace warpmind::knowledge_base
