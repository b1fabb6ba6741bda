#include "agents/builtin/forms/output_reads.h"

#include "agents/builtin/probe/probe_points.h"

#include <algorithm>
#include <set>

namespace warpmind::agents::builtin {
namespace {

/// A window of 7 x 7 x 7; what reads more is a sum over rows.
constexpr std::int64_t kMostTaps = 343;

/// Of larger windows walks hold too little in registers to be worth counting.
constexpr std::int64_t kMostWalked = 64;

using Elements = std::map<std::string, std::set<std::int64_t>>;

class ReadFinder {
 public:
  ReadFinder(const Scene& scene, const IndependentOutputs& outputs)
      : scene_(scene),
        outputs_(outputs),
        prober_(scene.source(), *outputs.function, outputs.launches->front()) {}

  Result<OutputReads> find() {
    WARPMIND_TRY(const Elements here, elements_at(outputs_.middle(0)));
    for (const auto& [buffer, elements] : here) {
      found_.taps = std::max(found_.taps, static_cast<std::int64_t>(elements.size()));
    }
    found_.loads = count(here);
    for (std::size_t c = 0; c < kNamedAxes; ++c) WARPMIND_CHECK(walk(c));
    add_bytes();
    return std::move(found_);
  }

 private:
  [[nodiscard]] static std::int64_t count(const Elements& elements) {
    std::int64_t sum = 0;
    for (const auto& [buffer, own] : elements) sum += static_cast<std::int64_t>(own.size());
    return sum;
  }

  /// Outputs in a row around the middle.
  Result<void> walk(std::size_t coordinate) {
    found_.walked.at(coordinate) = kWalked * found_.loads;
    const bool is_short = coordinate >= outputs_.order.size() ||
                          outputs_.extent(coordinate, 0) < kWalked || found_.loads > kMostWalked;
    if (is_short) return {};
    Elements first;
    Elements all;
    for (std::int64_t i = 0; i < kWalked; ++i) {
      std::vector<std::int64_t> moved(outputs_.order.size());
      moved[coordinate] = i - (kWalked - 1) / 2;
      WARPMIND_TRY(const Elements there, elements_at(outputs_.middle(0, moved)));
      for (const auto& [buffer, elements] : there) {
        const auto& own = first[buffer];
        const bool shares = std::any_of(elements.begin(), elements.end(),
                                        [&](std::int64_t one) { return own.contains(one); });
        // What all outputs read alike (a coefficient) says nothing about neighbours.
        if (shares && own != elements) found_.reach.at(coordinate) = i;
        all[buffer].insert(elements.begin(), elements.end());
      }
      if (i == 0) first = there;
    }
    found_.walked.at(coordinate) = count(all);
    return {};
  }

  /// The subscript that a load or a call such as `__ldg(&x[i])` reads.
  [[nodiscard]] NodeId place_of(const MemoryAccess& access) const {
    const SyntaxTree& tree = scene_.tree();
    if (!tree.is(access.node, "call_expression") || access.index == kNoNode) return access.node;
    return tree.ancestor(access.index, "subscript_expression", access.node);
  }

  Result<Elements> elements_at(const ThreadPosition& thread) const {
    Elements found;
    for (const auto& access : outputs_.body->accesses()) {
      if (!access.is_load || access.is_private) continue;
      const NodeId place = place_of(access);
      auto loops = loops_around(scene_.source(), *outputs_.function, place);
      Iterations at;
      WARPMIND_CHECK(add_elements(access, place, loops, thread, at, found));
    }
    return found;
  }

  /// Over all iterations of `loops`, the outermost first.
  Result<void> add_elements(const MemoryAccess& access, NodeId place,
                            const std::vector<NodeId>& loops, const ThreadPosition& thread,
                            Iterations& at, Elements& found) const {
    if (at.size() < loops.size()) {
      const NodeId loop = loops[at.size()];
      if (prober_.reaches(loop, thread, at) == false) return {};
      const auto trips = prober_.trips(loop, thread, at);
      if (!trips) return unknown(access);
      if (*trips > kMostTaps) {
        return fail(Errc::not_found, "a loop of " + std::to_string(*trips) +
                                         " iterations makes its outputs sums, not windows");
      }
      for (std::int64_t i = 0; i < *trips; ++i) {
        at[loop] = i;
        WARPMIND_CHECK(add_elements(access, place, loops, thread, at, found));
      }
      at.erase(loop);
      return {};
    }
    if (prober_.reaches(place, thread, at) == false) return {};
    const auto touched = prober_.access(place, thread, at);
    if (!touched) return unknown(access);
    auto& elements = found[access.root];
    elements.insert(touched->element);
    if (static_cast<std::int64_t>(elements.size()) > kMostTaps) {
      return fail(Errc::not_found, "each output reads more than " + std::to_string(kMostTaps) +
                                       " elements of '" + access.root + "'");
    }
    return {};
  }

  [[nodiscard]] tl::unexpected<Error> unknown(const MemoryAccess& access) const {
    return fail(Errc::not_found,
                "'" + scene_.tree().plain_text(access.node) + "' has an index that is not known");
  }

  void add_bytes() {
    std::map<std::string, bool> is_written;
    for (const auto& access : outputs_.body->accesses()) {
      if (access.is_private) continue;
      auto& written = is_written[access.root];
      written = written || access.is_store;
    }
    for (const auto& launch : *outputs_.launches) {
      std::int64_t read = 0;
      std::int64_t written = 0;
      for (const auto& [root, stores] : is_written) {
        const Parameter* parameter = outputs_.function->parameter(root);
        const auto extent = launch.extents.find(root);
        if (parameter == nullptr || extent == launch.extents.end()) continue;
        const std::int64_t bytes = std::max(size_of_type(parameter->base_type), 1);
        (stores ? written : read) += extent->second * bytes;
      }
      found_.bytes_read.push_back(read);
      found_.bytes_written.push_back(written);
    }
  }

  const Scene& scene_;
  const IndependentOutputs& outputs_;
  KernelProber prober_;
  OutputReads found_;
};

}  // namespace

Result<OutputReads> find_output_reads(const Scene& scene, const IndependentOutputs& outputs) {
  return scene.remembered<Result<OutputReads>>(outputs.launch,
                                               [&] { return ReadFinder(scene, outputs).find(); });
}

}  // namespace warpmind::agents::builtin
