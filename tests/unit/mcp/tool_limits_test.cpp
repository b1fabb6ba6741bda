#include "daemon/mcp/tool.h"
#include "daemon/protocol/messages.h"
#include "tests/unit/mcp/mcp_client.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::daemon::mcp {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

/// No client gives up before: the shortest limit of those that are known is 60 s.
constexpr auto kLongestCall = 45s;
constexpr auto kFolder = WARPMIND_SOURCE_DIR "/tasks/row_softmax_f16";

struct Call {
  std::string tool;
  json arguments;
};

/// A call of every tool and mode that may wait for a thread, the device or a compiler.
std::vector<Call> slow_calls() {
  const std::string job = "j-0000000007";
  return {{"kernel_analyze", {{"directory", kFolder}}},
          {"kernel_analyze", {{"source", "__global__ void k() {}"}}},
          {"kernel_profile", {{"directory", kFolder}}},
          {"kernel_profile", {{"job", job}, {"step", 1}}},
          {"explain_bottleneck", {{"directory", kFolder}}},
          {"explain_bottleneck", {{"job", job}}},
          {"kernel_optimize", {{"directory", kFolder}}},
          {"kernel_optimize", {{"mode", "open"}, {"directory", kFolder}}},
          {"kernel_optimize", {{"mode", "brief"}, {"job", job}}},
          {"kernel_optimize", {{"mode", "submit"}, {"job", job}, {"source", "x"}}},
          {"kernel_optimize", {{"mode", "close"}, {"job", job}}},
          {"kb_search", {{"query", "softmax"}}},
          {"kb_get", {{"id", "i-1"}}},
          {"kb_record", {{"claim", "c"}, {"evidence", {{"job", job}, {"step", 1}}}}},
          {"job", {{"action", "status"}, {"job", job}}},
          {"job", {{"action", "wait"}, {"job", job}}},
          {"job", {{"action", "result"}, {"job", job}}},
          {"job", {{"action", "cancel"}, {"job", job}}}};
}

class ToolLimits : public testing::Test {
 protected:
  void start(const Call& call, const json& more = json::object()) {
    json meta = McpBench::modern_meta();
    meta.update(more);
    const json params{{"_meta", meta}, {"name", call.tool}, {"arguments", call.arguments}};
    bench_.send(
        {{"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", "tools/call"}, {"params", params}});
  }

  McpBench bench_;
  int last_id_ = 0;
};

TEST_F(ToolLimits, EveryCallThatNothingEndsHandsBackAHandleInTime) {
  for (const auto& call : slow_calls()) {
    SCOPED_TRACE(call.tool + " " + call.arguments.dump());
    start(call);  // and no thread ever takes it
    EXPECT_TRUE(bench_.take().empty());
    bench_.pass(kLongestCall);
    const auto got = bench_.take();
    ASSERT_EQ(got.size(), 1U);
    EXPECT_EQ(got[0]["id"], last_id_);
    const json data = got[0]["result"]["structuredContent"];
    EXPECT_EQ(data["status"], "working");
    EXPECT_TRUE(data["handle"].get<std::string>().starts_with("call-"));
  }
}

TEST_F(ToolLimits, SlowCallsAreOfEveryTool) {
  const auto calls = slow_calls();
  for (const auto& tool : tools()) {
    if (tool.name == "device_info") continue;  // answered where it is read
    EXPECT_TRUE(std::any_of(calls.begin(), calls.end(), [&](const Call& call) {
      return call.tool == tool.name;
    })) << tool.name;
  }
}

TEST_F(ToolLimits, EveryCallWithATokenGivesSignsOfLifeUntilItsAnswer) {
  for (const auto& call : slow_calls()) {
    SCOPED_TRACE(call.tool + " " + call.arguments.dump());
    start(call, {{"progressToken", "t"}});
    double last = -1;
    for (int i = 0; i < 3; ++i) {
      bench_.pass(15s);
      const auto got = bench_.take();
      ASSERT_EQ(got.size(), 1U);
      EXPECT_EQ(got[0]["method"], "notifications/progress");
      EXPECT_EQ(got[0]["params"]["progressToken"], "t");
      EXPECT_LT(last, got[0]["params"]["progress"].get<double>());
      last = got[0]["params"]["progress"].get<double>();
    }
    bench_.pass(kLongestCall);
    const auto got = bench_.take();
    ASSERT_FALSE(got.empty());
    EXPECT_TRUE(got.back().contains("result")) << "the answer ends it";
    bench_.pass(kLongestCall);
    EXPECT_TRUE(bench_.take().empty());
  }
}

TEST_F(ToolLimits, WaitForAJobThatIsAnsweredByAHandleStillBringsItsState) {
  bench_.dispatcher.add<protocol::JobParams, protocol::TaskStatusResult>(
      "task.status", Execution::pool,
      [](const protocol::JobParams& params, RequestContext&) -> Result<protocol::TaskStatusResult> {
        protocol::TaskStatusResult status;
        status.job_id = params.job_id;
        status.state = JobState::running;
        return status;
      });
  bench_.dispatcher.add<protocol::JobParams, protocol::TaskResultResult>(
      "task.result", Execution::pool,
      [](const protocol::JobParams& params, RequestContext&) -> Result<protocol::TaskResultResult> {
        protocol::TaskResultResult result;
        result.job.id = JobId(params.job_id);
        result.job.state = JobState::running;
        return result;
      });
  start({"job", {{"action", "wait"}, {"job", "7"}}});
  bench_.pass(kLongestCall);
  auto got = bench_.take();
  ASSERT_EQ(got.size(), 1U);
  const json handle = got[0]["result"]["structuredContent"]["handle"];
  bench_.run();
  const json result = bench_.call("job", {{"action", "result"}, {"job", handle}})["result"];
  EXPECT_EQ(result["structuredContent"]["state"], "running");
}

TEST_F(ToolLimits, HandlesAreKeptInBounds) {
  std::vector<json> handles;
  for (int i = 0; i < 40; ++i) {
    start({"kb_search", {{"query", std::to_string(i)}}});
    bench_.pass(kLongestCall);
    for (const auto& message : bench_.take()) {
      handles.push_back(message["result"]["structuredContent"]["handle"]);
    }
    bench_.run();
  }
  ASSERT_EQ(handles.size(), 40U);
  const auto state_of = [this](const json& handle) {
    return bench_.call("job", {{"action", "status"}, {"job", handle}})["result"];
  };
  EXPECT_EQ(state_of(handles.front())["content"][0]["text"],
            "there is no handle '" + handles.front().get<std::string>() + "', or it is too old");
  EXPECT_EQ(state_of(handles.back())["structuredContent"]["error"],
            "this daemon has no method 'kb.search'");
}

}  // namespace
}  // namespace warpmind::daemon::mcp
