#include "clients/cli/report/doctor_report.h"

#include "base/codec/json_guard.h"
#include "base/codec/json_types.h"

#include <algorithm>

namespace warpmind::clients {

// Found by nlohmann through argument-dependent lookup. `name` and `state` must be there.
static void from_json(const nlohmann::json& j, Finding& finding) {
  j.at("name").get_to(finding.name);
  j.at("state").get_to(finding.state);
  finding.needed = j.value("needed", false);
  finding.detail = j.value("detail", "");
  finding.remedy = j.value("remedy", "");
}

bool Findings::usable() const {
  return std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.needed && finding.state == FindingState::missing;
  });
}

Result<Findings> parse_findings(std::string_view json_text) {
  static constexpr const char* kWhat = "answer of `warpmindd --doctor`";
  auto document = codec::parse_json(json_text);
  if (!document) return fail(std::move(document).error().while_doing(kWhat));
  if (!document->is_object() || !document->contains("findings")) {
    return fail(Errc::corrupt_data, std::string(kWhat) +
                                        ": it holds no findings; client and "
                                        "daemon must be of one version");
  }
  Findings findings;
  WARPMIND_TRY(findings.findings,
               codec::from_json<std::vector<Finding>>((*document)["findings"], kWhat));
  findings.document = codec::dump_json(*document);
  return findings;
}

std::string render_findings(const Findings& findings, const Paint& paint, std::size_t columns) {
  std::size_t widest = 0;
  for (const auto& finding : findings.findings) {
    widest = std::max(widest, columns_of(clean_line(finding.name)));
  }
  std::string text;
  for (const auto& finding : findings.findings) {
    const std::string name = clean_line(finding.name);
    const std::string word(name_of(finding.state));
    const bool bad = finding.state == FindingState::missing && finding.needed;
    const std::string state = word + std::string(8 - std::min<std::size_t>(word.size(), 8), ' ');
    text += (finding.state == FindingState::ok ? paint.good(state)
             : bad                             ? paint.bad(state)
                                               : paint.strong(state)) +
            "  " + name + std::string(widest - columns_of(name), ' ') + "  " +
            clean_line(finding.detail) + (bad ? " (needed)" : "") + "\n";
    if (finding.state != FindingState::ok && !finding.remedy.empty()) {
      text += wrap("-> " + clean_line(finding.remedy), 10, columns);
    }
  }
  const bool all_ok =
      std::all_of(findings.findings.begin(), findings.findings.end(),
                  [](const Finding& finding) { return finding.state == FindingState::ok; });
  if (!findings.usable()) {
    text +=
        "\nSomething that is needed is missing: no kernel can be judged here until it is fixed.\n";
  } else {
    text += all_ok ? "\nEverything works.\n"
                   : "\nEverything that is needed works; the rest limits what can be measured.\n";
  }
  return text;
}

}  // namespace warpmind::clients
