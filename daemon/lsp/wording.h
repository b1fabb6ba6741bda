#pragma once
/// \file
/// Numbers and names as an editor shows them. Every number has its unit.

#include "base/model/measurement.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace warpmind::daemon::lsp {

/// "833 ns", "41.2 µs", "1.2 ms".
[[nodiscard]] std::string time_text(double nanoseconds);
/// "2.29× faster".
[[nodiscard]] std::string gain_text(double ratio);
/// "512 B", "12.0 KiB".
[[nodiscard]] std::string bytes_text(std::int64_t bytes);
/// "measured on NVIDIA H200", "predicted for NVIDIA H200", "recorded on NVIDIA H200".
[[nodiscard]] std::string provider_text(Provider provider, std::string_view device);
/// Foreign text in Markdown: nothing of it is a link, markup or HTML.
[[nodiscard]] std::string plain_markdown(std::string_view text);

}  // namespace warpmind::daemon::lsp
