#pragma once
/// \file
/// A base that lives as long as the object, in memory where the machine has a file system there.

#include "base/clock.h"
#include "base/result.h"
#include "knowledge_base/knowledge_base.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

namespace warpmind::agents::benchmark {

/// /dev/shm where it can be written, else the temporary folder.
[[nodiscard]] std::filesystem::path scratch_root();

/// Threads: as the base. `clock` must outlive it.
class ScratchBase {
 public:
  /// A fresh base, in a folder of its own below `parent`. Errors: as KnowledgeBase::open.
  [[nodiscard]] static Result<std::unique_ptr<ScratchBase>> create(
      const std::filesystem::path& parent, const std::string& name, const Clock& clock);
  ~ScratchBase();
  ScratchBase(const ScratchBase&) = delete;
  ScratchBase& operator=(const ScratchBase&) = delete;

  [[nodiscard]] knowledge_base::KnowledgeStore& store() { return base_->store(); }
  /// A second base of the same content, beside this one. Copies for several threads are made one
  /// after the other: a base is maintained by one at a time.
  [[nodiscard]] Result<std::unique_ptr<ScratchBase>> copy(const std::string& name);

 private:
  ScratchBase(std::filesystem::path directory, const Clock& clock,
              std::unique_ptr<knowledge_base::KnowledgeBase> base);

  std::filesystem::path directory_;
  const Clock& clock_;
  std::unique_ptr<knowledge_base::KnowledgeBase> base_;
  std::mutex copying_;
};

}  // namespace warpmind::agents::benchmark
