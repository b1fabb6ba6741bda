#include "tests/fakes/insight_generator.h"

#include "knowledge_base/retrieval/stable_hash.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>

namespace warpmind::fakes {
namespace {

using knowledge_base::mix_bits;

/// SplitMix64: the standard's distributions differ between libraries.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) : state_(mix_bits(seed) ^ mix_bits(~stream)) {}
  std::uint64_t next() { return mix_bits(state_ += 0x9e3779b97f4a7c15ULL); }
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }
  bool chance(double probability) { return uniform() < probability; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  /// Small numbers often, large ones rarely: the k-th of `count` about 1 / (k + 1) as often.
  std::size_t zipf(std::size_t count) {
    const double top = std::log(static_cast<double>(count) + 1);
    return std::min(count - 1, static_cast<std::size_t>(std::exp(uniform() * top) - 1));
  }
  template <class Table>
  const auto& of(const Table& table) {
    return table[below(table.size())];
  }

 private:
  std::uint64_t state_;
};

struct TechniqueWords {
  std::string_view name;
  BottleneckClass bottleneck;
  std::string_view deed;
  std::string_view reason;
};

using enum BottleneckClass;
constexpr auto kTechniques = std::to_array<TechniqueWords>({
    {"vectorized_loads", memory_bandwidth, "Reading 16 bytes a thread with float4",
     "fewer, wider requests keep more bytes in flight"},
    {"coalesced_layout", uncoalesced_access,
     "Transposing the index order so that lanes read "
     "neighbours",
     "each request then touches the least number of sectors"},
    {"shared_tile", extra_traffic, "Staging a tile in shared memory",
     "every element is fetched from DRAM once and reused by the block"},
    {"pad_shared", shared_bank_conflicts, "Padding each shared row by one element",
     "the stride no longer maps a column to one bank"},
    {"swizzle_shared", shared_bank_conflicts, "Swizzling shared addresses by an xor of the row",
     "lanes spread over all banks without padding"},
    {"async_copy", memory_latency, "Prefetching the next tile with cp.async",
     "the copy overlaps with arithmetic and needs no registers"},
    {"double_buffer", memory_latency, "Double buffering the tile",
     "loads of the next step hide behind the current one"},
    {"unroll_inner", memory_latency, "Unrolling the inner loop by four",
     "independent loads are issued before the first one is used"},
    {"tensor_cores", tensor_cores_idle, "Computing the product with mma.sync fragments",
     "the tensor pipe delivers many times the rate of the FMA pipe"},
    {"split_k", low_parallelism, "Splitting the reduction over the grid",
     "more blocks than multiprocessors are ready to run"},
    {"grid_stride", low_parallelism, "Turning the kernel into a grid stride loop",
     "blocks are as many as the device holds at a time"},
    {"block_size", low_occupancy, "Launching smaller blocks",
     "registers and shared memory let more of them be resident"},
    {"launch_bounds", low_occupancy, "Declaring launch bounds",
     "the compiler keeps registers below the limit of two blocks"},
    {"reduce_registers", register_spills, "Recomputing addresses instead of keeping them",
     "the live range shrinks and nothing is spilled"},
    {"warp_shuffle", synchronisation, "Reducing by warp shuffles",
     "no barrier and no shared memory is needed inside a warp"},
    {"predicate_branch", thread_divergence, "Replacing the branch by a select",
     "both sides cost less than running them one after the other"},
    {"sort_work", thread_divergence, "Binning rows by length",
     "lanes of a warp then leave the loop together"},
    {"fuse_kernels", launch_overhead, "Fusing the elementwise epilogue",
     "one launch and one round trip through DRAM less"},
    {"cuda_graph", launch_overhead, "Capturing the launches as a graph",
     "the driver submits all of them at once"},
    {"fast_math", compute_throughput, "Using approximate intrinsics for exp and rsqrt",
     "the special function unit needs one instruction"},
    {"fma_contract", compute_throughput, "Ordering the sum so that FMA applies",
     "half as many instructions reach the pipe"},
    {"l2_persist", extra_traffic, "Marking the weights as persisting in L2",
     "they survive the stream of activations"},
    {"read_only_path", memory_latency, "Loading through __ldg",
     "the read-only path caches what neighbours share"},
    {"warp_specialise", synchronisation, "Giving loads and arithmetic to different warps",
     "nobody waits at a barrier that the other side decides"},
});

constexpr auto kOperators = std::to_array<std::string_view>(
    {"gemm",    "gemv",      "conv2d",      "depthwise_conv", "softmax",   "layernorm",
     "rmsnorm", "attention", "scan",        "reduction",      "transpose", "histogram",
     "stencil", "spmv",      "elementwise", "gather",         "scatter",   "topk",
     "sort",    "fft",       "embedding",   "dropout",        "pooling",   "batchnorm"});
constexpr auto kVariants = std::to_array<std::string_view>(
    {"", "_bias", "_gelu", "_fused", "_batched", "_grouped", "_masked", "_causal", "_strided",
     "_packed", "_backward", "_tall", "_wide", "_small", "_ragged", "_int8", "_mixed"});
constexpr auto kSyllables = std::to_array<std::string_view>(
    {"row",  "col",  "acc",  "tile", "frag", "warp",  "lane",  "head", "key",  "val",
     "grad", "mask", "step", "part", "blk",  "idx",   "ptr",   "sum",  "max",  "bias",
     "norm", "pos",  "seg",  "buf",  "page", "chunk", "token", "vec",  "quad", "halo"});
constexpr auto kCommon = std::to_array<std::string_view>(
    {"kernel",          "memory",      "threads",      "block",     "global",    "loads",
     "registers",       "shared",      "warp",         "latency",   "bandwidth", "occupancy",
     "cache",           "loop",        "instructions", "stores",    "tensor",    "pipeline",
     "elements",        "reduction",   "alignment",    "stride",    "barrier",   "traffic",
     "sectors",         "scheduler",   "stalls",       "prefetch",  "epilogue",  "accumulator",
     "broadcast",       "prologue",    "divergence",   "atomics",   "fragments", "swizzle",
     "multiprocessors", "predication", "spills",       "throughput"});
constexpr auto kDevices = std::to_array<std::string_view>(
    {"NVIDIA H200", "NVIDIA A100-SXM4-80GB", "NVIDIA L40S", "NVIDIA GeForce RTX 4090"});
constexpr auto kCapabilities = std::to_array<int>({75, 80, 86, 89, 90, 100});
constexpr auto kDtypes =
    std::to_array<Dtype>({Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::f64, Dtype::i8});

/// Identifiers of kernels that nobody else wrote: a few thousand, most of them rare.
std::string identifier(std::size_t number) {
  const std::size_t count = kSyllables.size();
  std::string text(kSyllables[number % count]);
  text += "_" + std::string(kSyllables[(number / count) % count]);
  if (number >= count * count) text += std::to_string(number / (count * count));
  return text;
}

std::string word(Random& random) {
  if (random.chance(0.55)) return std::string(kCommon[random.zipf(kCommon.size())]);
  return identifier(random.zipf(20'000));
}

std::string phrase(Random& random, std::size_t words) {
  std::string text;
  for (std::size_t i = 0; i < words; ++i) text += (i == 0 ? "" : " ") + word(random);
  return text;
}

std::string operator_name(Random& random) {
  return std::string(kOperators[random.zipf(kOperators.size())]) +
         std::string(kVariants[random.zipf(kVariants.size())]);
}

/// Values that depend on what the kernel is, with some noise: two kernels alike have them alike.
std::map<std::string, double> signature(std::string_view space, std::uint64_t kind,
                                        std::size_t features, double noise, Random& random) {
  static constexpr auto kProfileNames = std::to_array<std::string_view>(
      {"dram_share",    "sm_share",    "occupancy.active",      "l1_hits",       "l2_hits",
       "lanes",         "registers",   "sectors.load",          "sectors.store", "bank_conflicts",
       "barriers",      "fma_share",   "stall.long_scoreboard", "stall.barrier", "stall.math_pipe",
       "block_threads", "waves",       "shared_bytes",          "blocks_per_sm", "intensity",
       "headroom",      "tensor_share"});
  std::map<std::string, double> values;
  for (std::size_t i = 0; i < features; ++i) {
    std::string name = space == "profile" ? std::string(kProfileNames[i % kProfileNames.size()])
                                          : "syntax." + identifier(mix_bits(kind + i) % 400);
    Random own(kind, i);
    values[std::move(name)] = std::clamp(own.uniform() + noise * random.normal(), 0.0, 1.0);
  }
  return values;
}

/// What the signatures and the words of an insight have in common with others.
struct Situation {
  const TechniqueWords* technique = nullptr;
  std::string family;
  std::uint64_t profile_kind = 0;
  std::uint64_t code_kind = 0;
};

constexpr double kSignatureNoise = 0.08;
constexpr std::size_t kProfileFeatures = 22;
constexpr std::size_t kCodeFeatures = 28;

Situation situation_of(Random& random) {
  Situation situation;
  situation.technique = &kTechniques[random.zipf(kTechniques.size())];
  situation.family = operator_name(random);
  const auto family = knowledge_base::stable_hash(situation.family);
  const auto bottleneck = static_cast<std::uint64_t>(situation.technique->bottleneck);
  situation.profile_kind = mix_bits(bottleneck * 977 + family % 7 + 31 * random.below(4));
  situation.code_kind = mix_bits(family + random.below(4));
  return situation;
}

void set_scope(Insight& insight, const Situation& situation, Random& random) {
  auto& scope = insight.scope;
  if (random.chance(0.6)) scope.operator_families = {situation.family};
  if (random.chance(0.8)) scope.bottlenecks = {situation.technique->bottleneck};
  if (random.chance(0.3)) scope.dtypes = {random.of(kDtypes)};
  if (random.chance(0.4)) scope.capability_min = random.of(kCapabilities);
  if (random.chance(0.15)) scope.device = random.of(kDevices);
  if (situation.technique->name == "fast_math") scope.contracts = {"approximate"};
}

void set_standing(Insight& insight, Random& random) {
  constexpr auto kSources = std::to_array<std::string_view>(
      {"episodes", "seed", "user:alice", "user:bob", "pack:4f1e", "kernelblaster:91ab"});
  insight.provenance.source = kSources[random.zipf(kSources.size())];
  insight.provenance.author = "generator";
  const bool measured = insight.provenance.source == "episodes";
  insight.utility.mean = 0.15 + 0.15 * random.normal();
  insight.utility.deviation = measured ? 0.08 : 0.24;
  insight.utility.low = insight.utility.mean - 1.28 * insight.utility.deviation;
  insight.utility.high = insight.utility.mean + 1.28 * insight.utility.deviation;
  insight.utility.observations = measured ? 1 + static_cast<std::int64_t>(random.zipf(12)) : 0;
  insight.state = !measured                           ? InsightState::proposed
                  : insight.utility.observations >= 3 ? InsightState::confirmed
                                                      : InsightState::probation;
  insight.trust = !measured ? Trust::t1 : insight.utility.observations >= 3 ? Trust::t3 : Trust::t2;
  if (random.chance(0.03)) insight.state = InsightState::deprecated;
}

std::string damaged(std::string text, Random& random) {
  if (text.size() < 4) return text;
  const std::size_t at = 1 + random.below(text.size() - 2);
  switch (random.below(3)) {
    case 0: std::swap(text[at], text[at + 1]); break;
    case 1: text.erase(at, 1); break;
    default: text.insert(at, 1, text[at - 1]); break;
  }
  return text;
}

std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words;
  std::string current;
  for (const char c : text + " ") {
    if (c != ' ' && c != ',' && c != '.') {
      current += c;
    } else if (!current.empty()) {
      words.push_back(std::move(current));
      current.clear();
    }
  }
  return words;
}

/// Streams of one insight: what it is, and the kernel it was learned on.
constexpr std::uint64_t kStreams = 4;

}  // namespace

Insight generated_insight(std::int64_t index, std::uint64_t seed) {
  const auto stream = static_cast<std::uint64_t>(index) * kStreams;
  Random random(seed, stream);
  const Situation situation = situation_of(random);
  const auto& technique = *situation.technique;
  Insight insight;
  insight.kind = random.chance(0.15) ? InsightKind::negative : InsightKind::positive;
  insight.claim = std::string(technique.deed) + " in " + situation.family + " of " +
                  phrase(random, 3 + random.below(5)) +
                  (insight.kind == InsightKind::positive ? " pays when " : " does not pay when ") +
                  phrase(random, 3 + random.below(4)) + ".";
  insight.mechanism = std::string(technique.reason) + "; " + phrase(random, 4 + random.below(8));
  insight.action.techniques = {std::string(technique.name)};
  insight.action.parameters = "block=" + std::to_string(32U << random.below(6)) +
                              " unroll=" + std::to_string(1U << random.below(4)) +
                              " variant=" + std::to_string(index);
  set_scope(insight, situation, random);
  set_standing(insight, random);
  if (random.chance(0.7)) {
    Random noise(seed, stream + 1);
    insight.profile_signature =
        signature("profile", situation.profile_kind, kProfileFeatures, kSignatureNoise, noise);
    insight.code_signature =
        signature("code", situation.code_kind, kCodeFeatures, kSignatureNoise, noise);
  }
  insight.id = id_of(insight);
  return insight;
}

Insight generated_claim(std::int64_t index, std::uint64_t seed) {
  constexpr auto kClaimants = std::to_array<std::string_view>(
      {"user:alice", "user:bob", "pack:4f1e", "kernelblaster:91ab", "user:carol"});
  Insight claim = generated_insight(index, seed);
  Random random(seed, static_cast<std::uint64_t>(index) * kStreams + 3);
  claim.provenance.source = kClaimants[random.zipf(kClaimants.size())];
  claim.state = InsightState::proposed;
  claim.trust = Trust::t0;
  claim.utility = {};
  claim.id = id_of(claim);
  return claim;
}

knowledge_base::InsightQuery known_item_query(std::int64_t index, std::uint64_t seed, Noise noise) {
  const Insight insight = generated_insight(index, seed);
  Random random(seed, static_cast<std::uint64_t>(index) * kStreams + 2);
  knowledge_base::InsightQuery query;
  query.offered_only = false;
  query.limit = 10;
  query.token_budget = 100'000;
  if (noise == Noise::situation) {
    for (auto [from, to] : {std::pair(&insight.profile_signature, &query.profile),
                            {&insight.code_signature, &query.code}}) {
      for (const auto& [name, value] : *from) {
        (*to)[name] = std::clamp(value + kSignatureNoise * random.normal(), 0.0, 1.0);
      }
    }
    query.bottlenecks = insight.scope.bottlenecks;
    if (!insight.scope.operator_families.empty()) {
      query.operator_family = insight.scope.operator_families.front();
    }
    return query;
  }
  auto words = words_in(insight.claim + " " + insight.mechanism);
  for (std::size_t i = words.size(); i > 1; --i) std::swap(words[i - 1], words[random.below(i)]);
  words.resize((words.size() + 1) / 2);
  for (auto& text : words) {
    if (noise == Noise::typos && random.chance(0.2)) text = damaged(text, random);
    query.text += (query.text.empty() ? "" : " ") + text;
  }
  return query;
}

}  // namespace warpmind::fakes
