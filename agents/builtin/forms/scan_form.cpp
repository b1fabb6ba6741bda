#include "agents/builtin/forms/scan_form.h"

#include "agents/builtin/contraction/uniform_expressions.h"
#include "agents/builtin/forms/own_prefix.h"
#include "agents/builtin/forms/scan_problem.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/probe/probe_points.h"
#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

/// Of one thread for a term that it takes in behind the one before.
constexpr double kSerialNanoseconds = 25;
constexpr double kThreadsPerMultiprocessor = 2048;

std::string_view word_of(Combining how) {
  switch (how) {
    case Combining::sum: return "sum";
    case Combining::product: return "product";
    case Combining::minimum: return "minimum";
    case Combining::maximum: return "maximum";
    case Combining::bit_and: return "and";
    case Combining::bit_or: return "or";
    case Combining::bit_xor: return "xor";
  }
  return {};
}

/// Facts of one launch of the plan that runs the kernel of `site`.
class ScanFacts {
 public:
  ScanFacts(const Scene& scene, const KernelBody& body, const ScanSite& site, std::size_t launch)
      : scene_(scene),
        body_(body),
        site_(site),
        launch_(launch),
        launches_(scene.launches_of(launch)) {}

  [[nodiscard]] const std::vector<SceneLaunch>& launches() const { return launches_; }

  [[nodiscard]] FormFact rows() const {
    FormFact fact{"rows", "1", {}};
    const auto& given = scene_.plan().launches[launch_];
    const bool is_thread = site_.walkers == ScanWalkers::every_thread;
    if (site_.walkers != ScanWalkers::one) {
      std::string grid = given.grid[0];
      for (std::size_t i = 0; i < kBlockNames.size(); ++i) {
        grid = with_number(grid, kBlockNames.at(i), site_.block.at(i));
      }
      fact.plan = "(" + grid + ")";
      if (is_thread) fact.plan += " * " + std::to_string(site_.block[0]);
    }
    for (const SceneLaunch& launch : launches_) {
      const std::int64_t blocks = launch.shape.grid[0];
      fact.values.push_back(site_.walkers == ScanWalkers::one ? 1
                            : is_thread                       ? blocks * site_.block[0]
                                                              : blocks);
    }
    return fact;
  }

  /// Terms of the longest row.
  [[nodiscard]] Result<FormFact> length() const {
    const CountedLoop& header = site_.loop.header;
    FormFact fact{"length", "", {}};
    const UniformExpressions expressions(scene_, body_.function(), launches_);
    auto low = expressions.closed_text(header.start);
    auto high = expressions.closed_text(header.bound);
    if (site_.loop.counts_down) std::swap(low, high);
    if (low && high) {
      std::string text = "((" + *high + ") - (" + *low + "))";
      if (header.is_inclusive) text = "(" + text + " + 1)";
      const auto values = expressions.values(text);
      const auto plan = expressions.plan_text(text);
      if (values && plan) {
        fact.plan = "max(" + *plan + ", 0)";
        fact.values = *values;
      }
    }
    if (fact.plan.empty()) WARPMIND_CHECK(find_longest(fact));
    for (auto& value : fact.values) {
      value = (std::max<std::int64_t>(value, 0) + site_.loop.step - 1) / site_.loop.step;
    }
    if (site_.loop.step > 1 && !fact.plan.empty()) {
      fact.plan = "ceil_div(" + fact.plan + ", " + std::to_string(site_.loop.step) + ")";
    }
    return fact;
  }

 private:
  static constexpr std::array<std::string_view, 3> kBlockNames{"block_x", "block_y", "block_z"};

  /// Rows differ: only a probe can tell, and no plan.
  Result<void> find_longest(FormFact& fact) const {
    for (const SceneLaunch& launch : launches_) {
      const KernelProber prober(scene_.source(), body_.function(), launch);
      std::int64_t longest = -1;
      for (const auto& thread : probe_threads(prober, site_.loop.header.node, 8)) {
        longest = std::max(longest, prober.trips(site_.loop.header.node, thread).value_or(-1));
      }
      if (longest < 0) {
        return fail(Errc::not_found, "how long its rows are, only the data say");
      }
      fact.values.push_back(longest * site_.loop.step);
    }
    return {};
  }

  const Scene& scene_;
  const KernelBody& body_;
  const ScanSite& site_;
  std::size_t launch_;
  std::vector<SceneLaunch> launches_;
};

/// Whether terms of a row lie side by side, as far as the indices of its loads say.
bool is_contiguous(const KernelBody& body, const LoopMemory& loop) {
  return std::any_of(loop.loads.begin(), loop.loads.end(), [&](const MemoryAccess* load) {
    if (load->index == kNoNode) return false;
    const auto along = coefficient(body, load->index, *loop.header.variable, loop.header.node);
    return along && *along * *along == 1;
  });
}

std::string summary_of(const NormalForm& form, const std::vector<CarriedValue>& carried) {
  std::vector<std::string> values;
  values.reserve(carried.size());
  for (const auto& value : carried) {
    values.push_back(value.variable->type + " " + std::string(word_of(value.how)));
  }
  std::string text = "scan, " + join_text(values, " and ");
  if (!form.workloads.empty()) {
    text += "; rows=" + std::to_string(form.fact("rows")->values.front()) +
            ", length=" + std::to_string(form.fact("length")->values.front());
  }
  return text;
}

/// What the two ways to spell a scan have in common.
struct ScanParts {
  ScanProblem problem;
  FormFact rows, length;
  const std::vector<CarriedValue>& values;
  bool is_contiguous = false;
};

