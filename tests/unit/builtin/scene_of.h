#pragma once
/// \file
/// A scene for tests of techniques: a source, its launches, some sizes, nothing known besides.

#include "agents/builtin/technique.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::agents::builtin {

class SceneOf {
 public:
  explicit SceneOf(Task task) : parts_(std::make_unique<Parts>(std::move(task))) {}
  /// The first workload is timed.
  SceneOf(std::string source, std::vector<Argument> arguments, std::vector<Launch> launches,
          std::vector<Sizes> sizes)
      : SceneOf(task_of(std::move(source), std::move(arguments), std::move(launches), sizes)) {}

  [[nodiscard]] Task& task() { return parts_->task; }
  [[nodiscard]] Bottleneck& bottleneck() { return parts_->bottleneck; }
  [[nodiscard]] DeviceSpec& device() { return parts_->device; }

  [[nodiscard]] Scene scene() const {
    auto scene = Scene::read(parts_->context);
    EXPECT_TRUE(scene.has_value());
    return std::move(*scene);
  }
  [[nodiscard]] Offer offer(std::string_view technique) const {
    return technique_called(technique).offer(scene());
  }
  /// Fails the test when the technique refuses.
  [[nodiscard]] Kernel apply(std::string_view technique, std::string_view parameters) const {
    auto kernel = technique_called(technique).apply(scene(), parameters);
    EXPECT_TRUE(kernel.has_value()) << technique << ": " << offer(technique).refusal;
    if (!kernel) return {};
    const auto source = CudaSource::read(kernel->source);
    EXPECT_TRUE(source && !source->tree.node(0).has_error) << kernel->source;
    return std::move(*kernel);
  }

  static const Technique& technique_called(std::string_view name) {
    const auto& all = techniques();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& t) { return t.name == name; });
    EXPECT_NE(found, all.end()) << name;
    return found == all.end() ? all.front() : *found;
  }

 private:
  static Task task_of(std::string source, std::vector<Argument> arguments,
                      std::vector<Launch> launches, const std::vector<Sizes>& sizes) {
    Task task;
    task.name = "test";
    task.arguments = std::move(arguments);
    for (const auto& size : sizes) {
      task.workloads.push_back(
          {"w" + std::to_string(task.workloads.size()), size, task.workloads.empty()});
    }
    task.kernel.source = std::move(source);
    task.kernel.plan.launches = std::move(launches);
    return task;
  }

  struct Parts {
    explicit Parts(Task given) : task(std::move(given)) {}
    Task task;
    Bottleneck bottleneck;
    Advice advice;
    DeviceSpec device;
    ProposalContext context{task, task.kernel, bottleneck, advice, device};
  };
  std::unique_ptr<Parts> parts_;
};

}  // namespace warpmind::agents::builtin
