// How fast and how well the search answers on a base of generated insights.
//   retrieval_bench [--insights N] [--queries Q] [--directory D] [--cache-mib M] [--lists L]
//                   [--index I]
// Makes the base in D, or uses the one that is there (the same N). Searches run on one thread: each
// question once (the first time), then all again (warm). Known-item questions are asked by half of
// the words, half of them with typing errors, a third by profile and code alone. `--lists 2` leaves
// out the comparison of lists with all vectors, which needs the memory of all of them. `--index 2`
// keeps the snapshots of an earlier run instead of making the index again. Commits (one
// insight each, searchable when acknowledged) and a backup come last. The folder decides their
// figures.

#include "base/file.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/maintenance/backups.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/retrieval/embedding_records.h"
#include "knowledge_base/retrieval/retrieval.h"
#include "knowledge_base/retrieval/term_index.h"
#include "knowledge_base/retrieval/vector_space.h"
#include "tests/fakes/insight_generator.h"
#include "tests/fakes/insight_records.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>

namespace {

using namespace warpmind;
using namespace warpmind::knowledge_base;
using SteadyClock = std::chrono::steady_clock;

constexpr std::uint64_t kSeed = 20261121;
constexpr std::int64_t kInsightsAChange = 5000;
constexpr std::int64_t kCommits = 200;
constexpr int kWriters = 16;
constexpr std::size_t kMostSampleVectors = 100'000;

struct Arguments {
  std::int64_t insights = 1000;
  std::int64_t queries = 400;
  std::int64_t cache_mib = 128;  ///< as knowledge.cache_mib
  std::int64_t lists = 1;        ///< 1 = compare them with all vectors
  std::int64_t index = 1;        ///< 1 = make it again
  std::filesystem::path directory;
};

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "retrieval_bench: %s\n", why.c_str());
  std::exit(1);
}

template <class T>
T need(Result<T> result) {
  if (!result) give_up(result.error().message);
  return std::move(*result);
}
void need(const Result<void>& result) {
  if (!result) give_up(result.error().message);
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--directory") {
      arguments.directory = argv[i + 1];
    } else if (name == "--insights" || name == "--queries" || name == "--cache-mib" ||
               name == "--lists" || name == "--index") {
      const std::int64_t value = std::atoll(argv[i + 1]);
      if (value < 1) give_up(std::string(name) + " wants a number above 0");
      (name == "--insights"  ? arguments.insights
       : name == "--queries" ? arguments.queries
       : name == "--lists"   ? arguments.lists
       : name == "--index"   ? arguments.index
                             : arguments.cache_mib) = value;
    } else {
      give_up("unknown argument " + std::string(name));
    }
  }
  return arguments;
}

double seconds_of(const std::function<void()>& work) {
  const auto start = SteadyClock::now();
  work();
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

/// Of this thread: what a search costs, whatever else the machine does.
double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

std::int64_t resident_mib() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("VmRSS:")) return std::atoll(line.c_str() + 6) / 1024;
  }
  return 0;
}

std::vector<Insight> generated(std::int64_t from, std::int64_t count, std::uint64_t seed) {
  std::vector<Insight> insights;
  for (std::int64_t i = from; i < from + count; ++i) {
    insights.push_back(fakes::generated_insight(i, seed));
  }
  return insights;
}

void fill(OpenBase& base, std::int64_t count) {
  const auto last = need(base.read([](const Database& database, const std::string&) {
    return database.get(Family::insights, insight_key(fakes::generated_insight(0, kSeed).id));
  }));
  if (last) return;
  const double seconds = seconds_of([&] {
    for (std::int64_t from = 0; from < count; from += kInsightsAChange) {
      need(fakes::put_insights(base,
                               generated(from, std::min(kInsightsAChange, count - from), kSeed)));
    }
  });
  std::printf("written: %lld insights in %.1f s (%.0f a second, %lld a change)\n",
              static_cast<long long>(count), seconds, static_cast<double>(count) / seconds,
              static_cast<long long>(kInsightsAChange));
}

fakes::Noise noise_of(std::int64_t query) { return static_cast<fakes::Noise>(query % 3); }

