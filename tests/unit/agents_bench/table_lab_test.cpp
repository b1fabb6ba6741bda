#include "agents/benchmark/table_lab.h"

#include "agents/benchmark/recorded_sources.h"
#include "agents/benchmark/recorder.h"
#include "agents/benchmark/table_file.h"
#include "agents/benchmark/table_proposer.h"
#include "base/file.h"
#include "planted_bench.h"

#include <cmath>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

namespace warpmind::agents::benchmark {
namespace {

class Replay : public ::testing::Test {
 protected:
  Replay()
      : table_(planted_table(1, 1,
                             [](int) {
                               return PlantedGains{{1, 2.0}, {2, 0.8}, {3, 0}};
                             })),
        task_(table_.tasks().at(0).task()) {}

  Kernel with(int technique) {
    const Bottleneck bottleneck;
    const Advice advice;
    const DeviceSpec device;
    const ProposalContext context{task_, task_.kernel, bottleneck, advice, device};
    return proposer_.write({planted_technique(technique), "", 1}, context, {})->candidate->kernel;
  }
  std::size_t offered(const Kernel& kernel, const EvaluationTable& table) {
    const Bottleneck bottleneck;
    const Advice advice;
    const DeviceSpec device;
    MoveResults results;
    TableProposer proposer(proposer_, table, results);
    return proposer.moves({task_, kernel, bottleneck, advice, device}).size();
  }

  PlantedProposer proposer_;
  EvaluationTable table_;
  Task task_;
};

TEST_F(Replay, AnswersAsRecorded) {
  TableLab lab(table_, 1);
  const Kernel fast = with(1);
  const Kernel slow = with(2);
  const Kernel wrong = with(3);

  EXPECT_EQ(lab.provider(), Provider::gpu);
  EXPECT_EQ(lab.device()->name, "NVIDIA H200");
  const auto given = lab.judge({task_, task_.kernel}, {});
  ASSERT_TRUE(given);
  EXPECT_EQ(given->outcome, Outcome::same);
  EXPECT_NEAR(given->measurement->median_ns, 100'000, 1);
  const auto improved = lab.judge({task_, fast, &task_.kernel}, {});
  ASSERT_TRUE(improved);
  EXPECT_EQ(improved->outcome, Outcome::improved);
  EXPECT_NEAR(improved->comparison->ratio, 2, 0.1);
  EXPECT_GE(improved->comparison->processes, 3);
  const auto regressed = lab.judge({task_, slow, &task_.kernel}, {});
  ASSERT_TRUE(regressed);
  EXPECT_EQ(regressed->outcome, Outcome::regressed);
  EXPECT_EQ(regressed->comparison->processes, 1) << "a screening is enough to give up";
  EXPECT_EQ(lab.judge({task_, wrong, &task_.kernel}, {})->outcome, Outcome::wrong);
}

TEST_F(Replay, ComparesAnewWithTheIncumbentAtHand) {
  TableLab lab(table_, 1);
  const Kernel fast = with(1);
  const Kernel slow = with(2);

  const auto against_fast = lab.judge({task_, slow, &fast}, {});
  const auto confirmed = lab.compare({task_, slow, &fast}, {});

  ASSERT_TRUE(against_fast && confirmed);
  EXPECT_NEAR(against_fast->comparison->ratio, 0.4, 0.02);
  EXPECT_GE(confirmed->processes, 3);
}

TEST_F(Replay, NoiseFollowsTheSeed) {
  const Kernel fast = with(1);
  const auto ratio = [&](std::uint64_t seed) {
    return TableLab(table_, seed).judge({task_, fast, &task_.kernel}, {})->comparison->ratio;
  };

  EXPECT_EQ(ratio(1), ratio(1));
  std::set<double> ratios;
  double largest = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    ratios.insert(ratio(seed));
    largest = std::max(largest, std::abs(std::log(ratio(seed) / 2)));
  }
  EXPECT_EQ(ratios.size(), 50U);
  EXPECT_LT(largest, 5 * std::log(1.01) / 3) << "a third of the recorded half interval";
  EXPECT_GT(largest, std::log(1.01) / 3);
}

TEST_F(Replay, SaysWhatTheTableLacks) {
  TableLab lab(table_, 1);
  Kernel unknown = task_.kernel;
  unknown.source += "// more\n";

  const auto kernel = lab.judge({task_, unknown, &task_.kernel}, {});
  const Task other = planted_task("other", "family_9");
  const auto task = lab.judge({other, other.kernel}, {});

  EXPECT_EQ(kernel.error().code, Errc::not_found);
  EXPECT_NE(kernel.error().message.find("the table lacks kernel"), std::string::npos);
  EXPECT_EQ(task.error().code, Errc::not_found);
  EXPECT_EQ(lab.compare({task_, with(3), &task_.kernel}, {}).error().code, Errc::not_found)
      << "a wrong kernel has no time";
}

TEST_F(Replay, SimulatedTimesRepeatAndKeepTheirBounds) {
  TableOrigin origin = table_.origin();
  origin.provider = Provider::sim;
  EvaluationTable simulated(origin);
  ASSERT_TRUE(simulated.add_task(task_));
  for (auto recorded : table_.tasks()[0].kernels()) {
    if (recorded.verdict.comparison) {
      recorded.verdict.comparison->high = recorded.verdict.comparison->ratio * 1.5;
    }
    ASSERT_TRUE(simulated.add(recorded));
  }
  const Kernel fast = with(1);
  const Kernel slow = with(2);

  const auto improved = TableLab(simulated, 1).judge({task_, fast, &task_.kernel}, {});
  const auto unsure = TableLab(simulated, 1).judge({task_, slow, &task_.kernel}, {});

  ASSERT_TRUE(improved && unsure);
  EXPECT_EQ(improved->outcome, Outcome::improved);
  EXPECT_DOUBLE_EQ(
      improved->comparison->ratio,
      TableLab(simulated, 2).judge({task_, fast, &task_.kernel}, {})->comparison->ratio);
  EXPECT_EQ(unsure->outcome, Outcome::inconclusive) << "0.8 lies within the model's bounds";
}

TEST_F(Replay, HidesMovesThatLeadOutOfTheTable) {
  EXPECT_EQ(offered(task_.kernel, table_), 12U);
  EvaluationTable part(table_.origin());
  ASSERT_TRUE(part.add_task(task_));
  for (std::size_t i = 0; i < 5; ++i) ASSERT_TRUE(part.add(table_.tasks()[0].kernels()[i]));

  EXPECT_EQ(offered(task_.kernel, part), 4U);
  MoveResults results;
  TableProposer proposer(proposer_, part, results);
  const Bottleneck bottleneck;
  const Advice advice;
  const DeviceSpec device;
  const auto lacking = proposer.write({planted_technique(11), "", 1},
                                      {task_, task_.kernel, bottleneck, advice, device}, {});
  ASSERT_TRUE(lacking);
  EXPECT_FALSE(lacking->candidate);
  EXPECT_FALSE(lacking->note.empty());
}

TEST_F(Replay, RecordsWholeKernelsAndGoesDeepWhereItPays) {
  const TaskRecording& recording = table_.tasks()[0];

  EXPECT_EQ(recording.kernels().size(), 61U);
  // All twelve edits of the given kernel, then all eleven others of the fast one.
  for (std::size_t i = 1; i <= 12; ++i) {
    EXPECT_EQ(recording.kernels()[i].parent, recording.kernels()[0].kernel);
  }
  const KernelId fast = id_of(with(1));
  for (std::size_t i = 13; i <= 23; ++i) EXPECT_EQ(recording.kernels()[i].parent, fast);
  EXPECT_NEAR(recording.best_log_gain(), std::log(2), 1e-9);
}

TEST_F(Replay, ARecordingGoesOnWhereItEnded) {
  const auto folder =
      ScratchDirectory::create(std::filesystem::temp_directory_path(), "warpmind-record").value();
  const auto file = folder.path() / "table.jsonl";
  const auto devices = config::DeviceTable::load().value();
  const SystemClock clock;
  fakes::ScriptedKernelLab lab([](const Kernel& kernel) {
    return planted_time(kernel, {{1, 2.0}, {2, 0.8}, {3, 0}});
  });
  const RecordingParts parts{lab, proposer_, devices, clock};

  const auto first = record_table(parts, {task_}, {7, 600}, file);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->kernels(), 8U) << "the given one, and seven";
  const auto whole = record_table(parts, {task_}, {60, 600}, file);

