#include "agents/builtin/forms/sort_pass_form.h"

#include "agents/builtin/contraction/uniform_expressions.h"
#include "agents/builtin/forms/digit_starts.h"
#include "agents/builtin/forms/sort_pass_launch.h"
#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>
#include <limits>

namespace warpmind::agents::builtin {
namespace {

constexpr int kPieceBytes = 16;  ///< of one wide load
/// Measured on an H200: what a thread that looks at keys one by one takes for each.
constexpr double kSerialKeyNs = 60;

tl::unexpected<Error> refuse(std::string why) { return fail(Errc::not_found, std::move(why)); }

/// Writes the problem of one pass and its facts.
class SortPassForm {
 public:
  SortPassForm(const Scene& scene, const SortPassLaunch& pass)
      : scene_(scene),
        pass_(pass),
        launches_(scene.launches_of(pass.launch)),
        parameters_(*pass.function) {}

  Result<NormalForm> write() {
    form_.kind = FormKind::sort_pass;
    if (auto before = launches_for_starts(scene_, pass_)) {
      form_.launches = std::move(*before);
    } else if (auto why = reason_to_keep_starts(); !why.empty()) {
      return refuse(why);
    } else {
      takes_starts_ = true;
    }
    form_.launches.push_back(pass_.launch);
    form_.kernel = scene_.function_of(form_.launches.front())->name;
    form_.types["key"] = pass_.key_type;
    form_.types["payload"] = payload();
    WARPMIND_CHECK(write_facts());
    const auto bound = closed_value(*pass_.body, pass_.loop.bound, {});
    if (!bound) return refuse("the number of keys is no plain expression");
    use_parameters(*bound);
    form_.problem = functions_text(*bound) + problem_text();
    form_.parameters = parameters_.declarations();
    form_.arguments = parameters_.arguments(scene_.plan().launches[pass_.launch].arguments);
    const auto& digits = std::to_string(pass_.digits);
    form_.summary = "stable pass over " + digits + " digits of " + pass_.key_type +
                    (pass_.carried.empty() ? "" : " with a value of " + payload()) +
                    (takes_starts_ ? ", starts given" : "") +
                    "; count=" + std::to_string(form_.facts.front().values.front());
    return std::move(form_);
  }

 private:
  [[nodiscard]] std::string payload() const {
    return pass_.carried.empty() ? "char" : pass_.carried.front().type;
  }

  /// Why the starts that a pass advances are missed when it does not advance them, or empty.
  [[nodiscard]] std::string reason_to_keep_starts() const {
    const auto& plan = scene_.plan();
    const auto& function = *pass_.function;
    const auto& arguments = plan.launches[pass_.launch].arguments;
    std::string buffer;
    for (std::size_t i = 0; i < function.parameters.size() && i < arguments.size(); ++i) {
      if (function.parameters[i].name == pass_.starts) buffer = arguments[i];
    }
    const bool advances = std::any_of(
        pass_.body->accesses().begin(), pass_.body->accesses().end(),
        [&](const MemoryAccess& access) { return access.is_store && access.root == pass_.starts; });
    if (!advances) return {};
    const bool is_scratch =
        std::any_of(plan.scratch.begin(), plan.scratch.end(),
                    [&](const ScratchBuffer& one) { return one.name == buffer; });
    if (!is_scratch) return "the advanced starts in '" + buffer + "' may be read afterwards";
    for (std::size_t i = pass_.launch + 1; i < plan.launches.size(); ++i) {
      if (contains(plan.launches[i].arguments, buffer)) {
        return "the advanced starts in '" + buffer + "' are used by a later launch";
      }
    }
    return {};
  }

