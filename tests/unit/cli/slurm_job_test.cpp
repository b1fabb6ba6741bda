#include "clients/cli/slurm_job.h"

#include <gmock/gmock.h>

namespace warpmind::clients {
namespace {

using ::testing::Contains;
using ::testing::Not;

TEST(SlurmJob, TheScriptBecomesTheWorkerWhateverIsInItsWords) {
  SlurmJob job;
  job.worker = {"/opt/war pmind/warpmindd", "--set", "a=it's $HOME `x`"};

  EXPECT_EQ(slurm_script(job),
            "#!/bin/sh\nexec '/opt/war pmind/warpmindd' '--set' 'a=it'\\''s $HOME `x`'\n");
}

TEST(SlurmJob, AsksForAGpuOnlyWhereOneIsUsedAndGivesOptionsOn) {
  SlurmJob job;
  job.workers = 8;
  job.options = {"--partition=gpu"};
  const auto words = slurm_words(job, "/tmp/x.sh");
  EXPECT_THAT(words, Contains("--array=1-8"));
  EXPECT_THAT(words, Contains("--gres=gpu:1"));
  EXPECT_THAT(words, Contains("--partition=gpu"));
  EXPECT_EQ(words.back(), "/tmp/x.sh");

  job.wants_gpu = false;
  EXPECT_THAT(slurm_words(job, "/tmp/x.sh"), Not(Contains("--gres=gpu:1")));
}

TEST(SlurmJob, ReadsTheNumberOfTheJob) {
  EXPECT_EQ(slurm_job_id("17\n").value(), "17");
  EXPECT_EQ(slurm_job_id("17;cluster\n").value(), "17");
  EXPECT_FALSE(slurm_job_id("sbatch: error\n"));
  EXPECT_FALSE(slurm_job_id(""));
}

}  // namespace
}  // namespace warpmind::clients
