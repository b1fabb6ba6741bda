#include "agents/builtin/hosting/dispatch_text.h"

#include "base/plan_evaluation.h"
#include "base/sequence.h"
#include "base/text.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

namespace warpmind::agents::builtin {
namespace {

using profilers::RecordedLaunch;

constexpr std::int64_t kPlainSharedBytes = std::int64_t{48} * 1024;

constexpr std::string_view kHelpers =
    R"(static inline bool wm_is_extent(const dim3& given, unsigned x, unsigned y, unsigned z) {
  return given.x == x && given.y == y && given.z == z;
}
template <typename T>
static inline bool wm_is_same(const T& given, const T& recorded) {
  return std::memcmp(&given, &recorded, sizeof(T)) == 0;
}
static inline bool wm_is_aligned(const void* pointer) {
  return pointer != nullptr && reinterpret_cast<size_t>(pointer) % 16 == 0;
}
static inline bool wm_are_apart(const void* a, size_t a_bytes, const void* b, size_t b_bytes) {
  const size_t first = reinterpret_cast<size_t>(a);
  const size_t second = reinterpret_cast<size_t>(b);
  return first + a_bytes <= second || second + b_bytes <= first;
}
)";

/// One parameter of a given kernel as a parameter of the dispatch.
struct Passed {
  std::string variable;  ///< "x", "x_2" where another launch of the part has an x, too
  std::string type;
  bool is_pointer = false;
  std::string argument;  ///< of the given plan: a buffer, or "i32:7"
};

struct Buffer {
  std::string variable;  ///< empty: the dispatch allocates it
  std::string type;
  std::int64_t bytes = 0;
  bool is_written = false;
  bool zeroed = false;
};

std::string extents_text(const std::array<std::uint32_t, 3>& extents) {
  return std::to_string(extents[0]) + ", " + std::to_string(extents[1]) + ", " +
         std::to_string(extents[2]);
}

/// The value of "i32:rows*2" or "f32:0.5" as C++, without its type.
Result<std::string> literal_of(const std::string& argument, const LaunchPlan& plan) {
  const auto colon = argument.find(':');
  const auto dtype = parse_enum<Dtype>(argument.substr(0, colon));
  const std::string text = argument.substr(colon + 1);
  WARPMIND_TRY(const auto names, names_of(plan, {}));
  const auto number = evaluate(text, names);
  if (dtype && !is_floating(*dtype)) {
    if (!number) return fail(number.error());
    return std::to_string(*number) + "LL";
  }
  const double value = number ? static_cast<double>(*number) : std::strtod(text.c_str(), nullptr);
  std::array<char, 64> digits{};
  std::snprintf(digits.data(), digits.size(), "%a", value);
  return std::string(digits.data());
}

/// Without a `const` in front, for values.
std::string value_type(const std::string& type) {
  return type.starts_with("const ") ? type.substr(6) : type;
}

class DispatchWriter {
 public:
  explicit DispatchWriter(const DispatchParts& parts) : parts_(parts) {}

  Result<Dispatch> write(const std::string& name) {
    collect_parameters();
    WARPMIND_CHECK(collect_buffers());
    Dispatch dispatch;
    dispatch.name = name;
    const std::string head = "static void " + name + "(" + join_text(head_, ", ") + ")";
    dispatch.declaration = head + ";\n";
    WARPMIND_TRY(const auto plan, plan_text());
    WARPMIND_TRY(const auto guard, guard_text());
    dispatch.definition = head + " {\n";
    if (parts_.assume_shapes) {
      dispatch.definition +=
          "  // For the sizes of the recorded run and no others.\n" + unused() + plan + "}\n";
      return dispatch;
    }
    dispatch.definition +=
        "  // What was recorded runs the rewritten kernels, anything else the given ones.\n"
        "  const bool wm_recorded =\n      " +
        guard + ";\n  if (!wm_recorded) {\n" + original_text() + "    return;\n  }\n" + plan +
        "}\n";
    return dispatch;
  }

 private:
  [[nodiscard]] const std::vector<Launch>& given() const {
    return parts_.part.task.kernel.plan.launches;
  }

  [[nodiscard]] std::string numbered(const std::string& name, std::size_t launch) const {
    return given().size() == 1 ? name : name + std::to_string(launch + 1);
  }

