#include "daemon/metrics/metrics.h"

#include "tests/unit/observation/traced_jobs.h"

#include <gmock/gmock.h>

namespace warpmind::daemon {
namespace {

using testing::HasSubstr;
using testing::Not;
using tests::traced_job;

TEST(Metrics, CountWhatAJobWas) {
  Metrics metrics("0.1.0", "messages");
  metrics.job_ended(traced_job());
  metrics.job_ended(traced_job());

  const std::string text = metrics.text({});
  for (const char* line :
       {"warpmind_build_info{version=\"0.1.0\"} 1", "warpmind_jobs_total{state=\"done\"} 2",
        "warpmind_episodes_total{arch=\"sm_90\",outcome=\"improved\",provider=\"sim\"} 2",
        "warpmind_episode_speedup_ratio_bucket{provider=\"sim\",le=\"3\"} 2",
        "warpmind_episode_speedup_ratio_sum{provider=\"sim\"} 5",
        "warpmind_device_job_seconds_sum{provider=\"sim\"} 8",
        "warpmind_stage_seconds_total{provider=\"sim\",stage=\"timing\"} 6",
        "warpmind_predictions_total{held=\"true\",provider=\"sim\"} 2",
        "warpmind_llm_tokens_total{kind=\"input\",model=\"m-1\",provider=\"messages\"} 200",
        "warpmind_llm_tokens_total{kind=\"cache_read\",model=\"m-1\",provider=\"messages\"} 80",
        "warpmind_llm_tokens_total{kind=\"output\",model=\"m-1\",provider=\"messages\"} 40",
        "warpmind_llm_tokens_total{kind=\"reasoning\",model=\"m-1\",provider=\"messages\"} 20",
        "warpmind_llm_cost_usd_total{model=\"m-1\",provider=\"messages\"} 5"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, Not(HasSubstr(tests::kCanary)));
  EXPECT_THAT(text, Not(HasSubstr("row_sum"))) << "tasks are no label";
}

TEST(Metrics, NamesOfOthersMakeNoMoreThanSoManySeries) {
  Metrics metrics("0.1.0", "");
  for (int i = 0; i < 200; ++i) {
    Job job = traced_job();
    for (auto& step : job.episode->steps) {
      step.candidate.model = "model-" + std::to_string(i);
      step.verdict.build->architecture = "sm_" + std::to_string(i);
    }
    metrics.job_ended(job);
  }

  const std::string text = metrics.text({});
  std::size_t series = 0;
  for (auto at = text.find("\nwarpmind_llm_requests_total{"); at != std::string::npos;
       at = text.find("\nwarpmind_llm_requests_total{", at + 1)) {
    ++series;
  }
  EXPECT_EQ(series, 33U);
  EXPECT_THAT(text,
              HasSubstr("warpmind_llm_requests_total{model=\"other\",provider=\"none\"} 168"));
}

TEST(Metrics, SayHowThingsStand) {
  Metrics metrics("0.1.0", "");
  metrics.request_answered("kb.search", true, 0.004);
  metrics.request_answered("kb.search", false, 0.2);
  metrics.web_request_answered("/mcp", 401, 0.001);
  MetricsNow now;
  now.queued = 7;
  now.lane_busy_s = 12.5;
  now.base_records = {{"insights", 42}};
  now.engine = {{"memtable_bytes", 4096}};
  now.spans_dropped = 3;

  (void)metrics.text(now);
  now.lane_busy_s = 13;
  const std::string text = metrics.text(now);

  for (const char* line :
       {"warpmind_rpc_requests_total{method=\"kb.search\",result=\"error\"} 1",
        "warpmind_kb_search_seconds_count 2", "warpmind_queue_depth 7",
        "warpmind_lane_busy_seconds_total 13", "warpmind_kb_entries{family=\"insights\"} 42",
        "warpmind_rocksdb{figure=\"memtable_bytes\"} 4096",
        "warpmind_otlp_spans_total{result=\"dropped\"} 3",
        "warpmind_http_requests_total{path=\"/mcp\",status=\"401\"} 1"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

}  // namespace
}  // namespace warpmind::daemon
