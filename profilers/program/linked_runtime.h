#pragma once
/// \file
/// How a built program got its CUDA runtime, read from its file.

#include <filesystem>

namespace warpmind::profilers {

enum class LinkedRuntime {
  shared,   ///< it needs libcudart.so
  inside,   ///< it holds device code and no libcudart.so: linked statically
  unknown,  ///< no program of 64 bits, or without device code of its own
};

[[nodiscard]] LinkedRuntime linked_runtime(const std::filesystem::path& program);

}  // namespace warpmind::profilers