  void collect_parameters() {
    std::vector<std::string> taken;
    passed_.resize(given().size());
    for (std::size_t i = 0; i < given().size(); ++i) {
      head_.push_back("const dim3& " + numbered("wm_grid", i));
      head_.push_back("const dim3& " + numbered("wm_block", i));
      head_.push_back("size_t " + numbered("wm_shared", i));
    }
    head_.emplace_back("cudaStream_t wm_stream");
    for (std::size_t i = 0; i < given().size(); ++i) {
      const Function& kernel = *parts_.program.kernel(parts_.part.kernels[i]);
      for (std::size_t p = 0; p < kernel.parameters.size(); ++p) {
        const Parameter& parameter = kernel.parameters[p];
        std::string variable = parameter.name;
        for (int n = 2; contains(taken, variable); ++n) {
          variable = parameter.name + "_" + std::to_string(n);
        }
        taken.push_back(variable);
        head_.push_back(parameter.type + " " + variable);
        passed_[i].push_back(
            {variable, parameter.type, parameter.is_pointer, given()[i].arguments[p]});
      }
    }
  }

  Result<void> collect_buffers() {
    const Task& task = parts_.part.task;
    for (const auto& argument : task.arguments) {
      WARPMIND_TRY(const auto elements, evaluate_product(argument.shape, {}));
      buffers_[argument.name] = {
          "", "", elements * static_cast<std::int64_t>(size_in_bytes(argument.dtype)),
          argument.kind != ArgumentKind::in, false};
    }
    for (const auto& scratch : task.kernel.plan.scratch) {
      WARPMIND_TRY(const auto elements, evaluate_scratch_elements(scratch, task.kernel.plan, {}));
      buffers_[scratch.name] = {
          "", "", elements * static_cast<std::int64_t>(size_in_bytes(scratch.dtype)), true, false};
    }
    for (const auto& launch : passed_) {
      for (const auto& passed : launch) {
        const auto buffer = buffers_.find(passed.argument);
        if (buffer == buffers_.end() || !buffer->second.variable.empty()) continue;
        buffer->second.variable = passed.variable;
        buffer->second.type = passed.type;
      }
    }
    for (const auto& scratch : parts_.plan.scratch) {
      if (buffers_.contains(scratch.name)) continue;  // the program's own
      WARPMIND_TRY(const auto elements, evaluate_scratch_elements(scratch, parts_.plan, {}));
      Buffer buffer;
      buffer.bytes = elements * static_cast<std::int64_t>(size_in_bytes(scratch.dtype));
      buffer.zeroed = scratch.zeroed;
      buffer.variable = "wm_scratch" + std::to_string(allocated_.size() + 1);
      buffer.type = "void*";
      buffers_[scratch.name] = buffer;
      allocated_.push_back(buffer);
    }
    return {};
  }

  /// Configurations and scalars, then pointers.
  Result<std::string> guard_text() const {
    std::vector<std::string> terms;
    for (std::size_t i = 0; i < given().size(); ++i) {
      const RecordedLaunch& launch = parts_.record.launches[parts_.part.launches[i]];
      terms.push_back("wm_is_extent(" + numbered("wm_grid", i) + ", " + extents_text(launch.grid) +
                      ")");
      terms.push_back("wm_is_extent(" + numbered("wm_block", i) + ", " +
                      extents_text(launch.block) + ")");
      terms.push_back(numbered("wm_shared", i) + " == " + std::to_string(launch.shared_bytes));
      for (const auto& passed : passed_[i]) {
        WARPMIND_TRY(auto term, term_of(passed));
        terms.push_back(std::move(term));
      }
    }
    for (auto a = buffers_.begin(); a != buffers_.end(); ++a) {
      for (auto b = std::next(a); b != buffers_.end(); ++b) {
        if (auto term = apart(a->second, b->second); !term.empty()) terms.push_back(term);
      }
    }
    return join_text(terms, " &&\n      ");
  }

  [[nodiscard]] static std::string apart(const Buffer& a, const Buffer& b) {
    const bool allocated =
        a.variable.starts_with("wm_scratch") || b.variable.starts_with("wm_scratch");
    if (allocated || (!a.is_written && !b.is_written)) return {};
    return "wm_are_apart(" + a.variable + ", " + std::to_string(a.bytes) + ", " + b.variable +
           ", " + std::to_string(b.bytes) + ")";
  }

  Result<std::string> term_of(const Passed& passed) const {
    const auto buffer = buffers_.find(passed.argument);
    if (buffer != buffers_.end()) {
      const std::string& first = buffer->second.variable;
      if (first != passed.variable) return passed.variable + " == " + first;
      return "wm_is_aligned(" + passed.variable + ")";
    }
    if (passed.is_pointer) return passed.variable + " == nullptr";
    WARPMIND_TRY(const auto literal, literal_of(passed.argument, parts_.part.task.kernel.plan));
    const std::string type = value_type(passed.type);
    return "wm_is_same<" + type + ">(" + passed.variable + ", static_cast<" + type + ">(" +
           literal + "))";
  }

