#include "agents/builtin/probe/probe_points.h"

#include "base/sequence.h"

#include <algorithm>
#include <charconv>
#include <random>

namespace warpmind::agents::builtin {
namespace {

constexpr std::uint64_t kSeed = 20240917;
constexpr std::size_t kMostEdges = 16;

/// The largest coordinate along `axis`, the others 0, whose thread gets to `node`.
std::int64_t last_that_arrives(const KernelProber& prober, NodeId node, std::int64_t stride,
                               std::int64_t extent) {
  const auto arrives = [&](std::int64_t coordinate) {
    return prober.reaches(node, prober.position(coordinate * stride)).value_or(true);
  };
  std::int64_t low = 0;
  std::int64_t high = extent;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (arrives(middle) ? low : high) = middle;
  }
  return low;
}

/// Numbers that an index may be divided by: integers of the launch and of the text, and products
/// of up to three of them.
std::vector<std::int64_t> divisors(const KernelProber& prober, std::int64_t limit) {
  const SyntaxTree& tree = prober.source().tree;
  const NodeId body = prober.function().body;
  bool divides = false;
  std::vector<std::int64_t> numbers;
  for (const NodeId node : tree.descendants(body, "binary_expression")) {
    const auto op = tree.operator_of(node);
    divides |= op == "/" || op == "%" || op == ">>" || op == "&";
    const auto right = tree.text(tree.field(node, "right"));
    std::int64_t number = 0;
    if (std::from_chars(right.data(), right.data() + right.size(), number).ec == std::errc()) {
      numbers.push_back(number);
    }
  }
  if (!divides) return {};
  for (const auto& [name, number] : prober.launch().scalars) numbers.push_back(number);
  sort_unique(numbers);
  std::erase_if(numbers, [&](std::int64_t n) { return n < 2 || n >= limit; });
  if (numbers.size() > 8) numbers.resize(8);
  std::vector<std::int64_t> products = numbers;
  for (std::size_t from = 0, factors = 1; factors < 3; ++factors) {
    const std::size_t to = products.size();
    for (; from < to; ++from) {
      for (const std::int64_t number : numbers) {
        if (products[from] < limit / number) products.push_back(products[from] * number);
      }
    }
  }
  sort_unique(products);
  return products;
}

enum class Pick { first, last, second, random };

Iterations picked(const KernelProber& prober, const std::vector<NodeId>& loops,
                  const ThreadPosition& thread, Pick pick, std::mt19937_64& generator) {
  Iterations at;
  for (const NodeId loop : loops) {
    const std::int64_t trips = prober.trips(loop, thread, at).value_or(1);
    if (trips <= 1) continue;
    if (pick == Pick::last) at[loop] = trips - 1;
    if (pick == Pick::second) at[loop] = 1;
    if (pick == Pick::random) {
      at[loop] = static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(trips));
    }
  }
  return at;
}

}  // namespace

std::vector<NodeId> loops_around(const CudaSource& source, const Function& function, NodeId node) {
  std::vector<NodeId> loops;
  const SyntaxTree& tree = source.tree;
  for (NodeId at = node; at != kNoNode && at != function.body; at = tree.node(at).parent) {
    const bool inside = at != node;
    if (inside && (tree.is(at, "for_statement") || tree.is(at, "while_statement") ||
                   tree.is(at, "do_statement"))) {
      loops.push_back(at);
    }
  }
  std::reverse(loops.begin(), loops.end());
  return loops;
}

std::vector<ThreadPosition> probe_threads(const KernelProber& prober, NodeId node, int random) {
  std::array<std::int64_t, 3> extent{};
  std::array<std::int64_t, 3> stride{};
  std::int64_t all = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    stride.at(axis) = all;
    extent.at(axis) = static_cast<std::int64_t>(prober.launch().shape.grid.at(axis)) *
                      prober.launch().shape.block.at(axis);
    all *= extent.at(axis);
  }
  std::vector<std::int64_t> flats{0, all - 1};
  std::int64_t corner = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t last = last_that_arrives(prober, node, stride.at(axis), extent.at(axis));
    flats.push_back(last * stride.at(axis));
    flats.push_back(std::min<std::int64_t>(1, extent.at(axis) - 1) * stride.at(axis));
    corner += last * stride.at(axis);
  }
  flats.push_back(corner);
  std::mt19937_64 generator(kSeed);
  for (int i = 0; i < random; ++i) {
    // Half of them among those that get there, which may be few.
    const std::int64_t range = i % 2 == 0 ? all : corner + 1;
    flats.push_back(static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(range)));
  }
  // Where a digit of an index that is taken apart by division changes.
  auto edges = divisors(prober, all);
  std::shuffle(edges.begin(), edges.end(), generator);
  if (edges.size() > kMostEdges) edges.resize(kMostEdges);
  for (const std::int64_t edge : edges) {
    const auto most = static_cast<std::uint64_t>((all - 1) / edge);
    flats.push_back(edge);
    flats.push_back(edge * static_cast<std::int64_t>(1 + generator() % most));
  }
  sort_unique(flats);
  std::vector<ThreadPosition> threads;
  threads.reserve(flats.size());
  for (const std::int64_t flat : flats) threads.push_back(prober.position(flat));
  return threads;
}

std::vector<Iterations> probe_iterations(const KernelProber& prober, NodeId node,
                                         const ThreadPosition& thread, int random) {
  const auto loops = loops_around(prober.source(), prober.function(), node);
  std::mt19937_64 generator(kSeed + 1);
  std::vector<Iterations> all;
  for (const Pick pick : {Pick::first, Pick::last, Pick::second}) {
    all.push_back(picked(prober, loops, thread, pick, generator));
  }
  for (int i = 0; i < random && !loops.empty(); ++i) {
    all.push_back(picked(prober, loops, thread, Pick::random, generator));
  }
  sort_unique(all);
  return all;
}

}  // namespace warpmind::agents::builtin
