#pragma once
/// \file
/// The device code of a program's source: what is left when the host code is cut away.

#include "agents/builtin/lifting/template_instance.h"
#include "agents/builtin/syntax.h"

#include <map>
#include <string>
#include <string_view>

namespace warpmind::agents::builtin {

struct DeviceSource {
  std::string text;
  /// By name in the program: the name that the kernel has in `text`, where it is `extern "C"`.
  std::map<std::string, std::string, std::less<>> names;
};

/// `kernels` are names of kernels that are to be launched, each defined once, with the values of
/// one instance for a template. They become `extern "C"` and are renamed where the C library has
/// that name. Host functions are cut but for those that device code mentions; everything else stays
/// as it is, comments included.
[[nodiscard]] DeviceSource device_source(
    const CudaSource& program, const std::map<std::string, TemplateValues, std::less<>>& kernels);

}  // namespace warpmind::agents::builtin
