#pragma once
/// \file
/// Answers of the daemon, and the settings, as text for a person.

#include "clients/cli/report/text.h"
#include "config/settings_loader.h"
#include "daemon/protocol/knowledge_messages.h"
#include "daemon/protocol/messages.h"

#include <string>
#include <vector>

namespace warpmind::clients {

[[nodiscard]] std::string render_status(const daemon::protocol::StatusResult& status,
                                        const Paint& paint);
[[nodiscard]] std::string render_statistics(const daemon::protocol::KbStatsResult& statistics,
                                            const Paint& paint);
[[nodiscard]] std::string render_validation(const daemon::protocol::TaskValidateResult& answer,
                                            const Paint& paint);
/// `file` that was read; empty = none. With `origin`, each value says where it comes from.
[[nodiscard]] std::string render_settings(const std::vector<config::RenderedSetting>& settings,
                                          const std::string& file, bool origin);

}  // namespace warpmind::clients
