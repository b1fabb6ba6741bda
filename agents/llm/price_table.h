#pragma once
/// \file
/// What tokens cost, from a file (config/prices.toml). Prices change: the product ships none.

#include "agents/llm/language_model.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::llm {

/// Micro-USD per million tokens.
struct ModelPrice {
  std::string model;  ///< the name, or its beginning
  std::int64_t input = 0;
  std::int64_t cached = 0;
  std::int64_t cache_write = 0;
  std::int64_t output = 0;
  std::string as_of;   ///< the day on which somebody looked
  std::string source;  ///< where
  bool operator==(const ModelPrice&) const = default;
};

class PriceTable {
 public:
  /// Without any price.
  PriceTable() = default;
  /// `file` only appears in messages. Errors: invalid_argument as `file:line:column: …`.
  [[nodiscard]] static Result<PriceTable> parse(std::string_view toml, std::string_view file);
  /// An empty path reads the built-in table. Errors: not_found; those of parse().
  [[nodiscard]] static Result<PriceTable> load(const std::filesystem::path& path);

  /// The longest row whose name is `model` or a beginning of it that ends before '-', '_', ':', '@'
  /// or '/'; nullopt when there is none.
  [[nodiscard]] std::optional<ModelPrice> find(std::string_view model) const;
  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  std::string version_;
  std::vector<ModelPrice> rows_;
};

/// Micro-USD of `usage`, rounded up.
[[nodiscard]] std::int64_t cost_of(const Usage& usage, const ModelPrice& price);

}  // namespace warpmind::agents::llm
