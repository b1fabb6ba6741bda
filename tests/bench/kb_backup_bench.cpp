// How long it takes to back a base up, to bring it back, to look at all of it, and to make it
// again.
//   kb_backup_bench [FOLDER] [CLAIMS]       a base of CLAIMS (2000) claims and 60 episodes, made in
//                                           FOLDER (that of temporary files) and removed
//   kb_backup_bench FOLDER --base BASE      the base at BASE (kb_generate makes one); FOLDER gets
//                                           its backups. Ten episodes are added to it.
// The folder decides the figures: give one on the disk that the base will live on.

#include "base/file.h"
#include "knowledge_base/base_copy.h"
#include "knowledge_base/disk_space.h"
#include "knowledge_base/insights/insight_writer.h"
#include "knowledge_base/maintenance/backups.h"
#include "knowledge_base/maintenance/rebuild.h"
#include "knowledge_base/maintenance/restore.h"
#include "knowledge_base/maintenance/verify.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/rocksdb_knowledge_store.h"
#include "tests/fakes/insight_generator.h"
#include "tests/fakes/sample_episodes.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace warpmind;
using namespace warpmind::knowledge_base;

constexpr std::int64_t kClaimsAChange = 500;
constexpr std::int64_t kBytesAClaim = 8192;

[[noreturn]] void give_up(const Error& error) {
  std::fprintf(stderr, "kb_backup_bench: %s\n", error.message.c_str());
  std::exit(1);
}

template <class T>
T must(Result<T> result) {
  if (!result) give_up(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

void add_claims(OpenBase& base, std::int64_t count) {
  for (std::int64_t from = 0; from < count; from += kClaimsAChange) {
    const auto end = std::min(count, from + kClaimsAChange);
    must(base.write((end - from) * kBytesAClaim, [&](ChangeSet& change) -> Result<void> {
      InsightWriter writer(change);
      for (std::int64_t i = from; i < end; ++i) {
        InsightEvent event;
        event.op = InsightOp::add;
        event.actor = {"user:generator", "generated"};
        event.content = fakes::generated_claim(i, 1);
        event.insight = event.content->id;
        WARPMIND_TRY(const auto stored, writer.write_event(std::move(event)));
        (void)stored;
      }
      change.describe("insights", {});
      return {};
    }));
  }
}

void add_episodes(OpenBase& base, int count) {
  RocksDbKnowledgeStore store(base);
  for (int i = 0; i < count; ++i) {
    const Task task = fakes::sample_task("scale" + std::to_string(i % 7));
    auto job = must(store.add_job(fakes::sample_request(task), {1}));
    job.state = JobState::done;
    const auto number = std::strtoll(job.id.str().c_str() + 2, nullptr, 10);
    must(store.commit(fakes::sample_episode(number, task, 5), job));
  }
}

/// Seconds that `work` takes.
template <class F>
double timed(const char* what, const F& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%-28s %8.3f s\n", what, seconds);
  return seconds;
}

VerifyReport look(const OpenBase& base, VerifyDepth depth) {
  auto report = must(base.read([&](const Database& database, const std::string&) {
    return verify_base(database, base.location(), depth);
  }));
  if (report.problems > 0) give_up({Errc::corrupt_data, report.notes.front()});
  return report;
}

void measure(OpenBase& base, const std::filesystem::path& folder) {
  const auto backups = folder / "backups";
  const double full = timed("full backup", [&] { must(create_backup(base, backups, 7)); });
  add_episodes(base, 10);
  const double incremental =
      timed("incremental backup", [&] { must(create_backup(base, backups, 7)); });
  const double copy = timed("checkpoint", [&] {
    must(base.read([&](const Database& database, const std::string&) {
      return copy_base(database, base.location(), folder / "copy");
    }));
  });
  const double restore = timed("restore, verified", [&] {
    must(restore_backup(base.location(), backups, 0, folder / "restored"));
  });
  VerifyReport report;
  const double records =
      timed("verify records", [&] { report = look(base, VerifyDepth::records); });
  const double files = timed("verify records and files", [&] { look(base, VerifyDepth::files); });
  RebuildReport made;
  const double rebuild = timed("rebuild", [&] { made = must(rebuild_projections(base)); });
  const double megabytes = static_cast<double>(size_on_disk(base.location().database())) / 1e6;
  std::printf("%lld records, %lld changes, %lld projections (%s), %.1f MB\n",
              static_cast<long long>(report.records), static_cast<long long>(made.changes),
              static_cast<long long>(made.records),
              made.identical ? "rebuilt to the same bytes" : made.differences.front().c_str(),
              megabytes);
  std::printf(
      "RESULT full_s=%.3f incremental_s=%.3f checkpoint_s=%.3f restore_s=%.3f verify_s=%.3f "
      "verify_deep_s=%.3f rebuild_s=%.3f records=%lld mb=%.1f identical=%d\n",
      full, incremental, copy, restore, records, files, rebuild,
      static_cast<long long>(report.records), megabytes, made.identical ? 1 : 0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::filesystem::path parent =
      words.empty() ? std::filesystem::temp_directory_path() : std::filesystem::path(words[0]);
  const auto scratch = must(ScratchDirectory::create(parent, "kb-backup-bench"));
  const bool given = words.size() == 3 && words[1] == "--base";
  const SystemClock clock;
  const auto base = must(
      OpenBase::open({.directory = given ? std::filesystem::path(words[2]) : scratch.path() / "kb",
                      .clock = clock}));
  if (!given) {
    add_claims(*base, words.size() > 1 ? std::atoll(words[1].c_str()) : 2000);
    add_episodes(*base, 60);
  }
  measure(*base, scratch.path());
  return 0;
}
