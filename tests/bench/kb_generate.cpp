// Makes a knowledge base of N generated claims, through the writer that a person's claims go
// through: with events, history and search documents, so that every operation works on it.
//   kb_generate DIRECTORY N [SEED]
// Goes on where an earlier run of the same seed stopped.

#include "knowledge_base/insights/insight_writer.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/open_base.h"
#include "tests/fakes/insight_generator.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using namespace warpmind;
using namespace warpmind::knowledge_base;

constexpr std::int64_t kClaimsAChange = 5000;
constexpr std::int64_t kBytesAClaim = 8192;
/// Of these many claims, one comes with what another base says of it.
constexpr std::int64_t kAttestedEvery = 4;

InsightEvent event_of(InsightOp op, const Insight& claim, UnixMillis at) {
  InsightEvent event;
  event.insight = claim.id;
  event.op = op;
  event.actor = {"user:generator", "generated"};
  event.at = at;
  return event;
}

Result<void> add_claim(InsightWriter& writer, std::int64_t index, std::uint64_t seed,
                       UnixMillis at) {
  const Insight claim = fakes::generated_claim(index, seed);
  auto added = event_of(InsightOp::add, claim, at);
  added.content = claim;
  WARPMIND_TRY(const auto stored, writer.write_event(std::move(added)));
  if (index % kAttestedEvery != 0) return {};
  auto attested = event_of(InsightOp::attest, stored, at);
  attested.attestation = Attestation{.origin = "0123456789abcdef",
                                     .sequence = index + 1,
                                     .state = InsightState::confirmed,
                                     .supports = 1 + index % 7,
                                     .contradicts = index % 3,
                                     .mean_log_gain = 0.01 * static_cast<double>(index % 50)};
  WARPMIND_TRY(const auto now, writer.write_event(std::move(attested)));
  (void)now;
  return {};
}

Result<void> generate(OpenBase& base, const Clock& clock, std::int64_t from, std::int64_t count,
                      std::uint64_t seed) {
  return base.write(count * kBytesAClaim, [&](ChangeSet& change) -> Result<void> {
    InsightWriter writer(change);
    for (std::int64_t i = from; i < from + count; ++i) {
      WARPMIND_CHECK(add_claim(writer, i, seed, clock.wall()));
    }
    std::vector<std::string> ids;
    for (const auto& id : writer.touched()) ids.push_back(id.str());
    change.describe("insights", std::move(ids));
    return {};
  });
}

/// Whether claim `index` is in the base already.
Result<bool> is_there(const OpenBase& base, std::int64_t index, std::uint64_t seed) {
  return base.read([&](const Database& database, const std::string&) -> Result<bool> {
    WARPMIND_TRY(
        const auto bytes,
        database.get(Family::insights, insight_key(fakes::generated_claim(index, seed).id)));
    return bytes.has_value();
  });
}

Result<void> run(const std::filesystem::path& directory, std::int64_t count, std::uint64_t seed) {
  const SystemClock clock;
  WARPMIND_TRY(const auto base, OpenBase::open({.directory = directory, .clock = clock}));
  const auto start = std::chrono::steady_clock::now();
  std::int64_t written = 0;
  for (std::int64_t from = 0; from < count; from += kClaimsAChange) {
    WARPMIND_TRY(const bool known, is_there(*base, from, seed));
    if (known) continue;
    const std::int64_t part = std::min(kClaimsAChange, count - from);
    WARPMIND_CHECK(generate(*base, clock, from, part, seed));
    written += part;
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  std::printf("%lld claims in %s, %lld of them new, in %.1f s\n", static_cast<long long>(count),
              directory.c_str(), static_cast<long long>(written), wall.count());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t count = argc > 2 ? std::atoll(argv[2]) : 0;
  if (argc < 3 || count < 1) {
    std::fprintf(stderr, "usage: kb_generate DIRECTORY N [SEED]\n");
    return 2;
  }
  const auto done = run(argv[1], count, argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  if (!done) {
    std::fprintf(stderr, "kb_generate: %s\n", done.error().message.c_str());
    return 1;
  }
  return 0;
}
