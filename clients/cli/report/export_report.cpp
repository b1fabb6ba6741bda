#include "clients/cli/report/export_report.h"

#include "clients/cli/report/units.h"

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

std::string counted_things(std::int64_t n, const std::string& thing) {
  return format_count(n) + " " + thing + (n == 1 ? "" : "s");
}

std::string left_out(std::int64_t n, const std::string& thing, const std::string& why) {
  return n == 0 ? "" : "  left out: " + counted_things(n, thing) + " " + why + "\n";
}

}  // namespace

std::string render_written(const protocol::ExportWriteResult& r, const Style& style) {
  std::string text = style.paint.strong(counted_things(r.lines, "line")) + " of " +
                     counted_things(r.episodes, "episode") + " and " +
                     counted_things(r.tasks, "task") + " written to " + clean_line(r.file) + " (" +
                     format_bytes(static_cast<double>(r.bytes)) + ", sha256 " +
                     clean_line(r.sha256).substr(0, 16) + "…)\n";
  text += left_out(r.heldout, "attempt", "of held-out tasks, or with their kernels");
  text += left_out(r.other_provider, "episode", "of another provider");
  text += left_out(r.no_reasoning, "attempt", "without reasoning text");
  text += left_out(r.duplicates, "duplicate", "of a kernel that is in already");
  text += left_out(r.unbalanced, "pick", "beyond the balance of single and fused operators");
  for (const auto& note : r.notes) text += wrap("- " + clean_line(note), 2, style.columns);
  return text;
}

std::string render_checked(const protocol::ExportVerifyResult& r, const std::string& file,
                           const Style& style) {
  std::string text = clean_line(file) + ": " + counted_things(r.lines, "line");
  for (std::size_t i = 0; i < r.kinds.size(); ++i) {
    text += (i == 0 ? " of " : ", ") + clean_line(r.kinds[i]);
  }
  text += ", " +
          (r.problems == 0 ? style.paint.good("no problem")
                           : style.paint.bad(counted_things(r.problems, "problem"))) +
          "\n";
  for (const auto& note : r.notes) text += wrap("- " + clean_line(note), 2, style.columns);
  return text;
}

}  // namespace warpmind::clients
