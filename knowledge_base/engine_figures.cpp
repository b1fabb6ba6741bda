#include "knowledge_base/engine_figures.h"

#include "knowledge_base/open_base.h"

#include <array>
#include <cstdint>
#include <string_view>

#include <rocksdb/db.h>

namespace warpmind::knowledge_base {
namespace {

using Figures = std::map<std::string, double>;

struct Figure {
  std::string_view name;  ///< ours
  const char* property;
  bool of_all;  ///< one value for the database; else one a family, to be summed
};

constexpr std::array kFigures{
    Figure{"memtable_bytes", "rocksdb.cur-size-all-mem-tables", false},
    Figure{"table_reader_bytes", "rocksdb.estimate-table-readers-mem", false},
    Figure{"sst_bytes", "rocksdb.total-sst-files-size", false},
    Figure{"live_bytes", "rocksdb.estimate-live-data-size", false},
    Figure{"pending_compaction_bytes", "rocksdb.estimate-pending-compaction-bytes", false},
    Figure{"keys", "rocksdb.estimate-num-keys", false},
    Figure{"block_cache_bytes", "rocksdb.block-cache-usage", true},
    Figure{"running_compactions", "rocksdb.num-running-compactions", true},
    Figure{"running_flushes", "rocksdb.num-running-flushes", true},
    Figure{"background_errors", "rocksdb.background-errors", true},
    Figure{"snapshots", "rocksdb.num-snapshots", true},
};

double sum_of(const Database& database, const Figure& figure) {
  double sum = 0;
  for (const auto& spec : kColumnFamilies) {
    std::uint64_t value = 0;
    auto* const column = database.column(spec.family);
    if (!database.raw().GetIntProperty(column, figure.property, &value)) continue;
    if (figure.of_all) return static_cast<double>(value);
    sum += static_cast<double>(value);
  }
  return sum;
}

}  // namespace

Figures engine_figures(const OpenBase& base) {
  auto figures =
      base.read([](const Database& database, const std::string& /*note*/) -> Result<Figures> {
        Figures all;
        for (const auto& figure : kFigures) {
          all.emplace(figure.name, sum_of(database, figure));
        }
        return all;
      });
  return figures ? std::move(*figures) : Figures{};
}

}  // namespace warpmind::knowledge_base
