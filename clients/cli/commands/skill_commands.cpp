#include "clients/cli/commands/skill_commands.h"

#include "base/file.h"
#include "clients/cli/commands/asking.h"
#include "clients/cli/report/skill_text.h"
#include "clients/cli/report/table.h"
#include "daemon/protocol/skill_messages.h"

#include <filesystem>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;
namespace fs = std::filesystem;

bool is_of_pack(const SkillSummary& skill) { return skill.source.starts_with("pack:"); }

std::string signature_of(const SkillSummary& skill) {
  if (skill.signer.empty()) return "not signed";
  return "signed by " + clean_line(skill.signer) +
         (skill.signer_known ? ", a trusted key" : ", which is no trusted key");
}

std::string head_of(const SkillSummary& skill, const Style& style) {
  std::string text = style.paint.strong(clean_line(skill.name)) + "  (" + clean_line(skill.form) +
                     ")\n" + wrap(clean_line(skill.summary), 2, style.columns);
  if (!skill.parameters.empty()) {
    text += wrap("parameters: " + clean_line(skill.parameters), 2, style.columns);
  }
  text += wrap("origin: " + clean_line(skill.origin) + "; " + clean_line(skill.licence), 2,
               style.columns);
  if (!skill.folder.empty()) text += wrap("in " + clean_line(skill.folder), 2, style.columns);
  if (!is_of_pack(skill)) return text;
  text +=
      wrap("came with " + clean_line(skill.source) + ", " + signature_of(skill), 2, style.columns);
  std::string trust = "trust " + clean_line(skill.trust);
  if (!skill.vouched_by.empty()) trust += ": " + clean_line(skill.vouched_by) + " trusts it";
  if (!skill.checked_on.empty()) trust += "; checked here on " + clean_line(skill.checked_on);
  text += wrap(trust, 2, style.columns);
  if (!skill.withheld.empty()) {
    text += wrap("not used: " + clean_line(skill.withheld), 2, style.columns);
  }
  return text;
}

std::string render_list(const protocol::SkillListResult& list, const Style& style) {
  Table table({Align::left, Align::left, Align::left, Align::left});
  table.add({"skill", "form", "from", "why it can help"});
  for (const auto& skill : list.skills) {
    std::string from = skill.source == "folder" ? "yours" : clean_line(skill.source);
    if (is_of_pack(skill)) from = "a pack, " + clean_line(skill.trust);
    table.add({clean_line(skill.name), clean_line(skill.form), from, clean_line(skill.summary)});
  }
  std::string text = table.render(0, style.columns);
  for (const auto& skill : list.skills) {
    if (skill.withheld.empty()) continue;
    text += wrap("not used: " + clean_line(skill.name) + " of " + clean_line(skill.source) + ": " +
                     clean_line(skill.withheld),
                 0, style.columns);
  }
  for (const auto& refused : list.refused) {
    text += wrap("not used: " + clean_line(refused.folder) + ": " + clean_line(refused.reason), 0,
                 style.columns);
  }
  return text + "Your own skills are read from " + clean_line(list.folder) + "\n";
}

std::string render_check(const protocol::SkillCheckResult& result, const Style& style) {
  std::string text = head_of(result.skill, style);
  std::size_t failed = 0;
  for (const auto& test : result.tests) {
    text += wrap(std::string(test.passed ? "passed  " : "FAILED  ") + clean_line(test.test) + ": " +
                     clean_line(test.detail),
                 2, style.columns);
    if (!test.passed) ++failed;
  }
  text += std::to_string(result.tests.size() - failed) + " passed, " + std::to_string(failed) +
          " failed\n";
  if (is_of_pack(result.skill) && result.passed && result.skill.withheld.empty()) {
    text += "episodes use it from now on\n";
  }
  return text;
}

