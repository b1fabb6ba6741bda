#pragma once
/// \file
/// An evaluation table as JSON lines: a head, metrics, tasks, kernels, each after what it names.

#include "agents/benchmark/evaluation_table.h"
#include "base/file.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace warpmind::agents::benchmark {

/// What could be read. A bad line is left out, with one sentence that names it.
struct TableReading {
  EvaluationTable table;
  std::vector<std::string> problems;
  bool cut_short = false;  ///< the last line has no end: a recording was interrupted there
};

/// Errors: not_found; corrupt_data when the first line is not the head of such a table, or of a
/// version that this build does not know.
[[nodiscard]] Result<TableReading> read_table(const std::filesystem::path& file);

/// The verdict without what replay does not need: texts of the compiler, source lines, stages that
/// passed. Values of metrics keep 7 digits.
[[nodiscard]] Verdict trimmed(Verdict verdict);

/// Appends, one line a call, so that what was judged is kept when the recording ends early.
class TableWriter {
 public:
  /// Starts a new file. Errors: conflict when there is one; external_failure.
  [[nodiscard]] static Result<TableWriter> create(const std::filesystem::path& file,
                                                  const TableOrigin& origin);
  /// Goes on with the file; a line that was cut short is removed first. Errors: external_failure.
  [[nodiscard]] static Result<TableWriter> resume(const std::filesystem::path& file);

  [[nodiscard]] Result<void> write(const Task& task);
  [[nodiscard]] Result<void> write(const RecordedKernel& kernel);

 private:
  /// Number by name, unit and origin: a profile repeats the same fifty.
  using Metrics = std::map<std::string, std::int64_t>;

  TableWriter(UniqueFd fd, std::filesystem::path file, Metrics metrics)
      : fd_(std::move(fd)), file_(std::move(file)), metrics_(std::move(metrics)) {}
  [[nodiscard]] Result<std::int64_t> number_of(const Metric& metric);
  [[nodiscard]] Result<void> append(std::string line);

  UniqueFd fd_;
  std::filesystem::path file_;
  Metrics metrics_;
};

}  // namespace warpmind::agents::benchmark
