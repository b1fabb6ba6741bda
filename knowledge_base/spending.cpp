#include "knowledge_base/spending.h"

#include "knowledge_base/key_codec.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/sealed_json.h"

#include <array>

namespace warpmind::knowledge_base {
namespace {

/// A record and its place in the log.
constexpr std::int64_t kSpendingBytes = 1024;

struct Amount {
  const char* name;
  std::int64_t DaySpending::*field;
};

constexpr std::array<Amount, 8> kAmounts{{
    {"requests", &DaySpending::requests},
    {"input_tokens", &DaySpending::input_tokens},
    {"cached_tokens", &DaySpending::cached_tokens},
    {"written_tokens", &DaySpending::written_tokens},
    {"output_tokens", &DaySpending::output_tokens},
    {"micro_usd", &DaySpending::micro_usd},
    {"unpriced_requests", &DaySpending::unpriced_requests},
    {"estimated_requests", &DaySpending::estimated_requests},
}};

Result<DaySpending> stored_or_none(const std::optional<std::string>& bytes) {
  if (!bytes) return DaySpending{};
  return decode_spending(*bytes);
}

}  // namespace

Result<std::string> encode_spending(const DaySpending& spending) {
  nlohmann::json record = nlohmann::json::object();
  for (const auto& [name, field] : kAmounts) record[name] = spending.*field;
  return seal(record, "spending");
}

Result<DaySpending> decode_spending(std::string_view bytes) {
  WARPMIND_TRY(const auto record, open_json(bytes, "spending"));
  DaySpending spending;
  for (const auto& [name, field] : kAmounts) {
    WARPMIND_TRY(spending.*field, member(record, name, std::int64_t{0}));
    if (spending.*field < 0) {
      return fail(Errc::corrupt_data, "stored spending has " + std::string(name) + " below zero");
    }
  }
  return spending;
}

Result<DaySpending> Spending::read(std::int64_t day) const {
  return base_.read([day](const Database& database, const std::string&) -> Result<DaySpending> {
    WARPMIND_TRY(const auto bytes, database.get(Family::budgets, spending_key(day)));
    return stored_or_none(bytes);
  });
}

Result<void> Spending::add(std::int64_t day, const DaySpending& more) {
  return base_.write(kSpendingBytes, [day, &more](ChangeSet& change) -> Result<void> {
    const std::string key = spending_key(day);
    WARPMIND_TRY(const auto bytes, change.get(Family::budgets, key));
    WARPMIND_TRY(auto sum, stored_or_none(bytes));
    for (const auto& [name, field] : kAmounts) sum.*field += more.*field;
    WARPMIND_TRY(auto encoded, encode_spending(sum));
    if (bytes) {
      change.put(Family::budgets, key, std::move(encoded));
    } else {
      change.add(Family::budgets, key, std::move(encoded));
    }
    change.describe("spending", {"day " + std::to_string(day)});
    return {};
  });
}

}  // namespace warpmind::knowledge_base
