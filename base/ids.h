#pragma once
/// \file
/// Strong identifiers: a task id cannot be passed where an episode id is wanted.

#include <compare>
#include <functional>
#include <string>
#include <utility>

namespace warpmind {

/// An opaque printable identifier. `Tag` only separates the types.
template <class Tag>
class Id {
 public:
  Id() = default;
  explicit Id(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] const std::string& str() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  auto operator<=>(const Id&) const =
      default;  // NOLINT(modernize-use-nullptr): LLVM 14 misreads <=>

 private:
  std::string text_;
};

using TaskId =
    Id<struct TaskTag>;  ///< content hash of contract, workloads and reference: `t-<16 hex>`
using KernelId =
    Id<struct KernelTag>;  ///< content hash of source, launch plan and flags: `k-<16 hex>`
using EpisodeId = Id<struct EpisodeTag>;  ///< `e-<10 digits>`: sequence of its job
using JobId = Id<struct JobTag>;          ///< `j-<10 digits>`: sequence of acceptance
using InsightId = Id<struct InsightTag>;  ///< content hash of kind, action, scope: `i-<16 hex>`

}  // namespace warpmind

template <class Tag>
struct std::hash<warpmind::Id<Tag>> {
  std::size_t operator()(const warpmind::Id<Tag>& id) const noexcept {
    return std::hash<std::string>{}(id.str());
  }
};