  Result<void> write_facts() {
    const UniformExpressions uniform(scene_, *pass_.function, launches_);
    const auto bound = uniform.closed_text(pass_.loop.bound);
    const auto plan = bound ? uniform.plan_text(*bound) : std::nullopt;
    const auto counts = bound ? uniform.values(*bound) : std::nullopt;
    if (!plan || !counts) return refuse("the number of keys cannot be said in a launch plan");
    FormFact count{"count", *plan, {}};
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      const std::int64_t keys = std::max<std::int64_t>(counts->at(i), 0);
      if (keys > std::numeric_limits<std::int32_t>::max()) return refuse("there are 2^31 keys");
      form_.workloads.push_back(launches_[i].workload);
      count.values.push_back(keys);
      if (!launches_[i].timed) continue;
      ++form_.timed;
      form_.given_ns += kSerialKeyNs * static_cast<double>(keys);
    }
    form_.facts.push_back(std::move(count));
    const std::int64_t key_bytes = size_of_type(pass_.key_type);
    const std::int64_t payload_bytes = pass_.carried.empty() ? 0 : size_of_type(payload());
    const auto same = [&](std::string name, std::int64_t value) {
      form_.facts.push_back({std::move(name), std::to_string(value),
                             std::vector<std::int64_t>(launches_.size(), value)});
    };
    same("digits", pass_.digits);
    same("key_bytes", key_bytes);
    same("payload_bytes", payload_bytes);
    return {};
  }

  void use_parameters(const std::string& bound) {
    parameters_.use(bound);
    parameters_.use(pass_.digit);
    parameters_.use(pass_.keys);
    if (takes_starts_) parameters_.use(pass_.starts);
    for (const auto* list : {&pass_.key_stores, &pass_.carried}) {
      for (const SortedStore& store : *list) {
        parameters_.use(store.array);
        parameters_.use(store.value);
      }
    }
  }

  [[nodiscard]] std::string name(const char* what) const {
    return "wm_" + form_.kernel + "_" + what;
  }

  /// A function of the given code.
  [[nodiscard]] std::string function(const std::string& result, const char* what,
                                     const std::string& more, const std::string& lines) const {
    const std::string list = parameters_.declared_list();
    return "__device__ __forceinline__ " + result + " " + name(what) + "(" + list +
           (more.empty() ? "" : ", " + more) + ") {\n" + lines + "}\n";
  }

  [[nodiscard]] std::string functions_text(const std::string& bound) const {
    const std::string index = pass_.loop.variable->type;
    std::string stores;
    for (const SortedStore& store : pass_.key_stores) {
      stores += "  " + store.array + "[wm_at] = " + store.value + ";\n";
    }
    std::string text = "/// The digit of a key, and where keys and values are stored.\n";
    text += function("long long", "keys", "", "  return static_cast<long long>(" + bound + ");\n");
    text += function("unsigned", "digit", "const " + pass_.key_type + " wm_key",
                     "  return static_cast<unsigned>(" + pass_.digit + ");\n");
    text += function("void", "store", "const unsigned wm_at, const " + pass_.key_type + " wm_key",
                     stores);
    if (!pass_.carried.empty()) {
      const SortedStore& carried = pass_.carried.front();
      const bool needs_key = contains_word(carried.value, "wm_key");
      text += function(
          carried.type, "carried", "const " + index + " wm_i",
          (needs_key ? "  const " + pass_.key_type + " wm_key = " + pass_.keys + "[wm_i];\n"
                     : std::string()) +
              "  return " + carried.value + ";\n");
      text += function("void", "store_carried",
                       "const unsigned wm_at, const " + carried.type + " wm_value",
                       "  " + carried.array + "[wm_at] = wm_value;\n");
    }
    if (takes_starts_) {
      text += function("unsigned", "start", "const unsigned wm_digit",
                       "  return static_cast<unsigned>(" + pass_.starts + "[wm_digit]);\n");
    }
    return text;
  }

  /// A member that calls one of them.
  [[nodiscard]] std::string member(const std::string& result, const char* called,
                                   const std::string& parameters, const char* what,
                                   const std::string& more) const {
    return "  __device__ __forceinline__ " + result + " " + called + "(" + parameters +
           ") const {\n    " + (result == "void" ? "" : "return ") + name(what) + "(" +
           parameters_.passed_list() + (more.empty() ? "" : ", " + more) + ");\n  }\n";
  }

