#include "daemon/lsp/language_server.h"

#include "daemon/protocol/analysis_messages.h"
#include "daemon/protocol/editor_messages.h"
#include "daemon/protocol/message_codec.h"
#include "daemon/protocol/record_messages.h"

#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpmind::daemon::lsp {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kUri = "file:///tasks/a%20b/kernel.cu";
constexpr const char* kGiven =
    "// given\n__global__ void scale(float* x, int n) {\n  x[threadIdx.x * 32] *= 2;\n}\n";
constexpr const char* kBetter =
    "// given\n__global__ void scale(float* x, int n) {\n  x[threadIdx.x] *= 2;\n}\n";

/// An editor in front of the server, and what the daemon would answer behind it.
class Editor {
 public:
  Editor()
      : server_(
            {.to_editor = [this](std::string_view line) { heard_.push_back(json::parse(line)); },
             .ask =
                 [this](std::string_view method, const std::string& params, DaemonReply reply) {
                   asked_.push_back({std::string(method), json::parse(params), reply});
                 },
             .close = [this] { closed = true; }},
            "1.2.3") {}

  void tell(const std::string& method, const json& params) {
    take({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
  }
  /// Sends a request; its answer is whatever comes with its id, also later.
  int ask(const std::string& method, const json& params) {
    take({{"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", method}, {"params", params}});
    return last_id_;
  }
  void take(const json& message) { server_.on_message(protocol::parse_message(message.dump())); }
  json answer(int id) const {
    for (const auto& message : heard_) {
      if (message.contains("id") && message["id"] == id && !message.contains("method")) {
        return message;
      }
    }
    return nullptr;
  }
  json result(const std::string& method, const json& params) {
    return answer(ask(method, params))["result"];
  }
  /// The newest message of that method.
  json newest(const std::string& method) const {
    for (auto at = heard_.rbegin(); at != heard_.rend(); ++at) {
      if (at->value("method", "") == method) return *at;
    }
    return nullptr;
  }
  /// Answers the oldest question to the daemon, which must be for `method`.
  json reply(const std::string& method, const std::string& result) {
    if (asked_.empty()) return "nothing was asked";
    auto question = asked_.front();
    asked_.pop_front();
    EXPECT_EQ(question.method, method);
    question.reply(protocol::Document::parse(result));
    return question.params;
  }
  void fail_next(Errc code, const std::string& why) {
    auto question = asked_.front();
    asked_.pop_front();
    question.reply(fail(code, why));
  }
  std::size_t questions() const { return asked_.size(); }
  LanguageServer& server() { return server_; }

  void begin(const json& capabilities = json::object()) {
    (void)ask("initialize", {{"capabilities", capabilities}, {"processId", nullptr}});
    tell("initialized", json::object());
  }
  void open(const std::string& text, const std::string& language = "cuda-cpp") {
    tell("textDocument/didOpen",
         {{"textDocument",
           {{"uri", kUri}, {"languageId", language}, {"version", 1}, {"text", text}}}});
  }

  bool closed = false;

 private:
  struct Question {
    std::string method;
    json params;
    DaemonReply reply;
  };
  std::vector<json> heard_;
  std::deque<Question> asked_;
  int last_id_ = 0;
  LanguageServer server_;
};

json about(const json& more = json::object()) {
  json params{{"textDocument", {{"uri", kUri}}}};
  params.update(more);
  return params;
}

std::string task_list(bool with_episode) {
  protocol::EpisodeListResult list;
  list.directory = "/tasks/a b";
  list.task = "scale";
  if (with_episode) {
    list.episodes.emplace_back();
    list.episodes.back().job_id = "j-0000000007";
    list.episodes.back().episode_id = "e-0000000007";
  }
  return protocol::encode(list);
}

Step step_of(std::int64_t index, const std::string& source, double nanoseconds) {
  Step step;
  step.index = index;
  step.edited = index - 1;
  step.candidate.kernel.source = source;
  step.candidate.technique = index == 0 ? "" : "coalesce";
  step.verdict.outcome = Outcome::improved;
  step.verdict.measurement.emplace();
  step.verdict.measurement->provider = Provider::sim;
  step.verdict.measurement->device.name = "NVIDIA H200";
  step.verdict.measurement->median_ns = nanoseconds;
  step.verdict.build.emplace();
  step.verdict.build->kernels = {{.kernel = "scale", .registers = 24, .static_shared_bytes = 2048}};
  step.verdict.profile.emplace();
  step.verdict.profile->kernels = {
      {.kernel = "scale", .metrics = {{"warpmind__theoretical_occupancy_pct", 75, "percent"}}}};
  step.verdict.profile->lines = {{"scale",
                                  3,
                                  {{"warpmind__line_cycles_pct", 80, "percent"},
                                   {"warpmind__line_sectors_per_request", 32, "ratio"}}}};
  step.before.kernel = "scale";
  step.before.primary = BottleneckClass::uncoalesced_access;
  step.before.explanation = "loads move 32 sectors a request";
  step.before.headroom = 7.5;
  return step;
}

std::string episode() {
  protocol::EpisodeExplainResult explained;
  explained.job_id = "j-0000000007";
  explained.episode.id = EpisodeId("e-0000000007");
  explained.episode.provider = Provider::sim;
  explained.episode.outcome = Outcome::improved;
  explained.episode.summary = "coalesce made it faster";
  explained.episode.steps = {step_of(0, kGiven, 41'200), step_of(1, kBetter, 18'000)};
  explained.episode.best_step = 1;
  explained.episode.best_against_baseline.emplace();
  explained.episode.best_against_baseline->ratio = 2.289;
  explained.insights.emplace_back();
  explained.insights.back().known = true;
  explained.insights.back().claim = "Neighbouring threads should read [neighbouring](x) elements";
  return protocol::encode(explained);
}

/// An open file whose last episode is known.
void open_known(Editor& editor, const json& capabilities = json::object()) {
  editor.begin(capabilities);
  editor.open(kGiven);
  EXPECT_EQ(editor.reply("episode.list", task_list(true))["file"], "/tasks/a b/kernel.cu");
  EXPECT_EQ(editor.reply("episode.explain", episode())["id"], "j-0000000007");
}

std::vector<std::string> titles(const json& lenses) {
  std::vector<std::string> list;
  for (const auto& lens : lenses) list.push_back(lens["command"]["title"]);
  return list;
}

TEST(LanguageServer, KeepsTheLifecycle) {
  Editor editor;
  EXPECT_EQ(editor.answer(editor.ask("textDocument/hover", about()))["error"]["code"], -32002);
  editor.open(kGiven);  // before initialize: not looked at
  EXPECT_EQ(editor.questions(), 0U);
  const auto begun = editor.result("initialize", {{"capabilities", json::object()}});
  EXPECT_EQ(begun["serverInfo"]["version"], "1.2.3");
  EXPECT_EQ(begun["capabilities"]["positionEncoding"], "utf-16");
  EXPECT_EQ(editor.answer(editor.ask("no/such", json::object()))["error"]["code"], -32601);
  EXPECT_EQ(editor.answer(editor.ask("initialize", json::object()))["error"]["code"], -32601);
  EXPECT_TRUE(editor.answer(editor.ask("shutdown", nullptr))["result"].is_null());
  EXPECT_EQ(editor.answer(editor.ask("textDocument/hover", about()))["error"]["code"], -32600);
  EXPECT_FALSE(editor.closed);
  editor.tell("exit", nullptr);
  EXPECT_TRUE(editor.closed);
}

TEST(LanguageServer, LeavesOtherLanguagesAlone) {
  Editor editor;
  editor.begin();
  editor.tell(
      "textDocument/didOpen",
      {{"textDocument",
        {{"uri", "file:///a.cpp"}, {"languageId", "cpp"}, {"version", 1}, {"text", kGiven}}}});
  EXPECT_EQ(editor.questions(), 0U);
  EXPECT_EQ(editor.result("textDocument/codeLens", {{"textDocument", {{"uri", "file:///a.cpp"}}}}),
            json::array());
  EXPECT_TRUE(editor.result("textDocument/hover", {{"textDocument", 5}}).is_null());
}

TEST(LanguageServer, LensesWaitForWhatTheBaseKnowsAndSayIt) {
  Editor editor;
  editor.begin();
  editor.open(kGiven);
  const int id = editor.ask("textDocument/codeLens", about());
  EXPECT_TRUE(editor.answer(id).is_null());
  (void)editor.reply("episode.list", task_list(true));
  (void)editor.reply("episode.explain", episode());
  const auto lenses = editor.answer(id)["result"];
  EXPECT_THAT(titles(lenses),
              ElementsAre("Optimize", "Explain bottleneck: uncoalesced access",
                          "41.2 µs predicted for NVIDIA H200, best 18 µs (2.29× faster)",
                          "Apply coalesce", "1 insight"));
  EXPECT_EQ(lenses[0]["range"]["start"], (json{{"line", 1}, {"character", 16}}));
}

TEST(LanguageServer, AFileWithoutATaskSaysWhyWhenItIsOptimised) {
  Editor editor;
  editor.begin();
  editor.open(kGiven, "cpp");  // the suffix is enough
  (void)editor.reply("episode.list", R"({"note":"no task.toml beside kernel.cu"})");
  EXPECT_THAT(titles(editor.result("textDocument/codeLens", about())),
              ElementsAre("Optimize", "Explain bottleneck"));
  const auto refused = editor.answer(editor.ask(
      "workspace/executeCommand",
      {{"command", "warpmind.optimize"}, {"arguments", {{{"uri", kUri}, {"kernel", "scale"}}}}}));
  EXPECT_EQ(refused["error"]["code"], -32803);
  EXPECT_EQ(refused["error"]["message"], "no task.toml beside kernel.cu");
}

TEST(LanguageServer, AWholeProgramIsToldWhatTakesIt) {
  Editor editor;
  editor.begin();
  editor.open(std::string(kGiven) + "int main(int argc, char** argv) { return 0; }\n");
  (void)editor.reply("episode.list", R"({"note":"no task.toml beside kernel.cu"})");
  const auto refused = editor.answer(editor.ask(
      "workspace/executeCommand",
      {{"command", "warpmind.optimize"}, {"arguments", {{{"uri", kUri}, {"kernel", "scale"}}}}}));
  EXPECT_THAT(refused["error"]["message"].get<std::string>(),
              HasSubstr("`warpmind optimize kernel.cu --run ./a.out`"));
  EXPECT_EQ(refused["error"]["data"]["program"], "/tasks/a b/kernel.cu");
}

TEST(LanguageServer, HoverShowsForeignTextAsText) {
  Editor editor;
  open_known(editor);
  const auto hover =
      editor.result("textDocument/hover", about({{"position", {{"line", 1}, {"character", 18}}}}));
  const std::string text = hover["contents"]["value"];
  EXPECT_THAT(text, HasSubstr("**scale**, task `scale`"));
  EXPECT_THAT(text, HasSubstr("uncoalesced access"));
  EXPECT_THAT(text, HasSubstr("Reaches 13.3 % of the limit."));
  EXPECT_THAT(text, HasSubstr("\\[neighbouring\\]\\(x\\)"));
  EXPECT_TRUE(
      editor.result("textDocument/hover", about({{"position", {{"line", 2}, {"character", 3}}}}))
          .is_null());
}

TEST(LanguageServer, HoverAdvisesAgainstTheCauseThatItTells) {
  const auto hover_with_advice_against = [](BottleneckClass against) {
    Editor editor;
    open_known(editor);
    KernelAnalysis analysis;
    analysis.built = true;
    auto& kernel = analysis.kernels.emplace_back();
    kernel.name = "scale";
    kernel.built = true;
    kernel.bottleneck.primary = against;
    kernel.bottleneck.kernel = "scale";
    kernel.advice = {against, "One warp a row.", "warp_per_output", true};
    (void)editor.reply("kernel.analyze", protocol::encode(analysis));
    const auto hover = editor.result("textDocument/hover",
                                     about({{"position", {{"line", 1}, {"character", 18}}}}));
    return hover["contents"]["value"].get<std::string>();
  };
  EXPECT_THAT(hover_with_advice_against(BottleneckClass::uncoalesced_access),
              HasSubstr("- advice: One warp a row."));
  EXPECT_THAT(hover_with_advice_against(BottleneckClass::low_parallelism),
              Not(HasSubstr("One warp a row.")))
      << "the judged step says that another cause limits it";
}

TEST(LanguageServer, DiagnosticsFollowEditsAndCallThemselvesStale) {
  Editor editor;
  open_known(editor);
  auto published = editor.newest("textDocument/publishDiagnostics")["params"];
  ASSERT_EQ(published["diagnostics"].size(), 1U);
  EXPECT_EQ(published["diagnostics"][0]["severity"], 3);
  EXPECT_EQ(published["diagnostics"][0]["code"], "uncoalesced-access");
  EXPECT_EQ(published["diagnostics"][0]["range"]["start"], (json{{"line", 2}, {"character", 2}}));
  editor.tell(
      "textDocument/didChange",
      {{"textDocument", {{"uri", kUri}, {"version", 2}}},
       {"contentChanges",
        {{{"range",
           {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 0}, {"character", 0}}}}},
          {"text", "// new\n"}}}}});
  published = editor.newest("textDocument/publishDiagnostics")["params"];
  EXPECT_EQ(published["version"], 2);
  ASSERT_EQ(published["diagnostics"].size(), 1U);
  EXPECT_EQ(published["diagnostics"][0]["range"]["start"]["line"], 3);
  EXPECT_THAT(published["diagnostics"][0]["message"].get<std::string>(),
              testing::StartsWith("before the last edit: uncoalesced access"));
  editor.tell("textDocument/didClose", about());
  EXPECT_EQ(editor.newest("textDocument/publishDiagnostics")["params"]["diagnostics"],
            json::array());
}

