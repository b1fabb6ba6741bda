#include "knowledge_base/packs/markdown_text.h"

#include "base/enum_names.h"
#include "base/sequence.h"
#include "base/text.h"

#include <cctype>
#include <cmath>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {
namespace {

/// A name as part of a path. Names have passed the rules; a path may still not leave its folder.
std::string path_part(std::string_view name) {
  std::string part;
  for (const char c : name) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    part.push_back(fits ? c : '_');
  }
  return part.empty() ? "_" : part;
}

/// A text in double quotes, as YAML takes it.
std::string yaml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result.push_back('\\');
    result.push_back(static_cast<unsigned char>(c) < 0x20U ? ' ' : c);
  }
  return result + "\"";
}

std::string list(const std::vector<std::string>& values) {
  std::string text = "[";
  for (const auto& value : values) text += (text.size() > 1 ? ", " : "") + yaml_string(value);
  return text + "]";
}

std::string line(std::string_view name, const std::string& value) {
  return std::string(name) + ": " + value + "\n";
}
/// Nothing for an empty value.
std::string line_if(std::string_view name, const std::string& value) {
  return value.empty() ? "" : line(name, yaml_string(value));
}
std::string line_if(std::string_view name, const std::vector<std::string>& values) {
  return values.empty() ? "" : line(name, list(values));
}

std::string capability(int bound) {
  return bound == 0 ? "" : std::to_string(bound / 10) + "." + std::to_string(bound % 10);
}

std::string paragraph(std::string_view title, const std::string& text) {
  return text.empty() ? "" : "\n## " + std::string(title) + "\n\n" + text + "\n";
}

std::string evidence_table(const std::vector<EvidenceRef>& evidence) {
  if (evidence.empty()) return {};
  std::string text =
      "\n## Evidence\n\n| episode | step | device | provider | speaks | gain "
      "|\n|---|---|---|---|---|---|\n";
  for (const auto& seen : evidence) {
    text += "| " + seen.episode.str() + " | " + std::to_string(seen.step) + " | " + seen.device +
            " | " + std::string(name_of(seen.provider)) + " | " +
            (seen.supports ? "for" : "against") + " | " +
            (seen.log_gain == 0 ? "-" : log_factor_text(seen.log_gain)) + " |\n";
  }
  return text;
}

std::string attestation_table(const std::vector<Attestation>& attestations) {
  if (attestations.empty()) return {};
  std::string text =
      "\n## Other bases\n\n| base | state | for | against | mean gain |\n|---|---|---|---|---|\n";
  for (const auto& said : attestations) {
    text += "| " + said.origin + " | " + std::string(name_of(said.state)) + " | " +
            std::to_string(said.supports) + " | " + std::to_string(said.contradicts) + " | " +
            log_factor_text(said.mean_log_gain) + " |\n";
  }
  return text;
}

}  // namespace

std::string markdown_of(const Technique& technique) {
  std::string text = "---\nwarpmind: technique\n";
  text += line("name", yaml_string(technique.name));
  text += line("category", yaml_string(technique.category));
  text += line_if("bottlenecks", enum_names(technique.bottlenecks));
  text += line_if("capability_min", capability(technique.capability_min));
  text += line_if("capability_max", capability(technique.capability_max));
  text += line_if("aliases", technique.aliases);
  text += line("typical_gain", "[" + fixed(technique.typical_low, 2) + ", " +
                                   fixed(technique.typical_high, 2) + "]");
  text += line_if("source", technique.source);
  text += line("edited", technique.edited ? "true" : "false");
  text += "---\n\n# " + technique.title + "\n";
  text += paragraph("When", technique.when) + paragraph("When not", technique.when_not) +
          paragraph("How", technique.how);
  if (!technique.parameters.empty()) {
    text += "\n## Parameters\n\n";
    for (const auto& parameter : technique.parameters) text += "- " + parameter + "\n";
  }
  text += paragraph("Risks", technique.risks);
  if (!technique.generations.empty()) {
    text += "\n## Generations\n\n";
    for (const auto& [name, note] : technique.generations) {
      text += "- " + name;
      text += ": " + note + "\n";
    }
  }
  return text;
}

std::string markdown_of(const Insight& insight) {
  const InsightScope& scope = insight.scope;
  std::string text = "---\nwarpmind: insight\n";
  text += line("id", insight.id.str());
  text += line("kind", std::string(name_of(insight.kind)));
  text += line("state", std::string(name_of(insight.state)));
  text += line("trust", std::string(name_of(insight.trust)));
  text += line("pinned", insight.pinned ? "true" : "false");
  text += line("space", yaml_string(insight.space));
  text += line_if("techniques", insight.action.techniques);
  text += line_if("parameters", insight.action.parameters);
  text += line_if("operator_families", scope.operator_families);
  text += line_if("dtypes", enum_names(scope.dtypes)) +
          line_if("bottlenecks", enum_names(scope.bottlenecks));
  text += line_if("capability_min", capability(scope.capability_min));
  text += line_if("capability_max", capability(scope.capability_max));
  text += line_if("device", scope.device) + line_if("contracts", scope.contracts);
  text += line_if("source", insight.provenance.source);
  text += line_if("author", insight.provenance.author);
  text += line_if("model", insight.provenance.model);
  text += line_if("licence", insight.provenance.licence);
  text += line("worth", "[" + log_factor_text(insight.utility.low) + ", " +
                            log_factor_text(insight.utility.mean) + ", " +
                            log_factor_text(insight.utility.high) + "]");
  text += line("observations", std::to_string(insight.utility.observations));
  text += "---\n\n" + insight.claim + "\n";
  text += paragraph("Why", insight.mechanism) + paragraph("State", insight.state_reason);
  return text + evidence_table(insight.evidence) + attestation_table(insight.attestations);
}

std::string markdown_path(const Technique& technique) {
  return "techniques/" + path_part(technique.name) + ".md";
}

std::string markdown_path(const Insight& insight) {
  const auto& techniques = insight.action.techniques;
  return "insights/" + (techniques.empty() ? "general" : path_part(techniques.front())) + "/" +
         path_part(insight.id.str()) + ".md";
}

}  // namespace warpmind::knowledge_base
