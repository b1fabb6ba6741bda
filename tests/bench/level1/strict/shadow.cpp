#include "shadow.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <string_view>
#include <torch/library.h>
#include <unordered_map>
#include <utility>

namespace level1_strict {
namespace {

using c10::IValue;
constexpr auto kKey = c10::DispatchKey::TESTING_ONLY_GenericMode;

struct Followed {
  torch::Tensor kept;  // so that no address is used twice
  std::int64_t number = 0;
  std::optional<torch::Tensor> exact;
};

struct Shadow {
  bool in_float64 = false;
  TensorNumbers rounded;
  std::int64_t next = 0;
  std::vector<std::pair<std::int64_t, torch::Tensor>> made;
  std::unordered_map<const c10::TensorImpl*, Followed> followed;
  std::set<const c10::TensorImpl*> of_output;
  const void* output = nullptr;
  std::string problem;
};

Shadow& shadow() {
  static Shadow only;
  return only;
}

const void* data_of(const torch::Tensor& tensor) {
  return tensor.defined() && tensor.has_storage() && tensor.numel() > 0 ? tensor.data_ptr()
                                                                        : nullptr;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// What leaves no float64 behind: chance, and memory as it was found.
bool makes_values(std::string_view name) {
  for (const char* const part : {"rand", "normal_", "uniform_", "bernoulli", "random_",
                                 "multinomial", "exponential_", "empty"}) {
    if (contains(name, part)) return true;
  }
  return name == "aten::normal";
}

bool on_device(const torch::Tensor& tensor) {
  return tensor.defined() && (tensor.is_cuda() || !torch::cuda::is_available());
}

/// All tensors of a value, be it one or a list.
std::vector<torch::Tensor> tensors_of(const IValue& value) {
  if (value.isTensor()) return {value.toTensor()};
  if (value.isTensorList()) return value.toTensorVector();
  return {};
}

bool is_of_candidate(const torch::Tensor& tensor) {
  if (!tensor.defined() || shadow().output == nullptr) return false;
  return shadow().of_output.count(tensor.unsafeGetTensorImpl()) > 0 ||
         data_of(tensor) == shadow().output;
}

torch::Tensor in_double(const torch::Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  const auto at = shadow().followed.find(tensor.unsafeGetTensorImpl());
  if (at != shadow().followed.end() && at->second.exact) return *at->second.exact;
  return tensor.is_floating_point() && on_device(tensor) ? tensor.detach().to(torch::kFloat64)
                                                         : tensor;
}

IValue in_double(const std::string& name, const IValue& value) {
  if (value.isTensor()) return in_double(value.toTensor());
  if (value.isTensorList()) {
    std::vector<torch::Tensor> all;
    for (const auto& tensor : value.toTensorVector()) all.push_back(in_double(tensor));
    return all;
  }
  if (name == "dtype" && value.isInt()) {
    const auto type = static_cast<c10::ScalarType>(value.toInt());
    if (c10::isFloatingType(type)) return static_cast<std::int64_t>(c10::ScalarType::Double);
  }
  return value;
}

void take_output(const torch::Tensor& tensor, const std::optional<torch::Tensor>& exact) {
  if (!tensor.defined()) return;
  Shadow& here = shadow();
  const std::int64_t number = here.next++;
  here.made.emplace_back(number, tensor);
  Followed& entry = here.followed[tensor.unsafeGetTensorImpl()];
  entry.kept = tensor;
  entry.number = number;
  entry.exact = here.rounded.count(number) > 0 ? std::nullopt : exact;
}

/// The operation once more, in float64; nullopt when it has none.
std::optional<torch::jit::Stack> run_exact(const c10::OperatorHandle& op, torch::jit::Stack stack) {
  try {
    const torch::NoGradGuard no_grad;
    op.callBoxed(stack);
    return stack;
  } catch (const std::exception& e) {
    std::string text = e.what();
    text = op.schema().name() + ": " + text.substr(0, text.find('\n'));
    if (shadow().problem.empty()) shadow().problem = text;
    return std::nullopt;
  }
}

void follow(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const c10::impl::ExcludeDispatchKeyGuard guard(kKey);
  const auto& schema = op.schema();
  const auto count = static_cast<std::ptrdiff_t>(schema.arguments().size());
  const torch::jit::Stack arguments(stack->end() - count, stack->end());
  bool of_candidate = false;
  bool floating = false;
  for (const auto& argument : arguments) {
    for (const auto& tensor : tensors_of(argument)) {
      of_candidate = of_candidate || is_of_candidate(tensor);
      floating = floating || (on_device(tensor) && tensor.is_floating_point());
    }
  }
  std::optional<torch::jit::Stack> exact;
  if (shadow().in_float64 && floating && !of_candidate && !makes_values(schema.name())) {
    torch::jit::Stack doubled;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      doubled.push_back(in_double(schema.arguments()[at].name(), arguments[at]));
    }
    exact = run_exact(op, std::move(doubled));
  }
  op.callBoxed(*stack);
  const auto results = static_cast<std::ptrdiff_t>(schema.returns().size());
  for (std::ptrdiff_t i = 0; i < results; ++i) {
    const auto made = tensors_of(*(stack->end() - results + i));
    const auto values =
        exact ? tensors_of(*(exact->end() - results + i)) : std::vector<torch::Tensor>();
    for (std::size_t k = 0; k < made.size(); ++k) {
      if (of_candidate && made[k].defined()) {
        shadow().of_output.insert(made[k].unsafeGetTensorImpl());
      }
      take_output(made[k], k < values.size() ? std::optional(values[k]) : std::nullopt);
    }
  }
}

std::unique_ptr<c10::impl::IncludeDispatchKeyGuard>& following() {
  static std::unique_ptr<c10::impl::IncludeDispatchKeyGuard> guard;
  return guard;
}

}  // namespace

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&follow>());
}

void begin_shadow(TensorNumbers rounded, bool in_float64) {
  shadow() = Shadow();
  shadow().in_float64 = in_float64;
  shadow().rounded = std::move(rounded);
  following() = std::make_unique<c10::impl::IncludeDispatchKeyGuard>(kKey);
}

void end_shadow() {
  following().reset();
  shadow() = Shadow();
}

Unfollowed::Unfollowed() : guard_(kKey) {}

TensorNumbers numbers_at(const void* data) {
  TensorNumbers numbers;
  for (const auto& [number, tensor] : shadow().made) {
    if (data != nullptr && data_of(tensor) == data) numbers.insert(number);
  }
  return numbers;
}

torch::Tensor tensor_at(const void* data) {
  for (const auto& [number, tensor] : shadow().made) {
    if (data != nullptr && data_of(tensor) == data && tensor.is_contiguous()) return tensor;
  }
  return {};
}

void mark_output(const void* output) { shadow().output = output; }

bool is_of_output(const torch::Tensor& tensor) { return is_of_candidate(tensor); }

std::optional<torch::Tensor> exact_of(const torch::Tensor& tensor) {
  const auto at = shadow().followed.find(tensor.unsafeGetTensorImpl());
  return at == shadow().followed.end() ? std::nullopt : at->second.exact;
}

std::string shadow_problem() { return shadow().problem; }

}  // namespace level1_strict
