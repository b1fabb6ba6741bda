#pragma once
/// \file
/// Reads a pack and believes nothing: every sum, signature and rule is checked before the first
/// record may be used.

#include "base/result.h"
#include "knowledge_base/packs/pack_exchange.h"
#include "knowledge_base/packs/pack_format.h"

#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpmind::knowledge_base {

/// A pack whose lines hold what they say. Records are parsed again when they are asked for: a pack
/// in memory costs its own size.
class CheckedPack {
 public:
  /// Checks everything but the signer's trust and the rules for texts.
  /// Errors: invalid_argument, one sentence with the line; cancelled when `stop` asked for it.
  [[nodiscard]] static Result<CheckedPack> check(std::string text, const PackLimits& limits = {},
                                                 const std::stop_token& stop = {});

  [[nodiscard]] const PackHeader& header() const { return header_; }
  /// Short hash of the content, whenever and by whomever it was exported.
  [[nodiscard]] const std::string& name() const { return end_.content; }
  /// Fits, when there is one.
  [[nodiscard]] const std::optional<Signature>& signature() const { return end_.signature; }
  [[nodiscard]] std::size_t size() const { return lines_.size(); }
  [[nodiscard]] Result<PackRecord> record(std::size_t index) const;
  /// Of the line of that record.
  [[nodiscard]] std::size_t bytes(std::size_t index) const { return lines_.at(index).second; }
  /// For messages: the header is line 1.
  [[nodiscard]] static std::size_t line_number(std::size_t index) { return index + 2; }

 private:
  Result<void> split(const PackLimits& limits);
  Result<void> check_end();
  Result<void> check_records(const std::stop_token& stop);

  std::string text_;
  PackHeader header_;
  PackEnd end_;
  std::size_t end_offset_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> lines_;  ///< offset and length of records
};

/// Reads the file and checks it, its signer too. Fills in name, origin and signer of `report`.
/// Errors: as above; not_found.
[[nodiscard]] Result<CheckedPack> read_pack(const std::filesystem::path& file,
                                            const PackImportOptions& options, PackReport& report);

}  // namespace warpmind::knowledge_base