TEST(LanguageServer, HintsNameResources) {
  Editor editor;
  open_known(editor);
  const auto range = [](int first, int last) {
    return about({{"range",
                   {{"start", {{"line", first}, {"character", 0}}},
                    {"end", {{"line", last}, {"character", 0}}}}}});
  };
  const auto hints = editor.result("textDocument/inlayHint", range(0, 9));
  ASSERT_EQ(hints.size(), 1U);
  EXPECT_EQ(hints[0]["label"], "24 registers · 2.0 KiB shared · 75 % occupancy");
  EXPECT_EQ(hints[0]["position"], (json{{"line", 1}, {"character", 38}}));
  EXPECT_EQ(editor.result("textDocument/inlayHint", range(3, 9)), json::array());
}

TEST(LanguageServer, AVerifiedVariantIsAppliedAsAnEditOfTheTextThatWasMeasured) {
  Editor editor;
  open_known(editor, {{"textDocument", {{"codeLens", json::object()}}}});
  const auto where = about(
      {{"range",
        {{"start", {{"line", 2}, {"character", 0}}}, {"end", {{"line", 2}, {"character", 0}}}}}});
  auto actions = editor.result("textDocument/codeAction", where);
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_THAT(actions[0]["title"].get<std::string>(),
              HasSubstr("coalesce (2.29× faster, predicted"));
  const auto& edit = actions[0]["edit"]["documentChanges"][0];
  EXPECT_EQ(edit["textDocument"]["version"], 1);
  EXPECT_EQ(edit["edits"][0]["newText"], "  x[threadIdx.x] *= 2;\n");
  EXPECT_EQ(edit["edits"][0]["range"]["start"], (json{{"line", 2}, {"character", 0}}));
  EXPECT_EQ(edit["edits"][0]["range"]["end"], (json{{"line", 3}, {"character", 0}}));
  editor.tell("textDocument/didChange",
              {{"textDocument", {{"uri", kUri}, {"version", 2}}},
               {"contentChanges", {{{"text", "// x\n__global__ void"}}}}});
  EXPECT_EQ(editor.result("textDocument/codeAction", where), json::array());
}

