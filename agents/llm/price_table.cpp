#include "agents/llm/price_table.h"

#include "base/file.h"
#include "config/embedded_files.h"
#include "config/toml_table_reader.h"

namespace warpmind::agents::llm {
namespace {

using config::TableReader;

constexpr std::size_t kFileLimit = std::size_t{1} << 20U;
/// 1000 USD per million tokens; with counts below 10^9 nothing overflows.
constexpr std::int64_t kMostMicroUsd = 1'000'000'000;

Result<std::int64_t> amount(const TableReader& row, std::string_view key,
                            std::optional<std::int64_t> fallback) {
  if (fallback && row.find(key) == nullptr) return *fallback;
  WARPMIND_TRY(const auto value, row.integer(key, std::string(key) + " = 1000000"));
  if (value < 0 || value > kMostMicroUsd) {
    return row.error_at_key(
        key, "'" + std::string(key) + "' is in micro-USD per million tokens, from 0 to 10^9");
  }
  return value;
}

Result<ModelPrice> read_row(const TableReader& row) {
  WARPMIND_CHECK(
      row.allow_only({"model", "input", "cached", "cache_write", "output", "as_of", "source"}));
  ModelPrice price;
  WARPMIND_TRY(price.model, row.text("model", "model = \"example-large\""));
  if (price.model.empty()) return row.error_at_key("model", "'model' must not be empty");
  WARPMIND_TRY(price.input, amount(row, "input", std::nullopt));
  WARPMIND_TRY(price.cached, amount(row, "cached", price.input));
  WARPMIND_TRY(price.cache_write, amount(row, "cache_write", price.input));
  WARPMIND_TRY(price.output, amount(row, "output", std::nullopt));
  WARPMIND_TRY(price.as_of, row.text("as_of", "as_of = \"2026-01-31\""));
  WARPMIND_TRY(price.source, row.text_or("source", ""));
  return price;
}

bool is_row_of(std::string_view row, std::string_view model) {
  if (!model.starts_with(row)) return false;
  constexpr std::string_view kEnds = "-_:@/";
  return model.size() == row.size() || kEnds.find(model[row.size()]) != std::string_view::npos;
}

}  // namespace

Result<PriceTable> PriceTable::parse(std::string_view toml, std::string_view file) {
  WARPMIND_TRY(const auto document, config::parse_toml(toml, file));
  WARPMIND_TRY(const auto table, TableReader::open(file, "the price table", document));
  WARPMIND_CHECK(table.allow_only({"version", "price"}));
  PriceTable prices;
  WARPMIND_TRY(prices.version_, table.text("version", "version = \"1\""));
  WARPMIND_TRY(const auto rows, table.tables("price", "[[price]]"));
  for (const auto& row : rows) {
    WARPMIND_TRY(auto price, read_row(row));
    for (const auto& other : prices.rows_) {
      if (other.model == price.model) {
        return row.error_at_key("model", "a second price of '" + price.model + "'");
      }
    }
    prices.rows_.push_back(std::move(price));
  }
  return prices;
}

Result<PriceTable> PriceTable::load(const std::filesystem::path& path) {
  if (!path.empty()) {
    auto text = read_file(path, kFileLimit);
    if (!text) return fail(std::move(text).error().while_doing("llm.price_file"));
    return parse(*text, path.string());
  }
  for (const auto& file : config::embedded_files()) {
    if (file.name == "prices.toml") return parse(file.content, file.name);
  }
  return PriceTable();
}

std::optional<ModelPrice> PriceTable::find(std::string_view model) const {
  const ModelPrice* best = nullptr;
  for (const auto& row : rows_) {
    if (!is_row_of(row.model, model)) continue;
    if (best == nullptr || row.model.size() > best->model.size()) best = &row;
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::int64_t cost_of(const Usage& usage, const ModelPrice& price) {
  constexpr std::int64_t kMillion = 1'000'000;
  const std::int64_t sum = usage.input_tokens * price.input + usage.cached_tokens * price.cached +
                           usage.written_tokens * price.cache_write +
                           usage.output_tokens * price.output;
  return (sum + kMillion - 1) / kMillion;
}

}  // namespace warpmind::agents::llm
