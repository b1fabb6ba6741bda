#pragma once
/// \file
/// A base that holds episodes and the graph they make, without the rest of the write-back.

#include "base/file.h"
#include "knowledge_base/graph/projection.h"
#include "knowledge_base/graph/reasoning_graph.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/remembered_kernel.h"
#include "tests/fakes/sample_episodes.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace warpmind::knowledge_base {

/// One base in a folder of its own.
class GraphBase {
 public:
  GraphBase()
      : scratch_(ScratchDirectory::create(std::filesystem::temp_directory_path(), "kb").value()),
        base_(OpenBase::open(
                  {.directory = scratch_.path() / "kb", .reserve_bytes = 0, .clock = clock_})
                  .value()) {}

  /// Stores the episode's records and projects its graph, in one change.
  Result<void> learn(const Episode& episode) {
    return base_->write(0, [&episode](ChangeSet& change) -> Result<void> {
      const auto kernels = kernel_ids(episode);
      WARPMIND_CHECK(store(change, episode, kernels));
      WARPMIND_CHECK(project_graph(change, episode, kernels));
      change.describe("episode", {episode.id.str()});
      return {};
    });
  }

  [[nodiscard]] ReasoningGraph graph() { return ReasoningGraph(*base_); }
  [[nodiscard]] OpenBase& base() { return *base_; }

  /// Every key and value of the edges family.
  [[nodiscard]] std::map<std::string, std::string> bytes() {
    return base_
        ->read([](const Database& database,
                  const std::string&) -> Result<std::map<std::string, std::string>> {
          std::map<std::string, std::string> found;
          WARPMIND_CHECK(database.scan({Family::edges, ""},
                                       [&found](std::string_view key, std::string_view value) {
                                         found[std::string(key)] = std::string(value);
                                         return Result<bool>(true);
                                       }));
          return found;
        })
        .value();
  }

  /// The transition as `filter` sees it; without observations where there is none.
  EdgeStatistics edge(const std::string& from, const std::string& to, EdgeFilter filter = {}) {
    filter.from = from;
    const auto found = graph().edges(filter).value();
    for (const auto& edge : found) {
      if (edge.to == to) return edge;
    }
    return {};
  }

 private:
  static Result<void> store(ChangeSet& change, const Episode& episode,
                            const std::vector<KernelId>& kernels) {
    const auto number = number_of(episode.id).value();
    WARPMIND_TRY(auto record, encode_episode(episode));
    change.add(Family::episodes, episode_key(number), std::move(record));
    if (episode.split == Split::heldout) return {};
    for (std::size_t i = 0; i < episode.steps.size(); ++i) {
      WARPMIND_TRY(auto step, encode_step(episode.steps[i], kernels[i]));
      change.add(Family::steps, step_key(number, i), std::move(step));
      WARPMIND_TRY(auto kernel, encode_kernel(episode.steps[i].candidate.kernel));
      change.put(Family::kernels, kernel_key(kernels[i]), std::move(kernel));
    }
    return {};
  }

  ScratchDirectory scratch_;
  SystemClock clock_;
  std::unique_ptr<OpenBase> base_;
};

}  // namespace warpmind::knowledge_base