TEST(LanguageServer, AnEditorWithoutLensesGetsTheirCommandsAsActions) {
  Editor editor;
  open_known(editor);
  const auto in_kernel = about(
      {{"range",
        {{"start", {{"line", 2}, {"character", 0}}}, {"end", {{"line", 2}, {"character", 0}}}}}});
  const auto actions = editor.result("textDocument/codeAction", in_kernel);
  ASSERT_EQ(actions.size(), 4U);
  EXPECT_TRUE(actions[0].contains("edit"));
  EXPECT_EQ(actions[1]["title"], "warpmind: Optimize · scale");
  EXPECT_EQ(actions[1]["command"]["command"], "warpmind.optimize");
  EXPECT_EQ(actions[2]["title"], "warpmind: Explain bottleneck: uncoalesced access · scale");
  EXPECT_EQ(actions[3]["title"], "warpmind: 1 insight · scale");
  const auto above = about(
      {{"range",
        {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 0}, {"character", 0}}}}}});
  EXPECT_EQ(editor.result("textDocument/codeAction", above), json::array());
}

TEST(LanguageServer, ASettingThatIsClearedIsTheDaemonsAgain) {
  Editor editor;
  open_known(editor);
  (void)editor.reply("kernel.analyze", "{}");
  const json optimize{{"command", "warpmind.optimize"},
                      {"arguments", {{{"uri", kUri}, {"kernel", "scale"}}}}};
  const auto set = [&](const json& evaluations) {
    editor.tell("workspace/didChangeConfiguration",
                {{"settings", {{"warpmind", {{"evaluations", evaluations}}}}}});
    (void)editor.ask("workspace/executeCommand", optimize);
    const json asked = editor.reply("task.submit", "null");
    return asked.contains("evaluations") ? asked["evaluations"] : json();
  };
  EXPECT_EQ(set(7), 7);
  EXPECT_EQ(set("many"), 7);
  EXPECT_TRUE(set(nullptr).is_null());
}