NormalForm form_with(const Scene& scene, const KernelBody& body, std::size_t launch,
                     ScanParts parts) {
  NormalForm form;
  form.kind = FormKind::scan;
  form.launches = {launch};
  form.kernel = body.function().name;
  for (const SceneLaunch& one : scene.launches_of(launch)) {
    form.workloads.push_back(one.workload);
    if (one.timed) ++form.timed;
  }
  const auto same = [&](std::int64_t value) {
    return std::vector<std::int64_t>(form.workloads.size(), value);
  };
  form.problem = std::move(parts.problem.text);
  form.types.emplace("value", parts.problem.value_type);
  form.facts = {std::move(parts.rows), std::move(parts.length)};
  const bool reorders =
      std::all_of(parts.values.begin(), parts.values.end(), [&](const CarriedValue& value) {
        return may_reorder(scene, value.variable->type, value.how);
      });
  form.facts.push_back({"is_exact", "", same(reorders ? 0 : 1)});
  form.facts.push_back({"is_contiguous", "", same(parts.is_contiguous ? 1 : 0)});
  const std::int64_t bytes = parts.problem.value_bytes;
  form.facts.push_back({"value_bytes", std::to_string(bytes), same(bytes)});
  for (const auto& parameter : body.function().parameters) {
    form.parameters.push_back(parameter.type + " " + parameter.name);
  }
  form.arguments = scene.plan().launches[launch].arguments;
  if (parts.problem.needs_rows) {
    form.parameters.push_back(std::string("unsigned ") + kScanRows);
    form.arguments.push_back("u32:" + form.fact("rows")->plan);
  }
  form.summary = summary_of(form, parts.values);
  return form;
}

/// `steps(row count, length)` one behind the other, by as many threads as run at a time.
template <class Steps>
double given_nanoseconds(const Scene& scene, const NormalForm& form, Steps steps) {
  // Rows that lie apart in memory: a warp's load brings a sector for each of its threads.
  constexpr double kBytesATerm = 64;
  constexpr double kLaunchNanoseconds = 2500;
  const double bandwidth = std::max(scene.context().device.memory_bandwidth_gb_s, 500.0);
  const double at_a_time = std::max(1, scene.context().device.sm_count) * kThreadsPerMultiprocessor;
  double sum = 0;
  for (std::size_t i = 0; i < form.timed; ++i) {
    const auto rows = static_cast<double>(form.fact("rows")->values[i]);
    const auto length = static_cast<double>(form.fact("length")->values[i]);
    const double walks = steps(rows, length, at_a_time) * kSerialNanoseconds;
    const double memory = rows >= 32 ? rows * length * kBytesATerm / bandwidth : 0;
    sum += std::max(walks, memory) + kLaunchNanoseconds;
  }
  return sum;
}

Result<NormalForm> form_of(const Scene& scene, const KernelBody& body, const ScanSite& site,
                           std::size_t launch) {
  const ScanFacts facts(scene, body, site, launch);
  WARPMIND_TRY(auto length, facts.length());
  NormalForm form = form_with(scene, body, launch,
                              {scan_problem(scene, body, site), facts.rows(), std::move(length),
                               site.loop.values, is_contiguous(body, site.loop)});
  form.given_ns = given_nanoseconds(scene, form, [](double rows, double terms, double at_a_time) {
    return terms * std::max(1.0, rows / at_a_time);
  });
  return form;
}

/// Every thread sums its own prefix.
Result<NormalForm> form_of_prefixes(const Scene& scene, const KernelBody& body,
                                    std::size_t launch) {
  const auto launches = scene.launches_of(launch);
  WARPMIND_TRY(const auto prefix, find_own_prefix(scene, body, launches));
  const UniformExpressions expressions(scene, body.function(), launches);
  const auto outputs = plan_extent(scene, launch, expressions, prefix.output);
  const auto rows = prefix.row ? plan_extent(scene, launch, expressions, *prefix.row)
                               : std::optional<std::string>("1");
  if (!outputs || !rows) return fail(Errc::not_found, "no plan can say how many outputs there are");
  FormFact row_fact{"rows", *rows, std::vector<std::int64_t>(launches.size(), 1)};
  if (prefix.row) row_fact.values = prefix.row->extents;
  FormFact length{"length", *outputs, prefix.output.extents};
  NormalForm form =
      form_with(scene, body, launch,
                {own_prefix_problem(body, prefix), std::move(row_fact), std::move(length),
                 prefix.values, is_contiguous(body, prefix.facts)});
  form.given_ns = given_nanoseconds(scene, form, [](double rows_now, double terms, double at_once) {
    return terms * std::max(1.0, rows_now * terms / at_once) / 4;
  });
  return form;
}

}  // namespace

Result<std::vector<NormalForm>> find_scan_forms(const Scene& scene) {
  std::vector<NormalForm> forms;
  std::string refusal = for_each_kernel(scene, [&](const Function& function, std::size_t) {
    const KernelBody body(scene.source(), function);
    const auto site = find_scan_site(scene, body);
    std::string why;
    for (const std::size_t launch : launches_running(scene, function)) {
      auto form =
          site ? form_of(scene, body, *site, launch) : form_of_prefixes(scene, body, launch);
      if (form) {
        forms.push_back(std::move(*form));
        continue;
      }
      // A loop that is nearly a scan says more than that there is no other.
      const bool is_near = !site && site.error().message != kNoScanLoop;
      why = is_near ? site.error().message : form.error().message;
    }
    return why.empty() ? why : "'" + function.name + "': " + why;
  });
  if (forms.empty()) return fail(Errc::not_found, std::move(refusal));
  return forms;
}

}  // namespace warpmind::agents::builtin
