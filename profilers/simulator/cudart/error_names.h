#pragma once
/// \file
/// Names and texts of CUDA's error codes.

namespace warpmind::simulator {

/// "cudaErrorInvalidValue"; nullptr for a number that is no code.
[[nodiscard]] const char* cuda_error_name(int code);
/// As the CUDA runtime spells the frequent ones ("invalid argument"); the words of the name for
/// the others; nullptr for a number that is no code.
[[nodiscard]] const char* cuda_error_text(int code);

}  // namespace warpmind::simulator
