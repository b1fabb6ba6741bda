#include "profilers/judge/reference_library.h"

#include "base/plan_evaluation.h"
#include "config/reference/warpmind_reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <dlfcn.h>
#include <stdexcept>

namespace warpmind::profilers {
namespace {

/// Largest array of a case, in elements: 32 GiB as doubles.
constexpr std::int64_t kMostElements = std::int64_t{1} << 32U;

/// A NaN that no arithmetic makes by itself: an output that still holds it was not computed.
/// Without this, a forgotten element and a kernel that does not write it would agree on NaN.
constexpr std::uint64_t kUnwritten = 0x7FF8'57A9'1E57'0001U;

Result<void> find_unwritten(const Values& outputs) {
  for (const auto& [name, values] : outputs) {
    const auto left = std::find_if(values.begin(), values.end(), [](double value) {
      return std::bit_cast<std::uint64_t>(value) == kUnwritten;
    });
    if (left == values.end()) continue;
    return fail(Errc::invalid_argument, "the reference does not compute element " +
                                            std::to_string(left - values.begin()) + " of " + name);
  }
  return {};
}

/// What a reference throws through itself when it calls `fail`, which must not return.
class ReferenceFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] void fail_reference(void* /*context*/, const char* message) {
  throw ReferenceFailure(message);
}

ReferenceKind kind_of(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::out: return kReferenceOut;
    case ArgumentKind::inout: return kReferenceInout;
    default: return kReferenceIn;
  }
}

/// Everything that a ReferenceCall points to.
struct CallStorage {
  Values absolute;  ///< only for InputSign::absolute
  Values outputs;
  std::vector<ReferenceArgument> arguments;
  std::vector<ReferenceSize> sizes;
  std::vector<ReferenceScalar> scalars;
};

Result<void> add_argument(const Argument& argument, const Sizes& sizes, const Values& inputs,
                          InputSign sign, CallStorage& storage) {
  if (argument.kind == ArgumentKind::scalar) {
    WARPMIND_TRY(const double value, evaluate_scalar_value(argument, sizes));
    storage.scalars.push_back(
        {argument.name.c_str(), sign == InputSign::absolute ? std::fabs(value) : value});
    return {};
  }
  WARPMIND_TRY(const std::int64_t elements, element_count(argument, sizes));
  ReferenceArgument& entry = storage.arguments.emplace_back();
  entry.name = argument.name.c_str();
  entry.kind = kind_of(argument.kind);
  entry.elements = elements;
  if (argument.kind != ArgumentKind::out) {
    const auto given = inputs.find(argument.name);
    if (given == inputs.end() || given->second.size() != static_cast<std::size_t>(elements)) {
      return fail(Errc::invalid_argument, "no values for the input " + argument.name);
    }
    entry.input = given->second.data();
    if (sign == InputSign::absolute) {
      auto& values = storage.absolute[argument.name];
      values = given->second;
      for (double& value : values) value = std::fabs(value);
      entry.input = values.data();
    }
  }
  if (argument.kind != ArgumentKind::in) {
    auto& values = storage.outputs[argument.name];
    if (argument.kind == ArgumentKind::inout) {
      values.assign(entry.input, entry.input + elements);
    } else {
      values.assign(static_cast<std::size_t>(elements), std::bit_cast<double>(kUnwritten));
    }
    entry.output = values.data();
  }
  return {};
}

}  // namespace

void ReferenceLibrary::Closer::operator()(void* library) const noexcept {
  (void)::dlclose(library);
}

Result<std::shared_ptr<const ReferenceLibrary>> ReferenceLibrary::load(const std::string& path) {
  std::unique_ptr<void, Closer> library(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!library) {
    const char* const why = ::dlerror();
    return fail(Errc::not_found,
                "cannot load the reference: " + std::string(why != nullptr ? why : path.c_str()));
  }
  void* const symbol = ::dlsym(library.get(), "reference");
  if (symbol == nullptr) {
    return fail(Errc::invalid_argument,
                path +
                    " defines no function `reference`; include \"warpmind_reference.h\" and "
                    "define void reference(const warpmind::ReferenceCall&)");
  }
  return std::shared_ptr<const ReferenceLibrary>(new ReferenceLibrary(std::move(library), symbol));
}

Result<Values> ReferenceLibrary::compute_reference(const Task& task, const Sizes& sizes,
                                                   const Values& inputs, InputSign sign) const {
  CallStorage storage;
  for (const Argument& argument : task.arguments) {
    WARPMIND_CHECK(add_argument(argument, sizes, inputs, sign, storage));
  }
  for (const auto& [name, value] : sizes) storage.sizes.push_back({name.c_str(), value});
  ReferenceCall call{};
  call.version = kReferenceVersion;
  call.argument_count = static_cast<std::int32_t>(storage.arguments.size());
  call.size_count = static_cast<std::int32_t>(storage.sizes.size());
  call.scalar_count = static_cast<std::int32_t>(storage.scalars.size());
  call.arguments = storage.arguments.data();
  call.sizes = storage.sizes.data();
  call.scalars = storage.scalars.data();
  call.fail = &fail_reference;
  // POSIX promises that an object pointer from dlsym holds a function's address.
  const auto function = reinterpret_cast<void (*)(const ReferenceCall&)>(function_);
  try {
    function(call);
  } catch (const std::exception& e) {
    return fail(Errc::invalid_argument, "the reference failed: " + std::string(e.what()));
  }
  WARPMIND_CHECK(find_unwritten(storage.outputs));
  return std::move(storage.outputs);
}

Result<std::int64_t> element_count(const Argument& argument, const Sizes& sizes) {
  auto count = evaluate_product(argument.shape, sizes);
  if (!count) {
    return fail(std::move(count).error().while_doing("the shape of " + argument.name));
  }
  if (*count < 0 || *count > kMostElements) {
    return fail(Errc::invalid_argument, argument.name + " would have " + std::to_string(*count) +
                                            " elements; allowed are 0 to 2^32");
  }
  return *count;
}

}  // namespace warpmind::profilers
