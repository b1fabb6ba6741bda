#include "knowledge_base/packs/pack_exchange.h"

#include "knowledge_base/packs/ed25519.h"
#include "knowledge_base/packs/pack_reader.h"
#include "tests/unit/kb_packs/packs_fixture.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

namespace warpmind::knowledge_base {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// Writes a fresh pair of keys.
void make_keys(const std::filesystem::path& private_pem, const std::filesystem::path& public_pem) {
  EVP_PKEY* const key = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
  ASSERT_NE(key, nullptr);
  std::FILE* const secret = std::fopen(private_pem.c_str(), "w");
  EXPECT_EQ(PEM_write_PrivateKey(secret, key, nullptr, nullptr, 0, nullptr, nullptr), 1);
  std::fclose(secret);
  std::FILE* const open = std::fopen(public_pem.c_str(), "w");
  EXPECT_EQ(PEM_write_PUBKEY(open, key), 1);
  std::fclose(open);
  EVP_PKEY_free(key);
}

class PackExchangeTest : public PacksTest {
 protected:
  void write(const std::string& name, std::string_view text) {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  Result<PackReport> import(OpenBase& base, const std::string& file,
                            const PackImportOptions& options = {}) {
    return PackExchange(base).import_pack(path(file), options);
  }
};

TEST_F(PackExchangeTest, AStopEndsItAndTheSameFileGoesOn) {
  const auto a = open("a");
  add(*a, claim("unroll", "it pays"));
  static_cast<void>(exported(*a, "a.pack"));
  const auto b = open("b");
  const auto before = state(*b).last_sequence;
  std::stop_source stop;
  stop.request_stop();

  PackImportOptions stopped;
  stopped.stop = stop.get_token();
  const auto report = import(*b, "a.pack", stopped);

  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, Errc::cancelled);
  EXPECT_EQ(state(*b).last_sequence, before);
  PackExportOptions options;
  options.stop = stop.get_token();
  EXPECT_EQ(PackExchange(*a).export_pack(path("c.pack"), options).error().code, Errc::cancelled);
  EXPECT_FALSE(std::filesystem::exists(path("c.pack")));
  EXPECT_EQ(PackExchange(*a).export_markdown(path("notes"), options).error().code, Errc::cancelled);
  EXPECT_GE(import(*b, "a.pack").value().added, 1);
}

TEST_F(PackExchangeTest, ClaimsArriveAsClaims) {
  const auto a = open("a");
  add(*a, claim("unroll", "it pays"));
  learn(*a, episode(1, "one", 1.3));
  learn(*a, episode(2, "two", 1.4));
  const auto origin = state(*a).base_id;
  static_cast<void>(exported(*a, "a.pack"));

  const auto b = open("b");
  const auto report = import(*b, "a.pack");
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->added, report->insights);
  EXPECT_EQ(report->origin, origin);
  EXPECT_EQ(report->pack.size(), 16U);
  const auto there = insights(*a);
  const auto here = insights(*b);
  ASSERT_EQ(here.size(), there.size());
  int attested = 0;
  for (const auto& stored : here) {
    const Insight& insight = stored.insight;
    EXPECT_EQ(insight.state, InsightState::proposed);
    EXPECT_EQ(insight.trust, Trust::t0);
    EXPECT_EQ(insight.provenance.source, "pack:" + report->pack);
    EXPECT_TRUE(insight.evidence.empty());
    EXPECT_EQ(insight.utility.observations, 0);
    attested += insight.attestations.empty() ? 0 : 1;
  }
  EXPECT_GT(attested, 0);
  const auto unmeasured = insight(*b, claim("unroll", "").id);
  EXPECT_EQ(unmeasured.provenance.licence, "Apache-2.0");
  EXPECT_EQ(unmeasured.claim, "it pays");
  EXPECT_TRUE(unmeasured.attestations.empty()) << "a base attests what it measured or decided";
}

