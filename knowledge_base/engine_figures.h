#pragma once
/// \file
/// What RocksDB says of itself, for who watches a daemon.

#include <map>
#include <string>

namespace warpmind::knowledge_base {

class OpenBase;

/// By our names: bytes and counts, summed over the column families. Empty while the base is closed.
[[nodiscard]] std::map<std::string, double> engine_figures(const OpenBase& base);

}  // namespace warpmind::knowledge_base