  [[nodiscard]] std::string problem_text() const {
    const int pack = kPieceBytes / size_of_type(pass_.key_type);
    const std::string array = "given_" + pass_.keys;
    const std::string index = pass_.loop.variable->type;
    std::string text = "struct wm_problem_" + form_.kernel + " {\n" + parameters_.members();
    text += "  using key = " + pass_.key_type + ";\n  using payload = " + payload() +
            ";\n  using index = unsigned;\n  static constexpr int pack = " + std::to_string(pack) +
            ";\n  static constexpr bool carries = " + (pass_.carried.empty() ? "false" : "true") +
            ";\n";
    text +=
        "  __device__ __forceinline__ index count() const {\n    return static_cast<index>(max(" +
        name("keys") + "(" + parameters_.passed_list() + "), 0ll));\n  }\n";
    text += "  __device__ __forceinline__ key load(const index wm_i) const { return " + array +
            "[wm_i]; }\n";
    text +=
        "  __device__ __forceinline__ bool wide() const {\n    return "
        "reinterpret_cast<size_t>(" +
        array + ") % 16 == 0;\n  }\n";
    text +=
        "  __device__ __forceinline__ void load_piece(const index wm_i, key (&wm_out)[pack]) "
        "const {\n    alignas(16) key wm_piece[pack];\n    *reinterpret_cast<uint4*>(wm_piece) "
        "= *reinterpret_cast<const uint4*>(" +
        array +
        " + wm_i);\n#pragma unroll\n    for (int wm_k = 0; wm_k < pack; ++wm_k) wm_out[wm_k] = "
        "wm_piece[wm_k];\n  }\n";
    text += member("unsigned", "digit", "const key wm_key", "digit", "wm_key");
    text +=
        member("void", "store", "const unsigned wm_at, const key wm_key", "store", "wm_at, wm_key");
    text += takes_starts_ ? member("unsigned", "start", "const unsigned wm_digit, const unsigned",
                                   "start", "wm_digit")
                          : std::string(
                                "  __device__ __forceinline__ unsigned start(const unsigned, const "
                                "unsigned wm_sum) const { return wm_sum; }\n");
    if (pass_.carried.empty()) {
      text +=
          "  __device__ __forceinline__ payload carried(const index) const { return 0; }\n"
          "  __device__ __forceinline__ void store_carried(const unsigned, const payload) "
          "const {}\n";
    } else {
      text += member("payload", "carried", "const index wm_i", "carried",
                     "static_cast<" + index + ">(wm_i)");
      text += member("void", "store_carried", "const unsigned wm_at, const payload wm_value",
                     "store_carried", "wm_at, wm_value");
    }
    return text + "};";
  }

  const Scene& scene_;
  const SortPassLaunch& pass_;
  const std::vector<SceneLaunch> launches_;
  MovedParameters parameters_;
  NormalForm form_;
  bool takes_starts_ = false;
};

}  // namespace

Result<std::vector<NormalForm>> find_sort_pass_forms(const Scene& scene) {
  std::vector<NormalForm> forms;
  std::string refusal;
  for (std::size_t i = 0; i < scene.plan().launches.size(); ++i) {
    const auto pass = find_sort_pass_launch(scene, i);
    Result<NormalForm> form =
        pass ? SortPassForm(scene, *pass).write() : refuse(pass.error().message);
    if (form) {
      forms.push_back(std::move(*form));
    } else {
      // The reason of the last launch: the pass comes behind counts and sums.
      refusal = form.error().message;
    }
  }
  if (forms.empty()) return refuse(refusal.empty() ? "no launch of a kernel is known" : refusal);
  return forms;
}

}  // namespace warpmind::agents::builtin