TEST_F(PackExchangeTest, EvidenceLeavesAsAnAttestation) {
  const auto a = open("a");
  learn(*a, episode(1, "one", 1.3));
  learn(*a, episode(2, "two", 1.4));
  static_cast<void>(exported(*a, "a.pack"));
  const auto b = open("b");
  ASSERT_TRUE(import(*b, "a.pack").has_value());
  for (const auto& stored : insights(*a)) {
    const auto heard = insight(*b, stored.insight.id).attestations;
    ASSERT_EQ(heard.size(), 1U);
    EXPECT_EQ(heard.front().origin, state(*a).base_id);
    EXPECT_EQ(heard.front().state, stored.insight.state);
    EXPECT_EQ(heard.front().supports + heard.front().contradicts,
              stored.insight.utility.observations);
    EXPECT_GT(heard.front().supports, 0);
    EXPECT_NEAR(std::exp(heard.front().mean_log_gain), 1.35, 0.06);
  }
}

TEST_F(PackExchangeTest, WhatTheSimulatorSaysStaysHere) {
  const auto a = open("a");
  learn(*a, fakes::EpisodeSketch(1, fakes::sample_task("one"))
                .provider(Provider::sim)
                .step({.ratio = 1.5})
                .finish());
  ASSERT_FALSE(insights(*a).empty());
  static_cast<void>(exported(*a, "a.pack"));
  const auto b = open("b");
  ASSERT_TRUE(import(*b, "a.pack").has_value());
  for (const auto& stored : insights(*b)) EXPECT_TRUE(stored.insight.attestations.empty());
}

TEST_F(PackExchangeTest, ASecondImportChangesNothing) {
  const auto a = open("a");
  add(*a, claim("unroll", "it pays"));
  learn(*a, episode(1, "one", 1.3));
  static_cast<void>(exported(*a, "a.pack"));
  const auto b = open("b");
  ASSERT_TRUE(import(*b, "a.pack").has_value());
  const auto before = state(*b);
  const auto again = import(*b, "a.pack");
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->added + again->confirmed, 0);
  EXPECT_EQ(again->unchanged, again->insights);
  EXPECT_EQ(state(*b), before);
}

TEST_F(PackExchangeTest, OwnWordsStayAndOwnAttestationsAreNotHeard) {
  const auto a = open("a");
  learn(*a, episode(1, "one", 1.3));
  static_cast<void>(exported(*a, "a.pack"));
  const auto before = insights(*a);
  const auto report = import(*a, "a.pack");
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->unchanged, report->insights);
  EXPECT_EQ(insights(*a), before);

  const auto b = open("b");
  add(*b, claim("unroll", "b says so"));
  const auto c = open("c");
  add(*c, claim("unroll", "c says so"));
  static_cast<void>(exported(*c, "c.pack"));
  ASSERT_TRUE(import(*b, "c.pack").has_value());
  EXPECT_EQ(insight(*b, claim("unroll", "").id).claim, "b says so");
}

TEST_F(PackExchangeTest, ANewerAttestationReplacesTheOlder) {
  const auto a = open("a");
  learn(*a, episode(1, "one", 1.3));
  static_cast<void>(exported(*a, "old.pack"));
  learn(*a, episode(2, "two", 1.4));
  static_cast<void>(exported(*a, "new.pack"));
  const auto b = open("b");
  ASSERT_TRUE(import(*b, "new.pack").has_value());
  const auto newest = insights(*b);
  const auto report = import(*b, "old.pack");
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->confirmed, 0);
  const auto c = open("c");
  ASSERT_TRUE(import(*c, "old.pack").has_value());
  const auto later = import(*c, "new.pack");
  ASSERT_TRUE(later.has_value());
  EXPECT_GT(later->confirmed, 0);
  for (const auto& stored : newest) {
    EXPECT_EQ(insight(*b, stored.insight.id).attestations, stored.insight.attestations);
    EXPECT_EQ(insight(*c, stored.insight.id).attestations, stored.insight.attestations);
  }
}

