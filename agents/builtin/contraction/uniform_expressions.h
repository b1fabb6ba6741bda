#pragma once
/// \file
/// Integer expressions that all threads of a launch agree on: over parameters and constants of the
/// file, as C text, as numbers of each launch, and as text for the launch plan.

#include "agents/builtin/probe/integer_interpreter.h"
#include "agents/builtin/scene.h"

#include <optional>

namespace warpmind::agents::builtin {

class UniformExpressions {
 public:
  /// All must outlive it; `launches` are those of one launch of the plan.
  UniformExpressions(const Scene& scene, const Function& function,
                     const std::vector<SceneLaunch>& launches);

  /// `expression` of the kernel with local variables that are set once replaced by their values;
  /// nullopt when something else than parameters, constants and integer arithmetic is left.
  [[nodiscard]] std::optional<std::string> closed_text(NodeId expression) const;
  /// One number a launch.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> values(const std::string& text) const;
  /// The candidate that has these values at the launches: what the code compares `variable` with or
  /// cuts it off by, then all that it compares with and divides by, parameters, products of two,
  /// ratios of two. nullopt when none has.
  [[nodiscard]] std::optional<std::string> matching(const std::vector<std::int64_t>& wanted,
                                                    std::string_view variable) const;
  /// The same in the language of launch plans; nullopt when it cannot be said there.
  [[nodiscard]] std::optional<std::string> plan_text(const std::string& text) const;

 private:
  struct Candidate {
    std::string text;
    std::vector<std::int64_t> values;
  };

  [[nodiscard]] std::vector<std::string> bounds_of(std::string_view variable) const;
  void add_candidate(const std::string& text);
  [[nodiscard]] std::optional<std::string> closed(NodeId expression, int depth) const;
  [[nodiscard]] NodeId value_of_local(std::string_view name) const;
  [[nodiscard]] std::optional<std::string> plan_text_of(const SyntaxTree& tree, NodeId node) const;
  [[nodiscard]] std::optional<std::string> plan_name(std::string_view name) const;

  const Scene* scene_;
  const Function* function_;
  const std::vector<SceneLaunch>* launches_;
  ProbeProgram program_;
  std::vector<Candidate> candidates_;
};

}  // namespace warpmind::agents::builtin