/// Spread over all insights, the same ones every time.
std::int64_t item_of(std::int64_t query, std::int64_t insights) {
  return (query * 7919 + 13) % insights;
}

struct Latencies {
  std::vector<double> wall_ms;
  std::vector<double> cpu_ms;
};

Latencies timed(const Retrieval& retrieval, const std::vector<InsightQuery>& queries,
                const std::string& what) {
  Latencies latencies;
  for (const auto& query : queries) {
    const double cpu = thread_seconds();
    latencies.wall_ms.push_back(1e3 * seconds_of([&] { (void)need(retrieval.search(query)); }));
    latencies.cpu_ms.push_back(1e3 * (thread_seconds() - cpu));
  }
  for (const auto& [clock, values] :
       {std::pair("wall", &latencies.wall_ms), {"CPU", &latencies.cpu_ms}}) {
    std::printf("%s, %s time: p50 %.2f ms, p99 %.2f ms, max %.2f ms (%zu searches)\n", what.c_str(),
                clock, quantile(*values, 0.5), quantile(*values, 0.99), quantile(*values, 1),
                values->size());
  }
  return latencies;
}

Latencies time_searches(const Retrieval& retrieval, const Arguments& arguments, const char* what,
                        const std::function<void(InsightQuery&)>& as) {
  std::vector<InsightQuery> queries;
  for (std::int64_t i = 0; i < arguments.queries; ++i) {
    queries.push_back(fakes::known_item_query(item_of(i, arguments.insights), kSeed, noise_of(i)));
    // What an agent asks for.
    queries.back().limit = InsightQuery{}.limit;
    queries.back().token_budget = InsightQuery{}.token_budget;
    as(queries.back());
  }
  (void)timed(retrieval, queries, std::string(what) + ", first time");
  return timed(retrieval, queries, std::string(what) + ", warm");
}

struct Throughput {
  double single_per_s = 0;
  double grouped_per_s = 0;
};

/// New insights, one a commit, each searchable when its writer is told.
Throughput commit(OpenBase& base, std::int64_t from) {
  const auto write = [&base](std::int64_t first, std::int64_t count) {
    for (std::int64_t i = first; i < first + count; ++i) {
      need(fakes::put_insights(base, generated(i, 1, kSeed)));
    }
  };
  Throughput throughput;
  throughput.single_per_s = kCommits / seconds_of([&] { write(from, kCommits); });
  constexpr std::int64_t kEach = kCommits / 4;
  const double grouped_s = seconds_of([&] {
    std::vector<std::jthread> writers;
    for (int i = 0; i < kWriters; ++i)
      writers.emplace_back(write, from + kCommits + i * kEach, kEach);
  });
  throughput.grouped_per_s = kWriters * kEach / grouped_s;
  std::printf("commits: %.0f a second from one writer, %.0f from %d\n", throughput.single_per_s,
              throughput.grouped_per_s, kWriters);
  return throughput;
}

struct Recall {
  std::vector<double> cpu_ms;  ///< of the rankings
  std::array<double, 3> found{};
  std::array<double, 3> asked{};
  void add(fakes::Noise noise, bool hit) {
    found.at(static_cast<std::size_t>(noise)) += hit ? 1 : 0;
    asked.at(static_cast<std::size_t>(noise)) += 1;
  }
  [[nodiscard]] double of(fakes::Noise noise) const {
    const auto at = static_cast<std::size_t>(noise);
    return asked.at(at) == 0 ? 0 : found.at(at) / asked.at(at);
  }
  /// Questions in words and questions by situation count the same.
  [[nodiscard]] double all() const {
    double sum = 0;
    double count = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      sum += found.at(i);
      count += asked.at(i);
    }
    return count == 0 ? 0 : sum / count;
  }
};

void print(const char* what, const Recall& recall) {
  std::printf(
      "recall@10 of the known item, %-8s %.3f (words %.3f, typos %.3f, situation %.3f); "
      "CPU p50 %.2f ms, p99 %.2f ms\n",
      what, recall.all(), recall.of(fakes::Noise::none), recall.of(fakes::Noise::typos),
      recall.of(fakes::Noise::situation), quantile(recall.cpu_ms, 0.5),
      quantile(recall.cpu_ms, 0.99));
}