TEST_F(PackExchangeTest, WhatItsBaseWithdrewIsNotOffered) {
  const auto a = open("a");
  const auto said = claim("unroll", "it pays");
  add(*a, said);
  move(*a, said.id, InsightState::retracted);
  static_cast<void>(exported(*a, "a.pack"));
  const auto b = open("b");
  ASSERT_TRUE(import(*b, "a.pack").has_value());
  EXPECT_EQ(insight(*b, said.id).state, InsightState::deprecated);
  // Another base offers and measured it: the order in which the two are heard does not matter.
  const auto c = open("c");
  add(*c, said);
  auto pin = event(said.id, InsightOp::pin);
  ASSERT_TRUE(apply(*c, {pin}).has_value());
  static_cast<void>(exported(*c, "c.pack"));
  ASSERT_TRUE(import(*b, "c.pack").has_value());
  EXPECT_EQ(insight(*b, said.id).state, InsightState::proposed);
  static_cast<void>(exported(*a, "offered.pack", {}));
  const auto d = open("d");
  const auto report = import(*d, "offered.pack");
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->insights, 0) << "by default only what is on offer leaves";
}

TEST_F(PackExchangeTest, FiltersByNamespaceAndLicence) {
  const auto a = open("a");
  auto mine = claim("unroll", "mine");
  auto theirs = claim("restrict", "theirs");
  theirs.space = "team:gpu";
  theirs.provenance.licence = "CC-BY-4.0";
  theirs.id = id_of(theirs);
  add(*a, mine);
  add(*a, theirs);
  const auto ids = [&](const PackExportOptions& options) {
    const auto pack = CheckedPack::check(exported(*a, "some.pack", options)).value();
    std::vector<InsightId> all;
    for (std::size_t i = 0; i < pack.size(); ++i) {
      all.push_back(std::get<PackedClaim>(pack.record(i).value()).insight.id);
    }
    return all;
  };
  EXPECT_THAT(ids({.spaces = {"team:gpu"}}), ElementsAre(theirs.id));
  EXPECT_THAT(ids({.licences = {"Apache-2.0"}}), ElementsAre(mine.id));
  EXPECT_THAT(ids({.spaces = {"user"}, .licences = {"CC-BY-4.0"}}), ElementsAre());
}

TEST_F(PackExchangeTest, AnImportGoesIntoTheNamespaceAskedFor) {
  const auto a = open("a");
  add(*a, claim("unroll", "it pays"));
  static_cast<void>(exported(*a, "a.pack"));
  const auto b = open("b");
  ASSERT_TRUE(import(*b, "a.pack", {.space = "team:gpu"}).has_value());
  ASSERT_EQ(insights(*b).size(), 1U);
  EXPECT_EQ(insights(*b).front().insight.space, "team:gpu");
  EXPECT_EQ(insights(*b).front().insight.id, id_of(insights(*b).front().insight));
  const auto bad = import(*b, "a.pack", {.space = "everybody"});
  ASSERT_FALSE(bad.has_value());
  EXPECT_THAT(bad.error().message, HasSubstr("namespace must be"));
}

TEST_F(PackExchangeTest, AClaimWhoseScopeWasAmendedKeepsItsIdentity) {
  const auto a = open("a");
  const auto said = claim("unroll", "it pays");
  add(*a, said);
  auto amend = event(said.id, InsightOp::amend);
  amend.amendment.emplace();
  amend.amendment->scope.emplace();
  amend.amendment->scope->dtypes = {Dtype::f32};
  ASSERT_TRUE(apply(*a, {amend}).has_value());
  static_cast<void>(exported(*a, "a.pack"));
  const auto same = import(*a, "a.pack");
  ASSERT_TRUE(same.has_value()) << same.error().message;
  EXPECT_EQ(same->unchanged, 1);
  const auto b = open("b");
  ASSERT_TRUE(import(*b, "a.pack").has_value());
  EXPECT_EQ(insight(*b, said.id).scope, insight(*a, said.id).scope);
}