json apply_command() {
  return {{"command", "warpmind.apply"}, {"arguments", {{{"uri", kUri}, {"kernel", "scale"}}}}};
}

TEST(LanguageServer, TheApplyCommandEditsTheFileOnce) {
  Editor editor;
  open_known(editor, {{"workspace", {{"applyEdit", true}}}});
  const auto shown = editor.result(
      "workspace/executeCommand",
      {{"command", "warpmind.showResult"}, {"arguments", {{{"uri", kUri}, {"kernel", "scale"}}}}});
  EXPECT_EQ(shown["uri"], kUri);
  EXPECT_EQ(shown["better"], kBetter);
  EXPECT_EQ(shown["given_line"], 1);
  EXPECT_EQ(shown["better_line"], 1);
  EXPECT_EQ(editor.result("workspace/executeCommand", apply_command())["technique"], "coalesce");
  const auto change = editor.newest("workspace/applyEdit")["params"]["edit"]["documentChanges"][0];
  EXPECT_EQ(change["edits"][0]["newText"], "  x[threadIdx.x] *= 2;\n");
  editor.tell("textDocument/didChange", {{"textDocument", {{"uri", kUri}, {"version", 2}}},
                                         {"contentChanges", {{{"text", kBetter}}}}});
  const auto again = editor.answer(editor.ask("workspace/executeCommand", apply_command()));
  EXPECT_EQ(again["error"]["message"], "the text is the better kernel already");
  EXPECT_THAT(
      titles(editor.result("textDocument/codeLens", about())),
      testing::Contains("18 µs predicted for NVIDIA H200, 2.29× faster than the given kernel"));
}