/// Ranks are all that counts here: no utility, no floor, no diversity.
Recall known_items(const Retrieval& retrieval, const Arguments& arguments,
                   const RankingWeights& weights) {
  Recall recall;
  for (std::int64_t i = 0; i < arguments.queries; ++i) {
    const auto item = item_of(i, arguments.insights);
    auto query = fakes::known_item_query(item, kSeed, noise_of(i));
    const double before = thread_seconds();
    const auto ranked = need(retrieval.rank(query, weights));
    recall.cpu_ms.push_back(1e3 * (thread_seconds() - before));
    const auto wanted = fakes::generated_insight(item, kSeed);
    const bool situation = noise_of(i) == fakes::Noise::situation;
    if (situation && wanted.profile_signature.empty()) continue;
    const auto end = ranked.begin() + std::min<std::ptrdiff_t>(10, std::ssize(ranked));
    recall.add(noise_of(i), std::find(ranked.begin(), end, wanted.id) != end);
  }
  return recall;
}

/// Share of the ten nearest that lists find, and what both cost; over the vectors of one space.
void compare_lists(const OpenBase& base, const Arguments& arguments, Space which) {
  const std::size_t dimension = dimension_of(which);
  VectorSpace exact(dimension);
  std::vector<float> sample;
  Catalogue catalogue;
  need(base.read([&](const Database& database, const std::string&) -> Result<void> {
    WARPMIND_TRY(catalogue, read_catalogue(database));
    while (true) {
      WARPMIND_TRY(const auto rows, read_vectors(database, which, exact.last_document(), 8192));
      if (rows.documents.empty()) return {};
      WARPMIND_CHECK(exact.add(rows.documents, rows.values));
      if (sample.size() < kMostSampleVectors * dimension) {
        sample.insert(sample.end(), rows.values.begin(), rows.values.end());
      }
    }
  }));
  if (exact.size() < 1000) return;
  auto lists = need(VectorSpace::trained(dimension, sample, exact.size()));
  need(base.read([&](const Database& database, const std::string&) -> Result<void> {
    while (true) {
      WARPMIND_TRY(const auto rows, read_vectors(database, which, lists.last_document(), 8192));
      if (rows.documents.empty()) return {};
      WARPMIND_CHECK(lists.add(rows.documents, rows.values));
    }
  }));
  double found = 0;
  double wanted = 0;
  std::vector<double> exact_ms;
  std::vector<double> lists_ms;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(arguments.queries, 60); ++i) {
    const auto noise = which == Space::text ? fakes::Noise::typos : fakes::Noise::situation;
    const auto query = fakes::known_item_query(item_of(i, arguments.insights), kSeed, noise);
    const Vector vector = which == Space::text   ? embed_text(query.text)
                          : which == Space::code ? embed_code(query.code)
                                                 : embed_profile(query.profile);
    if (which != Space::text && query.profile.empty()) continue;
    InsightQuery nothing_asked;
    const QueryFilter filter(nothing_asked);
    const auto timed = [&](const VectorSpace& space, std::vector<double>& milliseconds) {
      const double before = thread_seconds();
      auto result = need(space.search({vector, 10, catalogue, filter}));
      milliseconds.push_back(1e3 * (thread_seconds() - before));
      return result;
    };
    const auto truth = timed(exact, exact_ms);
    const auto answer = timed(lists, lists_ms);
    for (const auto& one : truth) {
      wanted += 1;
      found += std::any_of(answer.begin(), answer.end(),
                           [&](const auto& other) { return other.document == one.document; });
    }
  }
  std::printf(
      "%s space, %zu vectors: lists find %.3f of the ten nearest; CPU p50 %.2f ms, all "
      "compared %.2f ms\n",
      std::string(name_of(which)).c_str(), exact.size(), found / std::max(wanted, 1.0),
      quantile(lists_ms, 0.5), quantile(exact_ms, 0.5));
}

/// Seconds of a first backup, which copies everything.
double full_backup(OpenBase& base) {
  const auto beside = base.location().directory.parent_path();
  const auto folder = need(ScratchDirectory::create(beside, "kb-backup"));
  const double seconds =
      seconds_of([&] { (void)need(create_backup(base, folder.path() / "backups", 1)); });
  std::printf("full backup in %.1f s\n", seconds);
  return seconds;
}

