#include "clients/cli/report/export_report.h"

#include "clients/cli/report/units.h"

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

std::string left_out(std::int64_t n, const std::string& thing, const std::string& why) {
  return n == 0 ? "" : "  left out: " + format_count_noun(n, thing) + " " + why + "\n";
}

}  // namespace

std::string render_written(const protocol::ExportWriteResult& r, const Style& style) {
  std::string text = style.paint.strong(format_count_noun(r.lines, "line")) + " of " +
                     format_count_noun(r.episodes, "episode") + " and " +
                     format_count_noun(r.tasks, "task") + " written to " + clean_line(r.file) +
                     " (" + format_bytes(static_cast<double>(r.bytes)) + ", sha256 " +
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
  std::string text = clean_line(file) + ": " + format_count_noun(r.lines, "line");
  for (std::size_t i = 0; i < r.kinds.size(); ++i) {
    text += (i == 0 ? " of " : ", ") + clean_line(r.kinds[i]);
  }
  text += ", " +
          (r.problems == 0 ? style.paint.good("no problem")
                           : style.paint.bad(format_count_noun(r.problems, "problem"))) +
          "\n";
  for (const auto& note : r.notes) text += wrap("- " + clean_line(note), 2, style.columns);
  return text;
}

}  // namespace warpmind::clients
