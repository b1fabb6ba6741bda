// Runs a driver with three seeds: `strict SEED…`. Prints a line `STRICT {json}` for each seed.
#include "hooks.h"
#include "judge.h"
#include "shadow.h"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>

namespace level1_strict {
namespace {

struct Finding {
  bool compared = false;
  bool driver_passes = false;
  StrictVerdict verdict;            ///< of the poisoned run
  bool right_when_initial = false;  ///< right in memory as the driver left it
  std::string inputs_changed;
  std::string problem;       ///< why nothing can be said
  bool takes_zeros = false;  ///< the driver's rule, and zeros in place of the output
  bool takes_mean = false;
  bool takes_other_seed = false;
  bool strict_takes_zeros = false;
};

struct Run {
  bool surveying = false;
  TensorNumbers rounded;   ///< what the kernel is given; found by the survey
  torch::Tensor poisoned;  ///< the output of the poisoned run
  torch::Tensor initial;   ///< that of the other
  torch::Tensor earlier;   ///< what was right for the seed before
  Finding finding;
};

Run& run() {
  static Run only;
  return only;
}

void wait_for_device() {
  if (torch::cuda::is_available()) torch::cuda::synchronize();
}

void poison(const torch::Tensor& tensor) {
  if (tensor.is_floating_point()) {
    tensor.fill_(std::numeric_limits<double>::quiet_NaN());
  } else {
    tensor.fill_(-77);
  }
}

torch::Tensor flat(const torch::Tensor& tensor) {
  return tensor.detach().to(torch::kFloat64).reshape({-1});
}

/// Fills in the controls of the driver's own rule.
void try_controls(const torch::Tensor& output, const torch::Tensor& reference,
                  const torch::Tensor& exact, double rtol, double atol) {
  Finding& finding = run().finding;
  const auto takes = [&](const torch::Tensor& other) {
    return torch::allclose(other, reference, rtol, atol);
  };
  const auto zeros = torch::zeros_like(reference);
  finding.takes_zeros = takes(zeros);
  finding.strict_takes_zeros =
      judge_values(flat(zeros), flat(reference), exact, output.scalar_type()).passed;
  if (!reference.is_floating_point()) return;
  const auto finite = torch::where(torch::isfinite(exact), exact, torch::zeros_like(exact));
  finding.takes_mean = takes(torch::full_like(reference, finite.mean().item<double>()));
  if (run().earlier.defined()) finding.takes_other_seed = takes(run().earlier);
  run().earlier = reference.detach().clone();
}

void judge(const torch::Tensor& reference, double rtol, double atol) {
  Finding& finding = run().finding;
  const auto exact = exact_of(reference);
  if (!exact || !shadow_problem().empty()) {
    finding.problem = "the reference has no float64";
    if (!shadow_problem().empty()) finding.problem += ": " + shadow_problem();
    return;
  }
  if (!run().poisoned.defined() || run().poisoned.numel() != reference.numel()) {
    finding.problem = "the output is no tensor of the reference's size";
    return;
  }
  const auto right = flat(*exact);
  const auto eager = flat(reference);
  const auto type = run().poisoned.scalar_type();
  finding.verdict = judge_values(flat(run().poisoned), eager, right, type);
  finding.right_when_initial =
      finding.verdict.passed || judge_values(flat(run().initial), eager, right, type).passed;
  try_controls(run().poisoned, reference, right, rtol, atol);
}

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

void print(int seed) {
  const Finding& f = run().finding;
  std::ostringstream line;
  line << std::boolalpha << "STRICT {\"seed\": " << seed << ", \"compared\": " << f.compared
       << ", \"driver_passes\": " << f.driver_passes << ", \"strict_passes\": " << f.verdict.passed
       << ", \"reason\": " << json_text(f.verdict.reason)
       << ", \"worst\": " << (std::isfinite(f.verdict.worst) ? f.verdict.worst : 1e300)
       << ", \"tiles\": " << f.verdict.tiles << ", \"bad_tiles\": " << f.verdict.bad_tiles
       << ", \"error\": "
       << (std::isfinite(f.verdict.candidate_error) ? f.verdict.candidate_error : 1e300)
       << ", \"eager_error\": " << f.verdict.eager_error
       << ", \"right_when_initial\": " << f.right_when_initial
       << ", \"inputs_changed\": " << json_text(f.inputs_changed)
       << ", \"problem\": " << json_text(f.problem) << ", \"takes_zeros\": " << f.takes_zeros
       << ", \"takes_mean\": " << f.takes_mean << ", \"takes_other_seed\": " << f.takes_other_seed
       << ", \"strict_takes_zeros\": " << f.strict_takes_zeros << "}";
  // Drivers may leave a line unfinished.
  std::cout << std::flush;
  std::printf("\n%s\n", line.str().c_str());
  std::fflush(stdout);
}

void drive(int seed) {
  torch::manual_seed(static_cast<std::uint64_t>(seed));
  run().finding = Finding();
  run().poisoned = run().initial = torch::Tensor();
  begin_shadow(run().rounded, !run().surveying);
  try {
    const torch::NoGradGuard no_grad;
    (void)level1_driver_main();
  } catch (const std::exception& e) {
    const std::string text = e.what();
    run().finding.problem = "the driver throws: " + text.substr(0, text.find('\n'));
  }
  end_shadow();
}

}  // namespace

void run_launcher(const std::vector<const void*>& pointers, const std::function<void()>& launch) {
  const Unfollowed ours;
  if (run().surveying) {
    for (const void* const pointer : pointers) run().rounded.merge(numbers_at(pointer));
    return;
  }
  wait_for_device();
  const auto output = pointers.empty() ? torch::Tensor() : tensor_at(pointers[0]);
  if (!output.defined()) {
    run().finding.problem = "the launcher's first argument is no tensor";
    return launch();
  }
  std::vector<std::pair<torch::Tensor, torch::Tensor>> inputs;
  for (std::size_t i = 1; i < pointers.size(); ++i) {
    if (auto input = tensor_at(pointers[i]); input.defined()) {
      inputs.emplace_back(input, input.clone());
    }
  }
  const auto before = output.clone();
  poison(output);
  wait_for_device();
  launch();
  wait_for_device();
  run().poisoned = output.clone();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto& [input, kept] = inputs[i];
    if (!input.equal(kept)) {
      run().finding.inputs_changed +=
          (run().finding.inputs_changed.empty() ? "" : ", ") + std::to_string(i + 1);
      input.copy_(kept);
    }
  }
  output.copy_(before);
  wait_for_device();
  launch();
  wait_for_device();
  run().initial = output.clone();
  mark_output(pointers[0]);
}

bool allclose(const torch::Tensor& a, const torch::Tensor& b, double rtol, double atol,
              bool equal_nan) {
  const Unfollowed ours;
  if (run().surveying || run().finding.compared)
    return torch::allclose(a, b, rtol, atol, equal_nan);
  Finding& finding = run().finding;
  finding.compared = true;
  finding.driver_passes = torch::allclose(a, b, rtol, atol, equal_nan);
  if (is_of_output(a) == is_of_output(b)) {
    finding.problem = "it does not compare the output with something else";
  } else if (finding.problem.empty()) {
    judge(is_of_output(a) ? b : a, rtol, atol);
  }
  return finding.driver_passes;
}

int main_of_seeds(int count, char** words) {
  run().surveying = true;
  drive(1);
  run().surveying = false;
  for (int i = 1; i < count; ++i) {
    const int seed = std::atoi(words[i]);
    drive(seed);
    print(seed);
  }
  return 0;
}

}  // namespace level1_strict

int main(int count, char** words) {
  const int code = level1_strict::main_of_seeds(count, words);
  std::cout << std::flush;
  std::_Exit(code);  // libraries of CUDA may end in any order
}
