#include "clients/cli/report/insight_report.h"
#include "clients/cli/report/table.h"
#include "clients/cli/report/units.h"

#include <cmath>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;
constexpr std::size_t kSentence = 60;  // columns of a sentence in a table

std::string evidence_section(const Insight& insight, const Style& style) {
  std::string text = "\n" + style.paint.strong("evidence measured here") + "\n";
  if (insight.evidence.empty()) return text + "  none: this is a claim\n";
  Table table({Align::left, Align::right, Align::left, Align::right, Align::left, Align::left,
               Align::left});
  table.add({"episode", "step", "says", "gain", "provider", "device", "task"});
  for (const auto& evidence : insight.evidence) {
    std::string gain = evidence.log_gain == 0 ? "-" : format_ratio(std::exp(evidence.log_gain));
    if (!evidence.confirmed) gain += "?";
    table.add({clean_line(evidence.episode.str()), std::to_string(evidence.step),
               evidence.supports ? "for" : "against", gain, std::string(name_of(evidence.provider)),
               clean_line(evidence.device),
               clean_line(evidence.operator_family) + " " + clean_line(evidence.task.str())});
  }
  text += table.render(2);
  const auto older =
      insight.utility.observations - static_cast<std::int64_t>(insight.evidence.size());
  if (older > 0) text += "  and " + format_count(older) + " older ones, in the gain above\n";
  return text;
}

std::string attestation_section(const Insight& insight, const Style& style) {
  if (insight.attestations.empty()) return {};
  Table table({Align::left, Align::left, Align::right, Align::right, Align::right});
  table.add({"base", "state", "for", "against", "gain"});
  for (const auto& attestation : insight.attestations) {
    table.add({clean_line(attestation.origin), std::string(name_of(attestation.state)),
               format_count(attestation.supports), format_count(attestation.contradicts),
               attestation.supports + attestation.contradicts == 0
                   ? std::string("-")
                   : format_ratio(std::exp(attestation.mean_log_gain))});
  }
  return "\n" + style.paint.strong("what other bases say") + " (no evidence here)\n" +
         table.render(2);
}

std::string lift_section(const protocol::KbLift& lift, const Style& style) {
  std::string text = "\n" + style.paint.strong("worth of showing it") + "\n";
  if (lift.known) {
    text += "  " + format_ratio(std::exp(lift.lift)) +
            " (95 %: " + format_ratio(std::exp(lift.low)) + " to " +
            format_ratio(std::exp(lift.high)) + "): steps that saw it against steps that did not\n";
  } else {
    text += "  not known yet\n";
  }
  return text + "  " + format_count(lift.shown) + " steps saw it, from " +
         format_count(lift.withheld) + " it was withheld at random\n";
}

std::string entries_table(const std::vector<protocol::KbHistoryEntry>& entries) {
  Table table({Align::right, Align::left, Align::left, Align::left, Align::left});
  table.add({"change", "at", "by", "what", ""});
  for (const auto& entry : entries) {
    std::string what = clean_line(entry.summary.empty() ? entry.op : entry.summary);
    if (entry.undone) what.insert(0, "[undone] ");
    table.add({std::to_string(entry.change), format_moment(entry.at.value), clean_line(entry.actor),
               clip(what, kSentence), clip(clean_line(entry.reason), kSentence)});
  }
  return table.render(2);
}

}  // namespace

std::string render_why(const protocol::KbWhyResult& result, const Style& style) {
  return render_insight(result.insight, style) + evidence_section(result.insight, style) +
         attestation_section(result.insight, style) + lift_section(result.lift, style) + "\n" +
         style.paint.strong("decisions") + "\n" + entries_table(result.decisions);
}

std::string render_history(const protocol::KbHistoryResult& result, const Style& style) {
  return style.paint.strong(clean_line(result.id)) + "\n" + entries_table(result.entries);
}

std::string render_blame(const protocol::KbHistoryResult& result, const Style& style) {
  Table table({Align::right, Align::left, Align::left, Align::left});
  table.add({"change", "by", "field", "value"});
  for (const auto& line : result.blame) {
    table.add({std::to_string(line.change), clean_line(line.actor), clean_line(line.field),
               clip(clean_line(line.value), style.columns)});
  }
  return style.paint.strong(clean_line(result.id)) + "\n" + table.render(2);
}

}  // namespace warpmind::clients
