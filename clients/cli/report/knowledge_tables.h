#pragma once
/// \file
/// Lists of the knowledge base as a person reads them: sources, facts, edges, clusters.

#include "clients/cli/report/style.h"
#include "daemon/protocol/knowledge_messages.h"

#include <string>

namespace warpmind::clients {

[[nodiscard]] std::string render_sources(const daemon::protocol::KbSourcesResult& result,
                                         const Style& style);
[[nodiscard]] std::string render_facts(const daemon::protocol::KbFactsResult& result,
                                       const Style& style);
[[nodiscard]] std::string render_edges(const daemon::protocol::KbGraphResult& result,
                                       const Style& style);
[[nodiscard]] std::string render_graph_export(const daemon::protocol::KbGraphExportResult& result);
[[nodiscard]] std::string render_graph_import(const daemon::protocol::KbGraphImportResult& result);
[[nodiscard]] std::string render_clusters(const daemon::protocol::KbClustersResult& result,
                                          const Style& style);
[[nodiscard]] std::string render_calibration(const Calibration& result);

}  // namespace warpmind::clients