TEST(LanguageServer, AnEditorThatTakesNoEditsIsSentToTheCodeAction) {
  Editor editor;
  open_known(editor);
  const auto refused = editor.answer(editor.ask("workspace/executeCommand", apply_command()));
  EXPECT_THAT(refused["error"]["message"].get<std::string>(), HasSubstr("use the code action"));
  EXPECT_TRUE(editor.newest("workspace/applyEdit").is_null());
}

TEST(LanguageServer, AVariantWithAnotherLaunchIsKnownAgainOnceItWasApplied) {
  protocol::EpisodeExplainResult known;
  auto steps = {step_of(0, kGiven, 41'200), step_of(1, kBetter, 18'000)};
  known.job_id = "j-0000000007";
  known.episode.id = EpisodeId("e-0000000007");
  known.episode.steps = steps;
  known.episode.steps[1].candidate.kernel.plan.launches.emplace_back();
  auto& launch = known.episode.steps[1].candidate.kernel.plan.launches.front();
  launch.kernel = "scale";
  launch.arguments = {"x", "i32:n * 2"};
  known.episode.best_step = 1;
  known.episode.best_against_baseline.emplace();
  Editor editor;
  editor.begin({{"workspace", {{"applyEdit", true}}}});
  editor.open(kGiven);
  (void)editor.reply("episode.list", task_list(true));
  (void)editor.reply("episode.explain", protocol::encode(known));
  const auto shown = editor.result(
      "workspace/executeCommand",
      {{"command", "warpmind.showResult"}, {"arguments", {{{"uri", kUri}, {"kernel", "scale"}}}}});
  const std::string text = shown["better"];
  EXPECT_THAT(text, testing::StartsWith("// warpmind: this variant is launched as\n//   scale<<<"));
  EXPECT_THAT(text, HasSubstr(">>>(x, n * 2)\n"));
  editor.tell("textDocument/didChange", {{"textDocument", {{"uri", kUri}, {"version", 2}}},
                                         {"contentChanges", {{{"text", text}}}}});
  const auto again = editor.answer(editor.ask("workspace/executeCommand", apply_command()));
  EXPECT_EQ(again["error"]["message"], "the text is the better kernel already");
}

