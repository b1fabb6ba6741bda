#pragma once
/// \file
/// A task folder that is right, to be spoiled, and the errors that are expected then.

#include "base/file.h"
#include "config/task_file.h"

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace warpmind::config {

inline constexpr std::string_view kTask = R"toml(name = "scale"
description = "y = x * alpha"
operator_family = "elementwise"

[[argument]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["rows", "columns"]

[[argument]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["rows", "columns"]

[[argument]]
name = "alpha"
kind = "scalar"
dtype = "f32"
value = "0.5"

[[workload]]
name = "tiny"
sizes = { rows = 2, columns = 3 }

[[workload]]
name = "big"
timed = true
sizes = { rows = 512, columns = 1024 }

[contract]
tolerance = "elementwise"

[cost]
bytes = "8 * rows * columns"
flops = "rows * columns"

[reference]
file = "reference.cpp"

[kernel]
file = "kernel.cu"

[kernel.constants]
TILE = 4

[[kernel.scratch]]
name = "spare"
dtype = "f32"
elements = "rows * TILE"

[[kernel.launch]]
kernel = "scale"
grid = ["ceil_div(rows * columns, block_x)"]
block = [256]
arguments = ["x", "y", "spare", "i32:rows*columns", "alpha"]
)toml";
inline constexpr std::string_view kKernel =
    "extern \"C\" __global__ void scale(const float* x, float* y, float* s, int n, float a) {}\n";
inline constexpr std::string_view kReference =
    "#include \"warpmind_reference.h\"\nvoid reference(const warpmind::ReferenceCall& call) {}\n";

inline std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out(text);
  const auto at = out.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) out.replace(at, from.size(), to);
  return out;
}

/// A folder with the task above.
class TaskFile : public testing::Test {
 protected:
  void SetUp() override {
    auto scratch = ScratchDirectory::create(std::filesystem::temp_directory_path(), "task_file");
    ASSERT_TRUE(scratch.has_value()) << scratch.error().message;
    scratch_.emplace(*std::move(scratch));
    ASSERT_TRUE(make_private_directory(folder()).has_value());
    write("task.toml", kTask);
    write("kernel.cu", kKernel);
    write("reference.cpp", kReference);
  }

  [[nodiscard]] std::filesystem::path folder() const { return scratch_->path() / "task"; }
  [[nodiscard]] std::string toml() const { return (folder() / "task.toml").string(); }

  void write(const std::filesystem::path& name, std::string_view text) const {
    ASSERT_TRUE(write_file_atomic(folder() / name, text).has_value());
  }

  [[nodiscard]] Error load_error() const {
    auto loaded = load_task(folder());
    EXPECT_FALSE(loaded.has_value());
    return loaded ? Error{} : loaded.error();
  }

 private:
  std::optional<ScratchDirectory> scratch_;
};

struct ErrorCase {
  const char* name;
  const char* from;  ///< in kTask
  const char* to;
  const char* message;  ///< part of the error, which starts with the name of the file
};

inline std::ostream& operator<<(std::ostream& out, const ErrorCase& each) {
  return out << each.name;
}

}  // namespace warpmind::config
