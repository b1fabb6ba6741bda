#include "knowledge_base/packs/pack_exchange.h"

#include "base/file.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/packs/intake_run.h"
#include "knowledge_base/packs/kernel_tuner.h"
#include "knowledge_base/packs/kernelblaster.h"
#include "knowledge_base/packs/markdown_export.h"
#include "knowledge_base/packs/own_attestation.h"
#include "knowledge_base/packs/pack_export.h"
#include "knowledge_base/packs/pack_reader.h"
#include "knowledge_base/packs/seed_load.h"

#include <system_error>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

Result<void> refuse_existing(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return {};
  return fail(Errc::conflict, file.string() + " exists: name a new file");
}

Result<void> take_pack(OpenBase& base, const CheckedPack& pack, std::string space,
                       const PackImportOptions& options, PackReport& report) {
  Intake intake;
  intake.skills = {options.check_skill, pack.header().origin, report.signer, report.signer_known};
  intake.source = "pack:" + pack.name();
  intake.actor.name = std::string(kPackActor) + pack.name();
  intake.actor.reason = "imported from base " + pack.header().origin +
                        (report.is_signed ? ", signed by " + report.signer : ", not signed");
  intake.space = std::move(space);
  IntakeBatch batch;
  batch.stop = options.stop;
  batch.size = pack.size();
  batch.record = [&](std::size_t i) { return pack.record(i); };
  batch.where = [](std::size_t i) { return "line " + std::to_string(CheckedPack::line_number(i)); };
  for (std::size_t i = 0; i < pack.size(); ++i) {
    batch.bytes += static_cast<std::int64_t>(pack.bytes(i));
  }
  return run_intake(base, std::move(intake), batch, report);
}

/// The folder of a base, or the database in it.
Result<CheckedPack> pack_of_folder(const std::filesystem::path& folder, const std::stop_token& stop,
                                   PackReport& report) {
  std::error_code error;
  const auto inner = folder / "rocksdb";
  const auto path = std::filesystem::is_directory(inner, error) ? inner : folder;
  WARPMIND_TRY(const bool is_there, Database::exists(path, nullptr));
  if (!is_there) {
    return fail(Errc::not_found, folder.string() + " is no folder of a knowledge base");
  }
  WARPMIND_TRY(const auto database, Database::open(path, Database::Mode::read_only, nullptr, 8));
  PackExportOptions everything;
  everything.offered_only = false;
  everything.stop = stop;
  WARPMIND_TRY(auto exported, write_pack(*database, everything, {}));
  report.pack = exported.report.pack;
  report.origin = exported.report.origin;
  return CheckedPack::check(std::move(exported.text), {}, stop);
}

Result<void> take_claims(OpenBase& base, const ForeignClaims& claims,
                         const PackImportOptions& options, PackReport& report) {
  Intake intake;
  intake.source = claims.source;
  intake.actor.name = std::string(kPackActor) + report.pack;
  intake.actor.reason = claims.reason;
  intake.space = options.space;
  IntakeBatch batch;
  batch.size = claims.insights.size();
  batch.record = [&](std::size_t i) -> Result<PackRecord> {
    return PackRecord(PackedClaim{claims.insights[i], {}});
  };
  batch.where = [&](std::size_t i) { return "'" + claims.names[i] + "'"; };
  constexpr std::int64_t kBytesPerClaim = 2000;
  batch.bytes = static_cast<std::int64_t>(batch.size) * kBytesPerClaim;
  return run_intake(base, std::move(intake), batch, report);
}

}  // namespace

Result<PackReport> PackExchange::export_pack(const std::filesystem::path& file,
                                             const PackExportOptions& options) const {
  WARPMIND_CHECK(refuse_existing(file));
  const auto now = base_.location().clock.wall();
  WARPMIND_TRY(auto pack, base_.read([&](const Database& database, const std::string&) {
    return write_pack(database, options, now);
  }));
  WARPMIND_CHECK(write_output_file(file, pack.text));
  return std::move(pack.report);
}

Result<PackReport> PackExchange::import_pack(const std::filesystem::path& file,
                                             const PackImportOptions& options) {
  PackReport report;
  WARPMIND_TRY(const auto pack, read_pack(file, options, report));
  WARPMIND_CHECK(take_pack(base_, pack, options.space, options, report));
  return report;
}

Result<PackReport> PackExchange::merge(const std::filesystem::path& pack_or_base,
                                       const PackImportOptions& options) {
  std::error_code error;
  if (!std::filesystem::is_directory(pack_or_base, error)) {
    PackReport report;
    WARPMIND_TRY(const auto pack, read_pack(pack_or_base, options, report));
    WARPMIND_CHECK(take_pack(base_, pack, "", options, report));
    return report;
  }
  if (options.require_signature) {
    return fail(Errc::invalid_argument,
                "the folder of a base carries no signature: merge a signed pack of it, or do not "
                "require one");
  }
  PackReport report;
  WARPMIND_TRY(const auto pack, pack_of_folder(pack_or_base, options.stop, report));
  WARPMIND_CHECK(take_pack(base_, pack, "", options, report));
  return report;
}

Result<PackReport> PackExchange::export_markdown(const std::filesystem::path& directory,
                                                 const PackExportOptions& options) const {
  return base_.read([&](const Database& database, const std::string&) {
    return write_markdown(database, directory, options);
  });
}

Result<PackReport> PackExchange::import_kernelblaster(const std::filesystem::path& file,
                                                      const PackImportOptions& options) {
  PackReport report;
  WARPMIND_TRY(const auto cards, known_techniques(base_));
  WARPMIND_TRY(const auto claims, read_kernelblaster(file, cards, report));
  WARPMIND_CHECK(take_claims(base_, claims, options, report));
  return report;
}

Result<PackReport> PackExchange::import_kernel_tuner(const std::filesystem::path& file,
                                                     const PackImportOptions& options) {
  PackReport report;
  WARPMIND_TRY(const auto claims, read_kernel_tuner(file, report));
  WARPMIND_CHECK(take_claims(base_, claims, options, report));
  return report;
}

Result<PackReport> PackExchange::load_seed() {
  WARPMIND_TRY(const auto seed, embedded_seed());
  return knowledge_base::load_seed(base_, seed);
}

}  // namespace warpmind::knowledge_base