Result<void> write_files(const fs::path& folder, const std::map<std::string, std::string>& files) {
  WARPMIND_CHECK(make_output_directory(folder / "tests"));
  for (const auto& [name, text] : files) {
    const fs::path path = fs::path(name).lexically_normal();
    if (path.is_absolute() || path.begin()->string() == "..") {
      return fail(Errc::corrupt_data, "the skill holds a file named '" + name + "'");
    }
    WARPMIND_CHECK(write_output_file(folder / path, text));
  }
  return {};
}

/// Asks for a skill's files and writes them to a new folder.
template <class Params>
ExitCode write_skill(Session& session,
                     const protocol::Method<Params, protocol::SkillShowResult>& method,
                     const Params& params, const std::string& folder) {
  std::error_code ec;
  if (fs::exists(folder, ec)) {
    return report_error(session.console,
                        {Errc::conflict, folder + " is there already; name a new folder"},
                        ExitCode::bad_input);
  }
  const auto tell = [&](const protocol::SkillShowResult& reply) {
    return folder + ": " + std::to_string(reply.files.size()) +
           " files; next: " + session.console.program + " skill check " + folder + "\n";
  };
  const auto write = [&](const protocol::SkillShowResult& reply) {
    const auto written = write_files(folder, reply.files);
    if (written) return ExitCode::ok;
    session.console.err << "warpmind: " << written.error().message << "\n";
    return ExitCode::bad_input;
  };
  return ask(session, method, params, kNoTimeout, tell, write);
}

ExitCode run_one(Session& session, const SkillPrintOptions& /*options*/) {
  session.console.out << skill_text() << std::flush;
  return ExitCode::ok;
}

ExitCode run_one(Session& session, const SkillListOptions& /*options*/) {
  return ask(session, protocol::kSkillList, protocol::Empty{}, [&session](const auto& reply) {
    return render_list(reply, style_of(session.console));
  });
}

ExitCode run_one(Session& session, const SkillShowOptions& options) {
  return ask(session, protocol::kSkillShow, {options.name, options.source},
             [&session](const auto& reply) {
               const Style style = style_of(session.console);
               const auto notes = reply.files.find("notes.md");
               std::string text = head_of(reply.skill, style);
               if (notes != reply.files.end()) text += "\n" + clean(notes->second);
               return text;
             });
}

ExitCode run_one(Session& session, const SkillNewOptions& options) {
  const std::string folder = options.folder.empty() ? options.name : options.folder;
  return write_skill(session, protocol::kSkillDraft, {options.name, options.from}, folder);
}

ExitCode run_one(Session& session, const SkillExportOptions& options) {
  return write_skill(session, protocol::kSkillShow, {options.name, options.source}, options.folder);
}

ExitCode run_one(Session& session, const SkillCheckOptions& options) {
  protocol::SkillCheckParams params;
  std::error_code error;
  const bool is_path = options.source.empty() && (fs::exists(options.subject, error) ||
                                                  options.subject.find('/') != std::string::npos);
  (is_path ? params.directory : params.name) =
      is_path ? absolute_path(options.subject) : options.subject;
  params.source = options.source;
  params.device = options.device;
  return ask(
      session, protocol::kSkillCheck, params, kNoTimeout,
      [&session](const auto& reply) { return render_check(reply, style_of(session.console)); },
      [](const auto& reply) { return reply.passed ? ExitCode::ok : ExitCode::bad_input; });
}

ExitCode run_one(Session& session, const SkillAddOptions& options) {
  return ask(session, protocol::kSkillAdd, {absolute_path(options.folder), {}},
             [](const auto& reply) {
               return "added to " + clean_line(reply.folder) + "; episodes use it from now on\n";
             });
}

ExitCode run_one(Session& session, const SkillTrustOptions& options) {
  return ask(session, protocol::kSkillTrust,
             {options.name, options.source, options.withdraw, options.reason},
             [&session](const auto& reply) {
               return head_of(reply.skill, style_of(session.console)) +
                      (reply.skill.withheld.empty() ? "episodes use it from now on\n" : "");
             });
}

}  // namespace

ExitCode run_command(Session& session, const SkillOptions& options) {
  return std::visit([&](const auto& one) { return run_one(session, one); }, options);
}

}  // namespace warpmind::clients
