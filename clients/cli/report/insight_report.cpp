#include "clients/cli/report/insight_report.h"

#include "base/sequence.h"
#include "base/text.h"
#include "clients/cli/report/table.h"
#include "clients/cli/report/units.h"

#include <cmath>

namespace warpmind::clients {
namespace {

std::string painted(InsightState state, const Paint& paint) {
  const std::string name(name_of(state));
  if (state == InsightState::confirmed) return paint.good(name);
  return is_offered(state) ? name : paint.bad(name);
}

std::string action_text(const InsightAction& action) {
  std::string text = join_text(action.techniques, ", then ", clean_line);
  if (action.parameters.empty()) return text;
  return text + (text.empty() ? "" : " with ") + clean_line(action.parameters);
}

std::string said_by(const Provenance& provenance) {
  std::string text = clean_line(provenance.source);
  if (!provenance.author.empty()) text += ", " + clean_line(provenance.author);
  if (!provenance.model.empty()) text += ", model " + clean_line(provenance.model);
  if (!provenance.toolkit.empty()) text += ", toolkit " + clean_line(provenance.toolkit);
  return text;
}

std::string moment(std::int64_t change, const UnixMillis& at) {
  return "change " + format_count(change) + ", " + format_moment(at.value);
}

std::string heading(const Insight& insight, const Paint& paint) {
  std::string text = paint.strong(clean_line(insight.id.str())) + "  " +
                     std::string(name_of(insight.kind)) + ", " + painted(insight.state, paint) +
                     ", trust " + std::string(name_of(insight.trust));
  if (insight.pinned) text += ", pinned";
  return text + "\n";
}

}  // namespace

std::string short_id(const InsightId& id) { return clean_line(id.str()).substr(0, 10); }

std::string gain_of(const Utility& utility) {
  if (utility.observations == 0) return "not measured here";
  return format_ratio(std::exp(utility.mean)) + " (" + format_ratio(std::exp(utility.low)) +
         " to " + format_ratio(std::exp(utility.high)) + ")";
}

std::string capability_text(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

std::string capability_range(int low, int high) {
  if (low == 0 && high == 0) return {};
  if (low == high) return capability_text(low);
  if (high == 0) return "from " + capability_text(low);
  if (low == 0) return "up to " + capability_text(high);
  return capability_text(low) + " to " + capability_text(high);
}

std::string scope_text(const InsightScope& scope) {
  std::vector<std::string> parts;
  const auto add = [&parts](std::string text) {
    if (!text.empty()) parts.push_back(std::move(text));
  };
  add(join_text(scope.operator_families, ", ", clean_line));
  add(join_text(enum_names(scope.dtypes), ", ", clean_line));
  add(join_text(enum_names(scope.bottlenecks), ", ", clean_line));
  const std::string capabilities = capability_range(scope.capability_min, scope.capability_max);
  if (!capabilities.empty()) add("compute capability " + capabilities);
  add(scope.device);
  if (!scope.contracts.empty())
    add("where " + join_text(scope.contracts, " and ", clean_line) + " is allowed");
  return parts.empty() ? "everywhere" : join_text(parts, "; ", clean_line);
}

std::string render_search(const RetrievalAnswer& result, const Style& style) {
  std::string text;
  std::size_t rank = 0;
  for (const auto& found : result.insights) {
    text += std::to_string(++rank) + "  " + style.paint.strong(short_id(found.id)) + "  " +
            painted(found.state, style.paint) + " " + std::string(name_of(found.trust)) +
            (found.kind == InsightKind::positive ? "" : ", " + std::string(name_of(found.kind))) +
            "  " + gain_of(found.utility) + "  " + action_text(found.action) + "\n" +
            wrap(clean_line(found.claim), 3, style.columns) +
            wrap("(" + clean_line(found.why) + ")", 3, style.columns);
  }
  if (result.insights.empty()) {
    text +=
        wrap(result.note.empty() ? "nothing applies" : clean_line(result.note), 0, style.columns);
  }
  return text + format_count(static_cast<std::int64_t>(result.insights.size())) + " of " +
         format_count(result.candidates) + " candidates; " + format_count(result.documents) +
         " in the index\n";
}

std::string render_insight(const Insight& insight, const Style& style) {
  std::string text =
      heading(insight, style.paint) + wrap(clean_line(insight.claim), 2, style.columns);
  if (!insight.mechanism.empty()) {
    text += wrap("because: " + clean_line(insight.mechanism), 2, style.columns);
  }
  Table table({Align::left, Align::left});
  const auto add = [&table](const char* name, std::string value) {
    if (!value.empty()) table.add({name, std::move(value)});
  };
  add("do", action_text(insight.action));
  add("holds", scope_text(insight.scope));
  add("gain", gain_of(insight.utility) +
                  (insight.utility.observations == 0
                       ? ""
                       : ", " + format_count(insight.utility.observations) + " observations"));
  add("state", std::string(name_of(insight.state)) +
                   (insight.state_reason.empty() ? "" : ": " + clean_line(insight.state_reason)));
  add("said by", said_by(insight.provenance));
  add("licence", clean_line(insight.provenance.licence));
  add("space", clean_line(insight.space));
  if (!insight.supersedes.empty()) {
    std::vector<std::string> ids;
    for (const auto& id : insight.supersedes) ids.push_back(short_id(id));
    add("replaces", join_text(ids, ", ", clean_line));
  }
  if (!insight.superseded_by.empty()) add("replaced by", short_id(insight.superseded_by));
  add("made", moment(insight.created, insight.created_at));
  add("changed", moment(insight.changed, insight.changed_at));
  return text + table.render(2);
}

std::string render_changed(const Insight& insight, const std::string& what, const Style& style) {
  return what + " " + heading(insight, style.paint) +
         wrap(clean_line(insight.claim), 2, style.columns) +
         wrap("holds: " + scope_text(insight.scope), 2, style.columns);
}

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

std::string lift_section(const LiftEstimate& lift, const Style& style) {
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

std::string entries_table(const std::vector<HistoryEntry>& entries) {
  Table table({Align::right, Align::left, Align::left, Align::left, Align::left});
  table.add({"change", "at", "by", "what", ""});
  for (const auto& entry : entries) {
    std::string what =
        clean_line(entry.summary.empty() ? std::string(name_of(entry.op)) : entry.summary);
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
