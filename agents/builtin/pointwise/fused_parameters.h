#pragma once
/// \file
/// Parameters of a kernel that does the work of two launches: one for each buffer and scalar.

#include "agents/builtin/scene.h"

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// What a parameter of one of the two functions is called in the fused one.
using Renaming = std::map<std::string, std::string, std::less<>>;

struct FusedParameter {
  std::string name;
  std::string argument;     ///< of the plan
  std::string declaration;  ///< "const float* x"
};

class FusedParameters {
 public:
  /// `launches`: the two of the plan. Every buffer that one of them writes must be in `written`.
  FusedParameters(const Scene& scene, const std::array<std::size_t, 2>& launches,
                  const std::set<std::string>& written);

  /// Why they cannot be joined, or empty.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  [[nodiscard]] const Renaming& renaming(std::size_t which) const { return renamings_[which]; }
  [[nodiscard]] const std::vector<FusedParameter>& parameters() const { return parameters_; }
  /// Name of the parameter for that argument of the plan.
  [[nodiscard]] std::string name_of(const std::string& argument) const;
  /// Type of the elements of that buffer.
  [[nodiscard]] std::string element_of(const std::string& argument) const;
  void drop(const std::string& argument);
  /// A name that neither function uses, nor any parameter here.
  [[nodiscard]] std::string fresh(const std::string& wish);

 private:
  void add(const Function& function, const Parameter& parameter, const std::string& argument,
           std::size_t which);

  const Scene& scene_;
  const std::set<std::string>& written_;
  std::set<std::string, std::less<>> taken_;
  std::vector<FusedParameter> parameters_;
  std::map<std::string, std::string> elements_;
  std::map<std::string, std::string> types_;
  std::array<Renaming, 2> renamings_;
  std::string refusal_;
};

/// Edits that rename the parameters below `node`.
[[nodiscard]] std::vector<TextEdit> renaming_edits(const SyntaxTree& tree, NodeId node,
                                                   const Renaming& renaming);

}  // namespace warpmind::agents::builtin