TEST(LanguageServer, AJobIsProgressThatCanBeCancelled) {
  Editor editor;
  open_known(editor, {{"window", {{"workDoneProgress", true}}},
                      {"workspace", {{"codeLens", {{"refreshSupport", true}}}}}});
  EXPECT_EQ(editor.reply("kernel.analyze", "{}")["directory"], "/tasks/a b");
  const int id = editor.ask(
      "workspace/executeCommand",
      {{"command", "warpmind.optimize"}, {"arguments", {{{"uri", kUri}, {"kernel", "scale"}}}}});
  const auto submitted = editor.reply("task.submit", R"({"job_id":"j-0000000008","ahead":0})");
  EXPECT_EQ(submitted["directory"], "/tasks/a b");
  EXPECT_EQ(submitted["watch"], true);
  EXPECT_EQ(editor.answer(id)["result"]["job_id"], "j-0000000008");
  const auto create = editor.newest("window/workDoneProgress/create");
  editor.take({{"jsonrpc", "2.0"}, {"id", create["id"]}, {"result", nullptr}});
  EXPECT_EQ(editor.newest("$/progress")["params"]["value"]["kind"], "begin");
  editor.server().on_progress({{.step = 1, .steps = 4, .line = "one"}, "j-0000000008"});
  EXPECT_EQ(editor.newest("$/progress")["params"]["value"],
            (json{{"kind", "report"}, {"message", "one"}, {"percentage", 25}}));
  EXPECT_EQ(titles(editor.result("textDocument/codeLens", about()))[0],
            "Optimizing: 1 of 4 judged (cancel)");
  editor.tell("window/workDoneProgress/cancel", {{"token", create["params"]["token"]}});
  EXPECT_EQ(editor.reply("task.cancel", R"({"state":"running"})")["job_id"], "j-0000000008");
  editor.server().on_progress({{.line = "cancelled"}, "j-0000000008", JobState::cancelled});
  EXPECT_EQ(editor.newest("$/progress")["params"]["value"]["kind"], "end");
  (void)editor.reply("episode.list", task_list(false));
  EXPECT_THAT(editor.newest("window/showMessage")["params"]["message"].get<std::string>(),
              HasSubstr("j-0000000008 is cancelled"));
  EXPECT_EQ(titles(editor.result("textDocument/codeLens", about()))[0], "Optimize");
}

