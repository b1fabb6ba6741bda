#pragma once
/// \file
/// Skills that came with packs, as records (family techniques): text within limits, its source, and
/// whether it may be used here.

#include "base/model/packed_skill.h"
#include "base/result.h"
#include "knowledge_base/insights/record_reader.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

/// Without `quarantined`, which follows from the source.
[[nodiscard]] Result<std::string> encode_skill(const StoredSkill& stored);
/// Errors: corrupt_data.
[[nodiscard]] Result<StoredSkill> decode_skill(std::string_view bytes);

/// Name, licence, names and number of files, sizes, plain text. What the files mean is not looked
/// at. Errors: invalid_argument, one sentence with file and line.
[[nodiscard]] Result<void> check_packed_skill(const PackedSkill& skill);

/// All of them, by name, the one that is chosen first.
[[nodiscard]] Result<std::vector<StoredSkill>> load_skills(const RecordReader& reader);
[[nodiscard]] Result<std::optional<StoredSkill>> load_skill(const RecordReader& reader,
                                                            const std::string& name,
                                                            const std::string& source);

/// Whether the same files came from a source that is not quarantined.
[[nodiscard]] Result<bool> has_skill(const RecordReader& reader, const PackedSkill& skill);

}  // namespace warpmind::knowledge_base
