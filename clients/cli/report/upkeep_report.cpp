#include "clients/cli/report/upkeep_report.h"

#include "clients/cli/report/table.h"
#include "clients/cli/report/units.h"

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

std::string counted(std::int64_t n, const char* one, const char* many) {
  return format_count(n) + " " + (n == 1 ? one : many);
}

std::string notes_text(const std::vector<std::string>& notes, const Style& style) {
  std::string text;
  for (const auto& note : notes) text += wrap(clean_line(note), 2, style.columns);
  return text;
}

std::string size_and_change(const BackupInfo& backup) {
  return format_bytes(static_cast<double>(backup.bytes)) + ", up to change " +
         format_count(backup.sequence);
}

}  // namespace

std::string render_verify(const VerifyReport& result, const Style& style) {
  const std::string what = counted(result.records, "record", "records") + " and " +
                           counted(result.changes, "change", "changes") + " checked in " +
                           format_duration(result.seconds) + "\n";
  if (result.problems == 0) return style.paint.good("sound") + ": " + what;
  return style.paint.bad(counted(result.problems, "problem", "problems")) + ": " + what +
         notes_text(result.notes, style);
}

std::string render_rebuild(const RebuildReport& result, const Style& style) {
  std::string text = counted(result.changes, "change", "changes") + " replayed, " +
                     counted(result.records, "record", "records") + " written in " +
                     format_duration(result.seconds) + "\n";
  if (result.identical) return text + "every byte is as it was before\n";
  return text + style.paint.bad("not as before") + ", and right now:\n" +
         notes_text(result.differences, style);
}

std::string render_compact(const protocol::KbCompactResult& result) {
  return format_bytes(static_cast<double>(result.disk_bytes_before)) + " before, " +
         format_bytes(static_cast<double>(result.disk_bytes)) + " now\n";
}

std::string render_backup(const BackupInfo& backup, const std::string& what) {
  return what + ": number " + std::to_string(backup.id) + ", " + size_and_change(backup) + ", in " +
         format_duration(backup.seconds) + "\n";
}

std::string render_copy(const BackupInfo& backup, const std::string& what) {
  std::string text = what + ": " + size_and_change(backup);
  if (backup.id != 0) text += ", from backup " + std::to_string(backup.id);
  return text + ", in " + format_duration(backup.seconds) + "\n";
}

std::string render_backups(const protocol::KbBackupsResult& result) {
  if (result.backups.empty()) return "no backups there\n";
  Table table({Align::right, Align::left, Align::right, Align::right});
  table.add({"id", "at", "change", "size"});
  for (const auto& backup : result.backups) {
    table.add({std::to_string(backup.id), clean_line(backup.at), format_count(backup.sequence),
               format_bytes(static_cast<double>(backup.bytes))});
  }
  return table.render(0);
}

std::string render_export(const PackReport& result, const std::string& file, const Style& style) {
  const std::string techniques = counted(result.techniques, "technique", "techniques");
  std::string text = counted(result.insights, "insight", "insights");
  if (result.skills == 0) {
    text += " and " + techniques;
  } else {
    text += ", " + techniques + " and " + counted(result.skills, "skill", "skills");
  }
  text += " written to " + clean_line(file) + "\n";
  if (!result.pack.empty()) text += "pack " + clean_line(result.pack);
  if (result.is_signed) text += ", signed by " + clean_line(result.signer);
  if (text.back() != '\n') text += "\n";
  return text + notes_text(result.notes, style);
}

std::string render_import(const PackReport& result, const Style& style) {
  std::string text = counted(result.added, "new claim", "new claims") + ", " +
                     format_count(result.confirmed) + " attested once more, " +
                     format_count(result.unchanged) + " known already";
  if (result.refused > 0) text += ", " + style.paint.bad(format_count(result.refused) + " refused");
  text += "\n";
  if (!result.pack.empty()) text += "source pack:" + clean_line(result.pack);
  if (!result.origin.empty()) text += ", from base " + clean_line(result.origin);
  if (!result.pack.empty() || !result.origin.empty()) {
    text += result.is_signed ? ", signed by " + clean_line(result.signer) : ", not signed";
  }
  if (text.back() != '\n') text += "\n";
  if (result.skills > 0) {
    text += counted(result.skills, "skill", "skills") +
            " in it; `warpmind skill list` shows what episodes use\n";
  }
  if (text.back() != '\n') text += "\n";
  return text + notes_text(result.notes, style);
}

}  // namespace warpmind::clients