  [[nodiscard]] std::string original_text() const {
    std::string text;
    for (std::size_t i = 0; i < given().size(); ++i) {
      std::vector<std::string> arguments;
      for (const auto& passed : passed_[i]) arguments.push_back(passed.variable);
      text += "    " + parts_.part.kernels[i] + "<<<" + numbered("wm_grid", i) + ", " +
              numbered("wm_block", i) + ", " + numbered("wm_shared", i) + ", wm_stream>>>(" +
              join_text(arguments, ", ") + ");\n";
    }
    return text;
  }

  /// Parameters that only the guard would look at.
  [[nodiscard]] std::string unused() const {
    std::string text;
    for (std::size_t i = 0; i < given().size(); ++i) {
      for (const char* const name : {"wm_grid", "wm_block", "wm_shared"}) {
        text += "  (void)" + numbered(name, i) + ";\n";
      }
      for (const auto& passed : passed_[i]) text += "  (void)" + passed.variable + ";\n";
    }
    return text;
  }

  Result<std::string> plan_text() const {
    std::string text;
    for (std::size_t i = 0; i < allocated_.size(); ++i) {
      const Buffer& buffer = allocated_[i];
      const std::string bytes = std::to_string(buffer.bytes);
      text += "  void* " + buffer.variable + " = nullptr;\n";
      std::string failed = "{\n";
      for (std::size_t j = i; j > 0; --j) {
        failed.append("    cudaFreeAsync(").append(allocated_[j - 1].variable);
        failed.append(", wm_stream);\n");
      }
      failed += "    return;  // cudaGetLastError() says why\n  }\n";
      text.append("  if (cudaMallocAsync(&").append(buffer.variable).append(", ").append(bytes);
      text.append(", wm_stream) != cudaSuccess) ").append(failed);
      if (buffer.zeroed) {
        text += "  cudaMemsetAsync(" + buffer.variable + ", 0, " + bytes + ", wm_stream);\n";
      }
    }
    for (const auto& launch : parts_.plan.launches) {
      WARPMIND_TRY(const auto line, launch_text(launch));
      text += line;
    }
    for (const auto& buffer : allocated_) {
      text += "  cudaFreeAsync(" + buffer.variable + ", wm_stream);\n";
    }
    return text;
  }

  Result<std::string> launch_text(const Launch& launch) const {
    WARPMIND_TRY(const auto numbers, evaluate_launch(launch, parts_.plan, {}));
    const Function* const kernel = parts_.rewritten.kernel(launch.kernel);
    if (kernel == nullptr || kernel->parameters.size() != launch.arguments.size()) {
      return fail(Errc::invalid_argument, "the launch of '" + launch.kernel + "' does not fit it");
    }
    const std::string& name = parts_.kernels.at(launch.kernel);
    std::vector<std::string> arguments;
    for (std::size_t p = 0; p < launch.arguments.size(); ++p) {
      WARPMIND_TRY(auto argument, argument_text(launch.arguments[p], kernel->parameters[p]));
      arguments.push_back(std::move(argument));
    }
    std::string text;
    if (numbers.shared_bytes > kPlainSharedBytes) {
      text = "  cudaFuncSetAttribute(" + name + ", cudaFuncAttributeMaxDynamicSharedMemorySize, " +
             std::to_string(numbers.shared_bytes) + ");\n";
    }
    if (launch.cooperative) {
      return fail(Errc::invalid_argument, "the launch of '" + launch.kernel +
                                              "' is cooperative, which cannot be written back yet");
    }
    return text + "  " + name + "<<<dim3(" + extents_text(numbers.grid) + "), dim3(" +
           extents_text(numbers.block) + "), " + std::to_string(numbers.shared_bytes) +
           ", wm_stream>>>(" + join_text(arguments, ", ") + ");\n";
  }

  Result<std::string> argument_text(const std::string& argument, const Parameter& parameter) const {
    if (!is_scalar_argument(argument)) {
      const auto buffer = buffers_.find(argument);
      if (buffer == buffers_.end() || buffer->second.variable.empty()) {
        return fail(Errc::invalid_argument, "the program has no buffer '" + argument + "'");
      }
      if (buffer->second.type == parameter.type) return buffer->second.variable;
      return "(" + parameter.type + ")" + buffer->second.variable;
    }
    if (parameter.is_pointer) return std::string("nullptr");
    WARPMIND_TRY(const auto literal, literal_of(argument, parts_.plan));
    return "static_cast<" + value_type(parameter.type) + ">(" + literal + ")";
  }

  const DispatchParts& parts_;
  std::vector<std::string> head_;
  std::vector<std::vector<Passed>> passed_;  ///< by launch
  std::map<std::string, Buffer> buffers_;    ///< by name in the plans
  std::vector<Buffer> allocated_;
};

}  // namespace

Result<Dispatch> dispatch_of(const DispatchParts& parts, const std::string& name) {
  return DispatchWriter(parts).write(name);
}

std::string_view dispatch_helpers() { return kHelpers; }

}  // namespace warpmind::agents::builtin
