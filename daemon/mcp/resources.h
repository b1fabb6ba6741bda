#pragma once
/// \file
/// Resources: kernels, run reports, rooflines, insights, by URI.
///
///   warpmind://kernel/{job}          best kernel of a job, or the one to edit
///   warpmind://kernel/{job}/{step}   kernel of one step
///   warpmind://run/{job}             every step with its verdict
///   warpmind://run/{job}/roofline.svg
///   warpmind://insight/{id}

#include "daemon/mcp/backend.h"

#include <string>

namespace warpmind::daemon::mcp {

[[nodiscard]] nlohmann::json resource_templates();
/// Of the newest jobs. Runs where `status` does: on the io thread.
[[nodiscard]] Result<protocol::Document> resource_list(const Backend& backend);
/// `contents` of one resource. Errors: not_found for what there is not.
[[nodiscard]] Result<protocol::Document> read_resource(const std::string& uri,
                                                       const Backend& backend);
/// The job of a run's URI, for subscriptions; empty for other URIs.
[[nodiscard]] std::string job_of_uri(const std::string& uri);

}  // namespace warpmind::daemon::mcp
