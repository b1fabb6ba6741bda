#pragma once
/// \file
/// What `warpmind export` wrote, or found in a file.

#include "clients/cli/report/style.h"
#include "daemon/protocol/record_messages.h"

#include <string>

namespace warpmind::clients {

[[nodiscard]] std::string render_written(const daemon::protocol::ExportWriteResult& result,
                                         const Style& style);
[[nodiscard]] std::string render_checked(const daemon::protocol::ExportVerifyResult& result,
                                         const std::string& file, const Style& style);

}  // namespace warpmind::clients
