#include "tests/integration/builtin/rewrite_check.h"

#include "agents/builtin/scene_rewrites.h"
#include "config/device_table.h"
#include "config/task_file.h"

#include <filesystem>

namespace warpmind::rewrites {
namespace {

using agents::ProposalContext;
using agents::builtin::Offer;
using agents::builtin::SceneRewrites;
using agents::builtin::Technique;

/// Calls `use(rewrites, technique)` and gives its result.
template <class T, class Use>
Result<T> on_scene(const Task& task, const std::string& name, const Situation& situation,
                   const Use& use) {
  WARPMIND_TRY(const auto table, config::DeviceTable::load());
  const auto device = table.find(situation.device);
  if (!device) return fail(Errc::not_found, "no device '" + situation.device + "'");
  const ProposalContext context{task, task.kernel, situation.bottleneck, situation.advice, *device};
  WARPMIND_TRY(const auto rewrites, SceneRewrites::read(context));
  for (const Technique& technique : agents::builtin::techniques()) {
    if (technique.name == name) return use(rewrites, technique);
  }
  return fail(Errc::not_found, "no technique '" + name + "'");
}

void fail_at(const std::source_location& where, const std::string& text) {
  ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line())) << text;
}

}  // namespace

Argument input(std::string name, Dtype dtype, std::vector<std::string> shape) {
  return {std::move(name), ArgumentKind::in, dtype, std::move(shape), "", {}, 0, 0};
}
Argument output(std::string name, Dtype dtype, std::vector<std::string> shape) {
  return {std::move(name), ArgumentKind::out, dtype, std::move(shape), "", {}, 0, 0};
}
Argument inout(std::string name, Dtype dtype, std::vector<std::string> shape) {
  return {std::move(name), ArgumentKind::inout, dtype, std::move(shape), "", {}, 0, 0};
}
Argument ranged(std::string name, Dtype dtype, std::vector<std::string> shape, double low,
                double high) {
  return {std::move(name),
          ArgumentKind::in,
          dtype,
          std::move(shape),
          "",
          {Distribution::index_range},
          low,
          high};
}

Task task_of(std::string source, std::vector<Argument> arguments, std::vector<Launch> launches,
             std::vector<Sizes> sizes) {
  Task task;
  task.name = "rewritten";
  task.operator_family = "other";
  task.arguments = std::move(arguments);
  task.contract.tolerance = ToleranceClass::reduction;
  task.kernel.source = std::move(source);
  task.kernel.plan.launches = std::move(launches);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    task.workloads.push_back({"w" + std::to_string(i), std::move(sizes[i]), i == 0});
  }
  task.id = id_of(task);
  return task;
}

Result<Task> shipped_task(const std::string& name) {
  WARPMIND_TRY(auto loaded,
               config::load_task(std::filesystem::path(WARPMIND_SOURCE_DIR) / "tasks" / name));
  return std::move(loaded.task);
}

Result<Offer> offer_of(const Task& task, const std::string& technique, const Situation& situation) {
  return on_scene<Offer>(task, technique, situation,
                         [](const SceneRewrites& rewrites, const Technique& found) {
                           Offer offer = rewrites.offer(found);
                           std::erase_if(offer.moves, [&](const agents::Move& move) {
                             return !rewrites.rewrite(found, move.parameters);
                           });
                           return offer;
                         });
}

Result<Kernel> rewritten(const Task& task, const std::string& technique,
                         const std::string& parameters, const Situation& situation) {
  return on_scene<Kernel>(
      task, technique, situation,
      [&](const SceneRewrites& rewrites, const Technique& found) -> Result<Kernel> {
        if (auto kernel = rewrites.rewrite(found, parameters)) return std::move(*kernel);
        return fail(Errc::invalid_argument,
                    technique + " refuses '" + parameters + "': " + rewrites.offer(found).refusal);
      });
}

void RewriteTest::SetUp() {
  auto builder = KernelBuilder::create();
  if (!builder) GTEST_SKIP() << builder.error().message;
  builder_.emplace(std::move(*builder));
}

void RewriteTest::build_for(const std::string& architecture) {
  auto builder = KernelBuilder::create(architecture);
  ASSERT_TRUE(builder.has_value()) << builder.error().message;
  builder_.emplace(std::move(*builder));
  comparison_.reset();
}

const RewriteComparison* RewriteTest::comparison_with(const Task& task, Where where) {
  if (comparison_ && comparison_->task() == task) return &*comparison_;
  auto made = RewriteComparison::create(*builder_, task);
  if (!made) {
    fail_at(where, "the given kernel: " + made.error().message);
    return nullptr;
  }
  comparison_.emplace(std::move(*made));
  return &*comparison_;
}

void RewriteTest::expect_same(const Task& task, const Kernel& kernel, const Closeness& closeness,
                              Where where) {
  const auto* const comparison = comparison_with(task, where);
  if (comparison == nullptr) return;
  const auto report = comparison->compare(kernel, closeness);
  if (!report.same()) fail_at(where, report.describe() + "in\n" + kernel.source);
}

void RewriteTest::expect_same(const Task& task, const std::string& technique,
                              const std::string& parameters, const Closeness& closeness,
                              Where where) {
  const auto kernel = rewritten(task, technique, parameters, situation);
  if (!kernel) return fail_at(where, kernel.error().message);
  const testing::ScopedTrace trace(where.file_name(), static_cast<int>(where.line()),
                                   technique + " " + parameters);
  expect_same(task, *kernel, closeness, where);
}

void RewriteTest::expect_all_same(const Task& task, const std::string& technique,
                                  const Closeness& closeness, Where where) {
  const auto offer = offer_of(task, technique, situation);
  if (!offer) return fail_at(where, offer.error().message);
  if (offer->moves.empty()) return fail_at(where, technique + " refuses: " + offer->refusal);
  for (const auto& move : offer->moves) {
    expect_same(task, technique, move.parameters, closeness, where);
  }
}

void RewriteTest::expect_noticed(const Task& task, const Kernel& broken, const Closeness& closeness,
                                 Where where) {
  const auto* const comparison = comparison_with(task, where);
  if (comparison == nullptr) return;
  if (const auto ptx = builder_->ptx(broken); !ptx) {
    return fail_at(where, "the seeded fault does not build: " + ptx.error().message);
  }
  if (comparison->compare(broken, closeness).same()) {
    fail_at(where, "the fault was not noticed in\n" + broken.source);
  }
}

void RewriteTest::expect_refused(const Task& task, const std::string& technique,
                                 const std::string& part, Where where) {
  const auto offer = offer_of(task, technique, situation);
  if (!offer) return fail_at(where, offer.error().message);
  if (!offer->moves.empty()) {
    return fail_at(where, technique + " offers '" + offer->moves.front().parameters + "'");
  }
  if (offer->refusal.find(part) == std::string::npos) {
    fail_at(where, technique + " refuses because of '" + offer->refusal + "'");
  }
}

Kernel RewriteTest::broken(Kernel kernel, const std::string& from, const std::string& to,
                           Where where) {
  const auto at = kernel.source.find(from);
  if (at == std::string::npos) {
    fail_at(where, "there is no '" + from + "' in\n" + kernel.source);
    return kernel;
  }
  kernel.source.replace(at, from.size(), to);
  return kernel;
}

}  // namespace warpmind::rewrites
