#include "clients/cli/commands/skill_commands.h"

#include "base/codec/json_guard.h"
#include "base/file.h"
#include "base/text.h"
#include "clients/cli/commands/asking.h"
#include "clients/cli/report/skill_text.h"
#include "clients/cli/report/table.h"
#include "clients/cli/report/units.h"
#include "daemon/protocol/skill_messages.h"

#include <algorithm>
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

/// Checks skills one after the other and tells of each as it ends.
class SkillRound {
 public:
  SkillRound(Session& session, DaemonClient& client) : session_(session), client_(client) {}

  /// Errors: of the connection. What the daemon says of one skill is its result.
  Result<void> check(const SkillSummary& skill, const std::string& device) {
    protocol::SkillCheckParams params;
    params.device = device;
    if (is_of_pack(skill)) {
      params.name = skill.name;
      params.source = skill.source;
    } else {
      params.directory = skill.folder;
    }
    const auto checked = client_.call(protocol::kSkillCheck, params, kNoTimeout);
    const std::string name = skill.name + " (" + (is_of_pack(skill) ? skill.source : "yours") + ")";
    if (checked) {
      tell(name, *checked, detail_of(*checked));
    } else if (client_.connected()) {
      tell(name, {skill, {}, false}, checked.error().message);
    } else {
      return tl::unexpected(checked.error());
    }
    return {};
  }

  /// A folder that cannot be read as a skill, or whose name is taken.
  void refuse(const RefusedSkillFolder& refused) {
    SkillSummary skill;
    skill.folder = refused.folder;
    skill.source = "folder";
    tell(refused.folder, {skill, {}, false}, refused.reason);
  }

  ExitCode end(const std::string& folder) {
    if (session_.console.json) {
      write_document(session_.console,
                     codec::dump_json({{"skills", entries_}, {"passed", failed_ == 0}}));
    } else if (entries_.empty()) {
      session_.console.out << "you have no skills of your own in " << clean_line(folder)
                           << ", and no pack brought one\n";
    } else {
      session_.console.out << entries_.size() - failed_ << " passed, " << failed_ << " failed\n";
    }
    session_.console.out << std::flush;
    return failed_ == 0 ? ExitCode::ok : ExitCode::negative;
  }

 private:
  static std::string detail_of(const protocol::SkillCheckResult& checked) {
    const auto failed = std::find_if(checked.tests.begin(), checked.tests.end(),
                                     [](const SkillTestReport& test) { return !test.passed; });
    if (failed != checked.tests.end()) return failed->test + ": " + failed->detail;
    return format_count_noun(static_cast<std::int64_t>(checked.tests.size()), "test");
  }

  void tell(const std::string& name, const protocol::SkillCheckResult& checked,
            const std::string& detail) {
    if (!checked.passed) ++failed_;
    // Encoded a moment ago: it is JSON.
    auto entry = *codec::parse_json(protocol::encode(checked));
    entry["detail"] = detail;
    entries_.push_back(std::move(entry));
    if (session_.console.json) return;
    session_.console.out << (checked.passed ? "passed  " : "FAILED  ") << clean_line(name) << ": "
                         << clean_line(detail) << "\n"
                         << std::flush;
  }

  Session& session_;
  DaemonClient& client_;
  nlohmann::json entries_ = nlohmann::json::array();
  std::size_t failed_ = 0;
};

/// All that the list shows except shipped skills. What it refuses of packs (a name that is taken, a
/// source in quarantine) is left out.
ExitCode check_all(Session& session, const std::string& device) {
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  tell_of_long_waits(session, *client);
  const auto list = client->call(protocol::kSkillList, protocol::Empty{});
  if (!list) return report_call_error(session, *client, list.error());
  SkillRound round(session, *client);
  for (const auto& skill : list->skills) {
    if (skill.source == "shipped") continue;
    const auto checked = round.check(skill, device);
    if (!checked) return report_call_error(session, *client, checked.error());
  }
  for (const auto& refused : list->refused) {
    if (fs::path(refused.folder).is_absolute()) round.refuse(refused);
  }
  return round.end(list->folder);
}

ExitCode run_one(Session& session, const SkillCheckOptions& options) {
  if (options.all) return check_all(session, options.device);
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

std::string render_removed(const protocol::SkillRemoveResult& reply) {
  std::string text;
  if (!reply.folder.empty()) {
    text += reply.folder_stays ? "removed from " + clean_line(reply.folder) +
                                     ", which holds other files and stays\n"
                               : "removed " + clean_line(reply.folder) + "\n";
  }
  for (const auto& source : reply.sources) {
    text += "removed from the base: what came with " + clean_line(source) + "\n";
  }
  return text;
}

ExitCode run_one(Session& session, const SkillRemoveOptions& options) {
  return ask(session, protocol::kSkillRemove, {options.name, options.source}, render_removed);
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