  ASSERT_TRUE(whole);
  EXPECT_EQ(lab.judged.size(), 61U) << "none twice";
  ASSERT_EQ(whole->kernels(), table_.kernels());
  for (std::size_t i = 0; i < table_.kernels(); ++i) {
    EXPECT_EQ(whole->tasks()[0].kernels()[i].kernel, table_.tasks()[0].kernels()[i].kernel) << i;
  }
}

TEST_F(Replay, ARecordingOfSomethingElseIsNotMixed) {
  const auto folder =
      ScratchDirectory::create(std::filesystem::temp_directory_path(), "warpmind-record").value();
  const auto file = folder.path() / "table.jsonl";
  TableOrigin origin = table_.origin();
  origin.provider = Provider::sim;
  ASSERT_TRUE(TableWriter::create(file, origin));
  const auto devices = config::DeviceTable::load().value();
  const SystemClock clock;
  fakes::ScriptedKernelLab lab([](const Kernel&) { return 100.0; });

  const auto mixed = record_table({lab, proposer_, devices, clock}, {task_}, {7, 600}, file);

  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().code, Errc::conflict);
}

TEST_F(Replay, SourcesComeBackFromTheMoves) {
  const auto sources = recorded_sources(table_.tasks()[0], proposer_, {});

  EXPECT_EQ(sources.size(), table_.kernels());
  for (const auto& [id, kernel] : sources) EXPECT_EQ(id_of(kernel), id);
}

}  // namespace
}  // namespace warpmind::agents::benchmark
