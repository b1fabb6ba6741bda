#pragma once
/// \file
/// An open base in a fresh folder, for tests of what changes write and readers find.

#include "base/file.h"
#include "knowledge_base/open_base.h"

#include <filesystem>
#include <functional>
#include <memory>

#include <gtest/gtest.h>

namespace warpmind::knowledge_base {

class BaseFixture : public testing::Test {
 protected:
  BaseFixture()
      : scratch_(ScratchDirectory::create(std::filesystem::temp_directory_path(), "kb").value()) {
    // Without a reserve: the space of the machine that runs the test decides nothing.
    base_ =
        OpenBase::open({.directory = scratch_.path() / "kb", .reserve_bytes = 0, .clock = clock_})
            .value();
  }

  [[nodiscard]] OpenBase& base() { return *base_; }

  Result<void> write(const std::function<Result<void>(ChangeSet&)>& make) {
    return base_->write(1 << 20, [&make](ChangeSet& change) -> Result<void> {
      WARPMIND_CHECK(make(change));
      change.describe("insights", {});
      return {};
    });
  }

 private:
  ScratchDirectory scratch_;
  SystemClock clock_;
  std::unique_ptr<OpenBase> base_;
};

}  // namespace warpmind::knowledge_base
