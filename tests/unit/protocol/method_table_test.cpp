#include "daemon/protocol/method_table.h"

#include "base/file.h"
#include "daemon/protocol/analysis_messages.h"
#include "daemon/protocol/dashboard_messages.h"
#include "daemon/protocol/editor_messages.h"
#include "daemon/protocol/error_codec.h"
#include "daemon/protocol/flops_messages.h"
#include "daemon/protocol/guest_messages.h"
#include "daemon/protocol/kernel_messages.h"
#include "daemon/protocol/knowledge_messages.h"
#include "daemon/protocol/log_messages.h"
#include "daemon/protocol/message_codec.h"
#include "daemon/protocol/program_messages.h"
#include "daemon/protocol/program_task_messages.h"
#include "daemon/protocol/queue_messages.h"
#include "daemon/protocol/record_messages.h"
#include "daemon/protocol/skill_messages.h"
#include "daemon/protocol/upkeep_messages.h"

#include <ostream>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpmind::daemon::protocol {
namespace {

std::set<std::string> names(std::span<const FieldSpec> fields) {
  std::set<std::string> all;
  for (const auto& field : fields) all.emplace(field.name);
  return all;
}

std::set<std::string> members(const std::string& text) {
  std::set<std::string> all;
  const auto object = nlohmann::json::parse(text);
  for (const auto& [name, value] : object.items()) all.insert(name);
  return all;
}

void expect_fields(std::string_view method, const std::string& params, const std::string& result) {
  const auto* spec = find_method(method);
  ASSERT_NE(spec, nullptr) << method;
  EXPECT_EQ(names(spec->params), members(params)) << method;
  EXPECT_EQ(names(spec->result), members(result)) << method;
}

TEST(MethodTable, NamesExactlyTheMembersOfTheMessages) {
  expect_fields("greeting", encode(Greeting{}), "{}");
  expect_fields("hello", encode(HelloParams{}), encode(Greeting{}));
  expect_fields("status", "{}", encode(StatusResult{}));
  expect_fields("task.validate", encode(TaskValidateParams{}), encode(TaskValidateResult{}));
  expect_fields("task.admit", encode(TaskAdmitParams{}), "{}");
  expect_fields("task.submit", encode(TaskSubmitParams{}), encode(TaskSubmitResult{}));
  expect_fields("task.status", encode(TaskStatusParams{}), encode(TaskStatusResult{}));
  expect_fields("task.cancel", R"({"job_id":""})", encode(TaskCancelResult{}));
  expect_fields("task.result", R"({"job_id":""})", encode(TaskResultResult{}));
  expect_fields("task.progress", encode(ProgressParams{}), "{}");
  expect_fields("kb.stats", "{}", encode(KbStatsResult{}));
  expect_fields("shutdown", encode(ShutdownParams{}), "{}");
  expect_fields("$/cancelRequest", R"({"id":1})", "{}");
}

TEST(MethodTable, NamesExactlyTheMembersOfTheMessagesOfTheBase) {
  const std::string insight = encode(KbInsightResult{});
  const std::string pack = encode(PackReport{});
  const std::string copy = encode(BackupInfo{});
  expect_fields("kb.search", encode(KbSearchParams{}), encode(RetrievalAnswer{}));
  expect_fields("kb.show", encode(KbInsightParams{}), encode(KbShowResult{}));
  expect_fields("kb.why", encode(KbInsightParams{}), encode(KbWhyResult{}));
  expect_fields("kb.history", encode(KbHistoryParams{}), encode(KbHistoryResult{}));
  expect_fields("kb.add", encode(KbAddParams{}), insight);
  expect_fields("kb.edit", encode(KbEditParams{}), insight);
  expect_fields("kb.change", encode(KbChangeParams{}), insight);
  expect_fields("kb.supersede", encode(KbSupersedeParams{}), insight);
  expect_fields("kb.undo", encode(KbUndoParams{}), insight);
  expect_fields("kb.sources", "{}", encode(KbSourcesResult{}));
  expect_fields("kb.set_source", encode(KbSourceParams{}), encode(KbSourcesResult{}));
  expect_fields("kb.techniques", encode(KbTechniquesParams{}), encode(KbTechniquesResult{}));
  expect_fields("kb.put_technique", encode(KbTechniqueParams{}), encode(KbTechniquesResult{}));
  expect_fields("kb.facts", encode(KbFactsParams{}), encode(KbFactsResult{}));
  expect_fields("kb.graph", encode(KbGraphParams{}), encode(KbGraphResult{}));
  expect_fields("kb.export_graph", encode(KbGraphExportParams{}), encode(KbGraphExportResult{}));
  expect_fields("kb.import_graph", encode(KbGraphImportParams{}), encode(KbGraphImportResult{}));
  expect_fields("kb.clusters", "{}", encode(KbClustersResult{}));
  expect_fields("kb.calibration", encode(KbCalibrationParams{}), encode(Calibration{}));
  expect_fields("kb.verify", encode(KbVerifyParams{}), encode(VerifyReport{}));
  expect_fields("kb.rebuild", "{}", encode(RebuildReport{}));
  expect_fields("kb.backup", encode(KbBackupParams{}), copy);
  expect_fields("kb.backups", encode(KbDirectoryParams{}), encode(KbBackupsResult{}));
  expect_fields("kb.restore", encode(KbRestoreParams{}), copy);
  expect_fields("kb.checkpoint", encode(KbDirectoryParams{}), copy);
  expect_fields("kb.compact", "{}", encode(KbCompactResult{}));
  expect_fields("kb.export", encode(KbExportParams{}), pack);
  expect_fields("kb.import", encode(KbImportParams{}), pack);
  expect_fields("kb.merge", encode(KbMergeParams{}), pack);
}

TEST(MethodTable, NamesExactlyTheMembersOfTheMessagesOfTheQueue) {
  const std::string jobs = encode(QueueJobsParams{});
  const std::string done = encode(QueueJobsResult{});
  expect_fields("queue.add", encode(QueueAddParams{}), encode(QueueAddResult{}));
  expect_fields("queue.list", encode(QueueListParams{}), encode(QueueListResult{}));
  expect_fields("queue.pause", jobs, done);
  expect_fields("queue.resume", jobs, done);
  expect_fields("queue.cancel", jobs, done);
  expect_fields("queue.move", encode(QueueMoveParams{}), "{}");
  expect_fields("queue.retry", jobs, done);
  expect_fields("queue.why", encode(QueueWhyParams{}), encode(QueueWhyResult{}));
  expect_fields("queue.rules", encode(QueueRulesParams{}), encode(QueueRulesResult{}));
  expect_fields("queue.report", encode(QueueReportParams{}), encode(QueueReportResult{}));
}

TEST(MethodTable, NamesExactlyTheMembersOfTheMessagesOfRecords) {
  expect_fields("episode.explain", encode(EpisodeExplainParams{}), encode(EpisodeExplainResult{}));
  expect_fields("export.write", encode(ExportWriteParams{}), encode(ExportWriteResult{}));
  expect_fields("export.verify", encode(ExportVerifyParams{}), encode(ExportVerifyResult{}));
}

TEST(MethodTable, NamesExactlyTheMembersOfTheMessagesOfExternalEpisodes) {
  // Optional members are written only when they are there.
  EpisodeSubmitResult feedback;
  feedback.promotion = Comparison{};
  feedback.gradient = Gradient{};
  const std::string brief = encode(EpisodeBrief{});
  expect_fields("episode.open", encode(EpisodeOpenParams{}), brief);
  expect_fields("episode.brief", encode(EpisodeParams{}), brief);
  expect_fields("episode.submit", encode(EpisodeSubmitParams{}), encode(feedback));
  expect_fields("episode.close", encode(EpisodeCloseParams{}), encode(EpisodeCloseResult{}));
}

TEST(MethodTable, NamesExactlyTheMembersOfTheMessagesOfPrograms) {
  expect_fields("moves.explain", encode(MovesExplainParams{}), encode(MovesExplainResult{}));
  expect_fields("skill.list", "{}", encode(SkillListResult{}));
  expect_fields("skill.show", encode(SkillShowParams{}), encode(SkillShowResult{}));
  expect_fields("skill.draft", encode(SkillDraftParams{}), encode(SkillShowResult{}));
  expect_fields("skill.check", encode(SkillCheckParams{}), encode(SkillCheckResult{}));
  expect_fields("skill.add", encode(SkillFolderParams{}), encode(SkillAddResult{}));
  expect_fields("skill.trust", encode(SkillTrustParams{}), encode(SkillTrustResult{}));
  expect_fields("skill.remove", encode(SkillRemoveParams{}), encode(SkillRemoveResult{}));
  expect_fields("flops.count", encode(FlopsCountParams{}), encode(FlopsCountResult{}));
  expect_fields("program.lift", encode(ProgramLiftParams{}), encode(LiftedProgram{}));
  expect_fields("program.rewrite", encode(ProgramRewriteParams{}), encode(ProgramRewriteResult{}));
}

TEST(MethodTable, NamesExactlyTheMembersOfTheMessagesOfEditorsAndProgramTasks) {
  expect_fields("episode.profile", encode(EpisodeProfileParams{}), encode(EpisodeProfileResult{}));
  expect_fields("kernel.analyze", encode(KernelAnalyzeParams{}), encode(KernelAnalysis{}));
  expect_fields("library.baseline", encode(LibraryBaselineParams{}),
                encode(LibraryBaselineResult{}));
  expect_fields("program_task.check", encode(ProgramTaskCheckParams{}), encode(ProgramCheck{}));
  expect_fields("episode.list", encode(EpisodeListParams{}), encode(EpisodeListResult{}));
  expect_fields("lsp.attach", "{}", encode(LspAttachResult{}));
  expect_fields("dashboard.open", "{}", encode(DashboardOpenResult{}));
  expect_fields("episode.roofline", encode(EpisodeRooflineParams{}),
                encode(EpisodeRooflineResult{}));
}

TEST(MethodTable, NamesExactlyTheMembersOfTheMessagesOfTheLog) {
  expect_fields("log.set_level", encode(LogLevelParams{}), encode(LogLevelResult{}));
}

TEST(MethodTable, HasNoMethodThatTheTestsAboveDoNotList) { EXPECT_EQ(methods().size(), 79U); }

TEST(MethodTable, NamesEveryMethodAndEveryFieldOnce) {
  std::set<std::string_view> seen;
  for (const auto& method : methods()) {
    EXPECT_TRUE(seen.insert(method.name).second) << method.name;
    EXPECT_EQ(names(method.params).size(), method.params.size()) << method.name;
    EXPECT_EQ(names(method.result).size(), method.result.size()) << method.name;
  }
}

struct ParamCase {
  const char* name;
  const char* method;
  const char* params;
  const char* complaint;  ///< "" = accepted
};
std::ostream& operator<<(std::ostream& out, const ParamCase& one) { return out << one.name; }
class Params : public testing::TestWithParam<ParamCase> {};

TEST_P(Params, AreCheckedByName) {
  const auto& [name, method, params, complaint] = GetParam();

  const auto checked = check_params(*find_method(method), *Document::parse(params));

  if (*complaint == '\0') {
    EXPECT_TRUE(checked) << checked.error().message;
  } else {
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, Errc::invalid_argument);
    EXPECT_NE(checked.error().message.find(complaint), std::string::npos)
        << checked.error().message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    , Params,
    testing::Values(
        ParamCase{"absent", "status", "null", ""},
        ParamCase{"optional_absent", "task.submit", R"({"directory":"/a"})", ""},
        ParamCase{"optional_null", "task.submit", R"({"directory":"/a","seconds":null})", ""},
        ParamCase{"integer_as_number", "task.submit", R"({"directory":"/a","seconds":3})", ""},
        ParamCase{"missing", "task.submit", "{}", "needs the parameter 'directory'"},
        ParamCase{"all_missing", "task.submit", "null", "needs the parameter 'directory'"},
        ParamCase{"required_null", "task.cancel", R"({"job_id":null})",
                  "'job_id' of task.cancel must be of type string, not null"},
        ParamCase{"misspelt", "task.cancel", R"({"jobid":"j-1"})", "did you mean 'job_id'?"},
        ParamCase{"unexpected", "kb.stats", R"({"x":1})", "takes no parameters, but got 'x'"},
        ParamCase{"fraction", "task.submit", R"({"directory":"/a","evaluations":1.5})",
                  "'evaluations' of task.submit must be of type integer, not number"},
        ParamCase{"beyond_int64", "hello", R"({"protocol":18446744073709551615})",
                  "must be of type integer"},
        ParamCase{"list", "kb.search", R"({"dtypes":["f16"],"profile":{"dram_share":0.9}})", ""},
        ParamCase{"no_list", "kb.search", R"({"dtypes":"f16"})",
                  "'dtypes' of kb.search must be of type array of strings, not string"},
        ParamCase{"no_numbers", "kb.search", R"({"profile":[1]})",
                  "'profile' of kb.search must be of type object of numbers, not array"},
        ParamCase{"not_to_be_claimed", "kb.add", R"({"claim":"x","evidence":[]})",
                  "kb.add has no parameter 'evidence'"},
        ParamCase{"boolean", "task.status", R"({"job_id":"j-1","watch":"yes"})",
                  "'watch' of task.status must be of type boolean, not string"}),
    [](const auto& param) { return param.param.name; });

TEST(MethodTable, LongNamesAreCutInMessages) {
  const std::string message = unknown_method_message(std::string(1'000'000, 'x'));

  EXPECT_LT(message.size(), 200U);
}

TEST(MethodTable, SuggestsOnlyWhatAClientMayCall) {
  EXPECT_EQ(unknown_method_message("task.progres").find("mean 'task.progress'"), std::string::npos);
}

TEST(MethodTable, DocumentShowsTheTable) {
  const auto document = read_file(WARPMIND_SOURCE_DIR "/docs/protocol.md", 1U << 20U);
  ASSERT_TRUE(document);
  const auto between = [&document](const std::string& name) {
    const std::string begin = "<!-- begin " + name + ": warpmindd --print-protocol -->\n";
    const auto from = document->find(begin);
    const auto to = document->find("<!-- end " + name + " -->");
    if (from == std::string::npos || to == std::string::npos) return std::string("no markers");
    return document->substr(from + begin.size(), to - from - begin.size());
  };

  EXPECT_EQ(between("methods"), render_methods());
  EXPECT_EQ(between("errors"), render_error_table());
}

}  // namespace
}  // namespace warpmind::daemon::protocol
