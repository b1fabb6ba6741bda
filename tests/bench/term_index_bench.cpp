// How long a search by words takes, by number of documents.
//   term_index_bench [DOCUMENTS] [CACHE_MIB] [DIRECTORY]
// Documents have about 40 distinct words out of 100 000, by Zipf's law without its head (function
// words are not indexed); queries take 8 to 12 words of a document. Warm: every query ran before.
// Times are those of the thread's processor, so that a busy machine counts as an idle one.

#include "base/clock.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/retrieval/term_index.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace warpmind;
using namespace warpmind::knowledge_base;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kWords = 100'000;
constexpr std::int64_t kDocumentsAChange = 5000;
constexpr std::size_t kQueries = 400;
constexpr std::size_t kLimit = 100;
constexpr int kRounds = 3;
constexpr double kUsualLength = 42.5;  ///< tokens, of the documents made here

[[noreturn]] void give_up(const Error& error) {
  std::fprintf(stderr, "term_index_bench: %s\n", error.message.c_str());
  std::exit(1);
}

double processor_ms() {
  timespec now{};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// A pronounceable word by number; no two are alike, none has a suffix that stemming drops.
std::string word_of(std::size_t number) {
  static constexpr std::string_view kConsonants = "bdfgklmnprtv";
  static constexpr std::string_view kVowels = "aou";
  std::string word;
  for (int i = 0; i < 4; ++i) {
    word += kConsonants[number % kConsonants.size()];
    number /= kConsonants.size();
    word += kVowels[number % kVowels.size()];
    number /= kVowels.size();
  }
  return word + "k";
}

/// Draws word numbers with probability 1 / (rank + 10).
class Words {
 public:
  Words() {
    double sum = 0;
    for (std::size_t rank = 1; rank <= kWords; ++rank) {
      sum += 1.0 / (static_cast<double>(rank) + 10);
      sums_.push_back(sum);
    }
  }
  std::size_t draw(std::mt19937_64& random) const {
    const double at = std::uniform_real_distribution<double>(0, sums_.back())(random);
    return static_cast<std::size_t>(std::upper_bound(sums_.begin(), sums_.end(), at) -
                                    sums_.begin());
  }

 private:
  std::vector<double> sums_;
};

std::string text_of(const Words& words, std::mt19937_64& random, int least, int most) {
  std::string text;
  const int count = std::uniform_int_distribution<int>(least, most)(random);
  for (int i = 0; i < count; ++i) text += word_of(words.draw(random)) + " ";
  return text;
}

CorpusFigures fill(OpenBase& base, const Words& words, std::int64_t documents) {
  std::mt19937_64 random(7);
  CorpusFigures corpus;
  double tokens = 0;
  while (corpus.documents < documents) {
    const auto written = base.write(1 << 24, [&](ChangeSet& change) -> Result<void> {
      for (std::int64_t i = 0; i < kDocumentsAChange && corpus.documents < documents; ++i) {
        corpus.last_document = ++corpus.documents;
        WARPMIND_TRY(const int length,
                     index_document(change, corpus.last_document, text_of(words, random, 30, 55)));
        tokens += length;
      }
      change.describe("insights", {});
      return {};
    });
    if (!written) give_up(written.error());
  }
  corpus.average_length = tokens / static_cast<double>(corpus.documents);
  return corpus;
}

double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

struct Figures {
  double p50_ms = 0;
  double p99_ms = 0;
  std::size_t hits = 0;
};

Figures run(const OpenBase& base, const std::vector<std::string>& queries,
            const CorpusFigures& corpus) {
  Figures figures;
  std::vector<double> times;
  for (const auto& text : queries) {
    const double start = processor_ms();
    const auto hits = base.read([&](const Database& database, const std::string& /*note*/) {
      return search_terms(database, nullptr,
                          {text, kLimit, corpus, [](std::int64_t) { return true; }});
    });
    times.push_back(processor_ms() - start);
    if (!hits) give_up(hits.error());
    figures.hits += hits->size();
  }
  figures.p50_ms = percentile(times, 0.5);
  figures.p99_ms = percentile(times, 0.99);
  return figures;
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t documents = argc > 1 ? std::atoll(argv[1]) : 100'000;
  const std::int64_t cache_mib = argc > 2 ? std::atoll(argv[2]) : 256;
  const std::filesystem::path directory =
      argc > 3 ? std::filesystem::path(argv[3])
               : std::filesystem::temp_directory_path() / "warpmind_term_index_bench";
  // A base that is there already is searched again: to compare caches and builds.
  const bool filled = argc > 3 && std::filesystem::exists(directory);
  if (!filled) std::filesystem::remove_all(directory);
  const SystemClock clock;
  StoreLocation location{.directory = directory, .clock = clock};
  location.cache_mib = cache_mib;
  auto base = OpenBase::open(location);
  if (!base) give_up(base.error());
  const Words words;
  const auto start = std::chrono::steady_clock::now();
  const auto corpus =
      filled ? CorpusFigures{documents, documents, kUsualLength} : fill(**base, words, documents);
  const double fill_s = Seconds(std::chrono::steady_clock::now() - start).count();
  std::printf("%lld documents of %.1f tokens indexed in %.1f s\n",
              static_cast<long long>(corpus.documents), corpus.average_length, fill_s);

  std::mt19937_64 random(11);
  std::vector<std::string> queries;
  for (std::size_t i = 0; i < kQueries; ++i) queries.push_back(text_of(words, random, 8, 12));
  const auto cold = run(**base, queries, corpus);
  std::printf("first time: p50 %.3f ms, p99 %.3f ms, %.1f hits a query\n", cold.p50_ms, cold.p99_ms,
              static_cast<double>(cold.hits) / kQueries);
  std::vector<double> p50;
  std::vector<double> p99;
  for (int round = 0; round < kRounds; ++round) {
    const auto warm = run(**base, queries, corpus);
    p50.push_back(warm.p50_ms);
    p99.push_back(warm.p99_ms);
  }
  std::printf("warm: p50 %.3f ms (%.3f to %.3f), p99 %.3f ms (%.3f to %.3f), %d rounds of %zu\n",
              percentile(p50, 0.5), percentile(p50, 0), percentile(p50, 1), percentile(p99, 0.5),
              percentile(p99, 0), percentile(p99, 1), kRounds, kQueries);
  std::printf("RESULT documents=%lld cache_mib=%lld index_s=%.2f p50_ms=%.3f p99_ms=%.3f\n",
              static_cast<long long>(documents), static_cast<long long>(cache_mib), fill_s,
              percentile(p50, 0.5), percentile(p99, 0.5));
  base->reset();
  if (argc <= 3) std::filesystem::remove_all(directory);
}