TEST_F(PackExchangeTest, SignaturesAreCheckedAndRecorded) {
  make_keys(path("private.pem"), path("public.pem"));
  const auto a = open("a");
  add(*a, claim("unroll", "it pays"));
  PackExchange exchange(*a);
  const auto sent = exchange.export_pack(path("a.pack"), {.private_key = path("private.pem")});
  ASSERT_TRUE(sent.has_value()) << sent.error().message;
  EXPECT_TRUE(sent->is_signed);
  EXPECT_THAT(sent->signer, StartsWith("ed25519:"));
  const auto b = open("b");
  const auto stranger = import(*b, "a.pack", {.require_signature = true});
  ASSERT_FALSE(stranger.has_value());
  EXPECT_THAT(stranger.error().message, HasSubstr("no trusted key"));
  EXPECT_TRUE(insights(*b).empty());
  const auto trusted =
      import(*b, "a.pack", {.trusted_keys = {path("public.pem")}, .require_signature = true});
  ASSERT_TRUE(trusted.has_value()) << trusted.error().message;
  EXPECT_EQ(trusted->signer, sent->signer);
  EXPECT_EQ(insights(*b).front().insight.trust, Trust::t0) << "a signature raises nothing";
  const auto history = b->read([&](const Database& database, const std::string&) {
                          return load_history(reading(database), insights(*b).front().insight.id);
                        }).value();
  EXPECT_THAT(history.front().event.actor.reason, HasSubstr("signed by " + sent->signer));
  static_cast<void>(exported(*a, "plain.pack"));
  const auto unsigned_one =
      import(*b, "plain.pack", {.trusted_keys = {path("public.pem")}, .require_signature = true});
  ASSERT_FALSE(unsigned_one.has_value());
  EXPECT_THAT(unsigned_one.error().message, HasSubstr("is not signed"));
}

TEST_F(PackExchangeTest, KeysThatAreNoneAreNamed) {
  make_keys(path("private.pem"), path("public.pem"));
  write("rubbish.pem", "nothing");
  const auto a = open("a");
  PackExchange exchange(*a);
  EXPECT_THAT(exchange.export_pack(path("x"), {.private_key = path("rubbish.pem")}).error().message,
              HasSubstr("holds no Ed25519 private key"));
  EXPECT_EQ(exchange.export_pack(path("x"), {.private_key = path("missing.pem")}).error().code,
            Errc::not_found);
  EXPECT_FALSE(std::filesystem::exists(path("x")));
  ASSERT_TRUE(exchange.export_pack(path("x"), {}).has_value());
  EXPECT_THAT(import(*a, "x", {.trusted_keys = {path("private.pem")}}).error().message,
              HasSubstr("holds no Ed25519 public key"));
  EXPECT_EQ(exchange.export_pack(path("x"), {}).error().code, Errc::conflict);
}

/// WARPMIND_PACK_CLAIMS makes it larger.
TEST_F(PackExchangeTest, ALargePackIsTakenInSeveralChanges) {
  const auto a = open("a");
  const char* const asked = std::getenv("WARPMIND_PACK_CLAIMS");
  const int claims = asked == nullptr ? 2300 : std::atoi(asked);
  constexpr int kTogether = 1000;
  for (int begin = 0; begin < claims; begin += kTogether) {
    const auto filled = a->write(10'000'000, [&](ChangeSet& change) -> Result<void> {
      InsightWriter writer(change);
      for (int i = begin; i < std::min(claims, begin + kTogether); ++i) {
        auto made = claim("unroll", "it pays");
        made.action.parameters = "factor=" + std::to_string(i);
        made.id = id_of(made);
        auto add_it = event(made.id, InsightOp::add);
        add_it.content = made;
        WARPMIND_TRY(const auto added, writer.write_event(add_it));
        static_cast<void>(added);
      }
      return {};
    });
    ASSERT_TRUE(filled.has_value()) << filled.error().message;
  }
  auto clock = [since = std::chrono::steady_clock::now()]() mutable {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(since, now)).count();
  };
  const std::string text = exported(*a, "a.pack");
  if (asked != nullptr) std::printf("export %.2f s, %zu bytes\n", clock(), text.size());
  const auto b = open("b");
  const auto report = import(*b, "a.pack");
  ASSERT_TRUE(report.has_value()) << report.error().message;
  if (asked != nullptr) std::printf("import %.2f s\n", clock());
  EXPECT_EQ(report->added, claims);
  EXPECT_EQ(state(*b).last_sequence, (claims + kTogether - 1) / kTogether);
  // What comes back out is what went in, but for its origin.
  const auto sent = CheckedPack::check(text).value();
  const auto back = CheckedPack::check(exported(*b, "b.pack")).value();
  EXPECT_EQ(back.name(), sent.name());
}

}  // namespace
}  // namespace warpmind::knowledge_base