TEST(LanguageServer, AnEditorThatShowsEndingsIsToldThemAsData) {
  Editor editor;
  (void)editor.ask("initialize", {{"capabilities", json::object()},
                                  {"initializationOptions", {{"showsEndings", true}}}});
  editor.tell("initialized", json::object());
  editor.open(kGiven);
  (void)editor.reply("episode.list", task_list(false));
  (void)editor.reply("kernel.analyze", "{}");
  (void)editor.ask("workspace/executeCommand",
                   {{"command", "warpmind.optimize"}, {"arguments", {{{"uri", kUri}}}}});
  (void)editor.reply("task.submit", R"({"job_id":"j-0000000007","ahead":0})");
  editor.server().on_progress({{.line = "done"}, "j-0000000007", JobState::done});
  (void)editor.reply("episode.list", task_list(true));
  (void)editor.reply("episode.explain", episode());
  EXPECT_EQ(editor.newest("$/warpmind/ended")["params"],
            (json{{"job_id", "j-0000000007"},
                  {"uri", kUri},
                  {"message", "scale: improved, 2.29× faster (predicted)"},
                  {"failed", false},
                  {"applies", true}}));
  EXPECT_TRUE(editor.newest("window/showMessage").is_null());
}

TEST(LanguageServer, WhatIsNotSavedIsNotOptimised) {
  Editor editor;
  open_known(editor);
  editor.tell("textDocument/didChange", {{"textDocument", {{"uri", kUri}, {"version", 2}}},
                                         {"contentChanges", {{{"text", kBetter}}}}});
  const auto refused = editor.answer(editor.ask(
      "workspace/executeCommand",
      {{"command", "warpmind.optimize"}, {"arguments", {{{"uri", kUri}, {"kernel", "scale"}}}}}));
  EXPECT_THAT(refused["error"]["message"].get<std::string>(), HasSubstr("save the file first"));
}

TEST(LanguageServer, OddMessagesAreAnsweredAndNothingBreaks) {
  Editor editor;
  open_known(editor);
  for (const char* method :
       {"textDocument/codeLens", "textDocument/hover", "textDocument/inlayHint",
        "textDocument/codeAction", "workspace/executeCommand"}) {
    for (const auto& params : {json(nullptr), json::object(), json{{"textDocument", nullptr}},
                               about(), about({{"position", "x"}, {"range", 7}, {"arguments", 1}}),
                               json{{"command", "warpmind.cancel"}, {"arguments", {1}}}}) {
      const int id = editor.ask(method, params);
      while (editor.questions() > 0) editor.fail_next(Errc::not_found, "no");
      EXPECT_FALSE(editor.answer(id).is_null()) << method << params;
    }
  }
  for (const char* method :
       {"textDocument/didOpen", "textDocument/didChange", "textDocument/didSave",
        "textDocument/didClose", "workspace/didChangeConfiguration", "$/unknown"}) {
    editor.tell(method, json::object());
    editor.tell(method, {{"textDocument", {{"uri", 4}}}, {"contentChanges", {nullptr, 3}}});
  }
}

}  // namespace
}  // namespace warpmind::daemon::lsp