struct Starts {
  std::unique_ptr<Retrieval> retrieval;
  double rebuild_s = 0;  ///< the index made from the base
  double start_s = 0;    ///< with the snapshots that were written then
};

Starts start(OpenBase& base, bool again) {
  Starts starts;
  if (again) {
    std::filesystem::remove_all(base.location().index());
    starts.rebuild_s = seconds_of([&] {
      starts.retrieval = need(Retrieval::open(base, {}));
      starts.retrieval->settle();
    });
    need(starts.retrieval->save());
    starts.retrieval.reset();
  }
  starts.start_s = seconds_of([&] { starts.retrieval = need(Retrieval::open(base, {})); });
  starts.retrieval->settle();
  const auto figures = starts.retrieval->figures();
  std::printf(
      "start %.2f s (%s), index made from the base in %.2f s, index %lld MiB, RSS %lld MiB\n",
      starts.start_s, figures.from_snapshot ? "from snapshots" : "no snapshot", starts.rebuild_s,
      static_cast<long long>(figures.memory_bytes >> 20), static_cast<long long>(resident_mib()));
  return starts;
}

struct Found {
  double fused = 0;
  double best_single = 0;
};

Found find_known_items(const Retrieval& retrieval, const Arguments& arguments) {
  const Recall fused = known_items(retrieval, arguments, kRankingWeights);
  print("fused", fused);
  Found found{fused.all(), 0};
  constexpr std::array<const char*, kRankings> kNames{"words", "text", "code", "profile"};
  for (std::size_t i = 0; i < kRankings; ++i) {
    RankingWeights alone{};
    alone.at(i) = 1;
    const Recall single = known_items(retrieval, arguments, alone);
    print(kNames.at(i), single);
    found.best_single = std::max(found.best_single, single.all());
  }
  return found;
}

void run(const Arguments& arguments) {
  const SystemClock clock;
  StoreLocation location{.directory = arguments.directory, .clock = clock};
  location.cache_mib = arguments.cache_mib;
  fill(*need(OpenBase::open(location)), arguments.insights);
  const auto base = need(OpenBase::open(location));
  const auto starts = start(*base, arguments.index == 1);
  const auto& retrieval = *starts.retrieval;
  const auto open = time_searches(retrieval, arguments, "search", [](InsightQuery&) {});
  (void)time_searches(retrieval, arguments, "search, filtered", [](InsightQuery& query) {
    query.offered_only = true;
    query.capability = 90;
    query.dtypes = {Dtype::f16};
    query.device = "NVIDIA H200";
  });
  const auto rss_mib = resident_mib();
  const auto found = find_known_items(retrieval, arguments);
  if (arguments.lists == 1) {
    for (const Space which : kSpaces) compare_lists(*base, arguments, which);
  }
  // Numbers that no run before this one took.
  const auto commits =
      commit(*base, arguments.insights + clock.wall().value % 1'000'000'000 * 1000);
  const double backup_s = full_backup(*base);
  std::printf(
      "RESULT insights=%lld p50_ms=%.3f p99_ms=%.3f cpu_p50_ms=%.3f cpu_p99_ms=%.3f "
      "recall10_fused=%.4f recall10_best_single=%.4f "
      "start_s=%.2f rebuild_s=%.2f rss_mib=%lld commits_per_s=%.0f grouped_per_s=%.0f "
      "backup_s=%.2f\n",
      static_cast<long long>(arguments.insights), quantile(open.wall_ms, 0.5),
      quantile(open.wall_ms, 0.99), quantile(open.cpu_ms, 0.5), quantile(open.cpu_ms, 0.99),
      found.fused, found.best_single, starts.start_s, starts.rebuild_s,
      static_cast<long long>(rss_mib), commits.single_per_s, commits.grouped_per_s, backup_s);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments = parse(argc, argv);
  std::optional<ScratchDirectory> scratch;
  if (arguments.directory.empty()) {
    scratch = need(ScratchDirectory::create(std::filesystem::temp_directory_path(), "kb-search"));
    arguments.directory = scratch->path() / "kb";
  }
  run(arguments);
  return 0;
}
