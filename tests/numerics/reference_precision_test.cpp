// T-REF: the shipped references against themselves in extended precision, on small cases.
#include "profilers/judge/case_comparison.h"
#include "profilers/judge/elements.h"
#include "profilers/judge/input_generator.h"
#include "tests/numerics/family.h"

#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

namespace warpmind::numerics {
namespace {
namespace fs = std::filesystem;

/// One call: arrays of arguments, sizes and scalars in the order of the task.
struct ExtendedArgument {
  const char* name;
  std::int32_t kind;
  const double* input;
  double* high;  ///< output = high + low
  double* low;
  std::int64_t elements;
};
struct ExtendedName {
  const char* name;
  double value;
};
using ExtendedCall = int (*)(const ExtendedArgument*, int, const ExtendedName*, int,
                             const ExtendedName*, int);

constexpr const char* kDriver = R"(
#include <vector>
#include <limits>
struct Argument { const char* name; int kind; const double* input; double* high; double* low; long long elements; };
struct Named { const char* name; double value; };
static void stop(void*, const char* message) { throw message; }
extern "C" int run_extended(const Argument* a, int count, const Named* sizes, int size_count, const Named* scalars, int scalar_count) {
  std::vector<std::vector<Extended>> in(count), out(count);
  std::vector<warpmind::ReferenceArgument> arguments;
  for (int i = 0; i < count; ++i) {
    if (a[i].kind != 1) in[i].assign(a[i].input, a[i].input + a[i].elements);
    if (a[i].kind == 1) out[i].assign(a[i].elements, 0);
    if (a[i].kind == 2) out[i] = in[i];
    arguments.push_back({a[i].name, a[i].kind, in[i].data(), out[i].data(), a[i].elements});
  }
  std::vector<warpmind::ReferenceSize> s;
  for (int i = 0; i < size_count; ++i) s.push_back({sizes[i].name, (int64_t)sizes[i].value});
  std::vector<warpmind::ReferenceScalar> c;
  for (int i = 0; i < scalar_count; ++i) c.push_back({scalars[i].name, scalars[i].value});
  warpmind::ReferenceCall call{};
  call.version = warpmind::kReferenceVersion;
  call.argument_count = count; call.size_count = size_count; call.scalar_count = scalar_count;
  call.arguments = arguments.data(); call.sizes = s.data(); call.scalars = c.data(); call.fail = stop;
  try { reference(call); } catch (const char*) { return 1; }
  for (int i = 0; i < count; ++i) {
    if (a[i].kind == 0) continue;
    for (long long e = 0; e < a[i].elements; ++e) {
      a[i].high[e] = (double_)out[i][e];
      a[i].low[e] = (double_)(out[i][e] - (Extended)a[i].high[e]);
    }
  }
  return 0;
}
)";

/// The text with every double made an extended one.
std::string extended(const std::string& text) {
  return std::regex_replace(text, std::regex("\\b(long\\s+)?double\\b"), "Extended");
}

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// The reference of `task` in extended precision, as a shared object in `directory`.
ExtendedCall build_extended(const Task& task, const fs::path& directory) {
  std::string body = extended(task.reference);
  const std::string include = "#include \"warpmind_reference.h\"";
  body.replace(body.find(include), include.size(), "#include \"extended_reference.h\"");
  std::ofstream(directory / "extended_reference.h")
      << extended(read(WARPMIND_SOURCE_DIR "/config/reference/warpmind_reference.h"));
  std::ofstream(directory / "extended.cpp")
      << "using Extended = long double; using double_ = double;\n"
      << body << kDriver;
  const std::string object = (directory / "extended.so").string();
  const std::string command = "c++ -std=c++17 -O1 -fPIC -shared -I " + directory.string() + " -o " +
                              object + " " + (directory / "extended.cpp").string();
  if (std::system(command.c_str()) != 0) return nullptr;
  void* const library = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr
                            : reinterpret_cast<ExtendedCall>(::dlsym(library, "run_extended"));
}

struct ExtendedOutputs {
  std::map<std::string, std::vector<double>> high;
  std::map<std::string, std::vector<double>> low;
};

ExtendedOutputs run_extended(ExtendedCall call, const Task& task, const FamilyCase& one) {
  ExtendedOutputs outputs;
  std::vector<ExtendedArgument> arguments;
  std::vector<ExtendedName> sizes;
  std::vector<ExtendedName> scalars;
  for (const Argument& argument : task.arguments) {
    if (argument.kind == ArgumentKind::scalar) {
      scalars.push_back({argument.name.c_str(),
                         profilers::round_to(std::atof(argument.value.c_str()), argument.dtype)});
      continue;
    }
    const auto elements = *profilers::element_count(argument, one.workload.sizes);
    ExtendedArgument made{argument.name.c_str(), 0, nullptr, nullptr, nullptr, elements};
    if (argument.kind != ArgumentKind::in) {
      made.kind = argument.kind == ArgumentKind::out ? 1 : 2;
      outputs.high[argument.name].resize(static_cast<std::size_t>(elements));
      outputs.low[argument.name].resize(static_cast<std::size_t>(elements));
      made.high = outputs.high[argument.name].data();
      made.low = outputs.low[argument.name].data();
    }
    if (made.kind != 1) made.input = one.inputs.find(argument.name)->second.data();
    arguments.push_back(made);
  }
  for (const auto& [name, value] : one.workload.sizes) {
    sizes.push_back({name.c_str(), static_cast<double>(value)});
  }
  const auto count = [](const auto& list) { return static_cast<int>(list.size()); };
  EXPECT_EQ(call(arguments.data(), count(arguments), sizes.data(), count(sizes), scalars.data(),
                 count(scalars)),
            0);
  return outputs;
}

class ReferencePrecision : public ::testing::TestWithParam<std::string> {};

TEST_P(ReferencePrecision, IsWithinFourRoundoffsOfExtendedPrecision) {
  const Family family(GetParam());
  const profilers::testing::TemporaryDirectory directory;
  const ExtendedCall call = build_extended(family.task(), directory.path());
  ASSERT_NE(call, nullptr) << "the extended reference does not build";
  double worst = 0;
  for (const FamilyCase& one : family.draw(3)) {
    if (one.workload.name != family.task().workloads.front().name) continue;  // the small one
    const auto outputs = run_extended(call, family.task(), one);
    for (const auto& [name, high] : outputs.high) {
      const auto& reference = one.reference.outputs.find(name)->second;
      const auto magnitude = one.reference.magnitudes.find(name);
      double squares = 0;
      for (const double value : reference) squares += value * value;
      const double rms = std::sqrt(squares / static_cast<double>(reference.size()));
      for (std::size_t i = 0; i < reference.size(); ++i) {
        // Relative to the condition: what cancels cannot be better than its terms.
        const double scale = magnitude != one.reference.magnitudes.end()
                                 ? magnitude->second[i]
                                 : std::max(std::fabs(reference[i]), rms);
        const double error = std::fabs(reference[i] - high[i] - outputs.low.at(name)[i]);
        if (error > 0) worst = std::max(worst, error / scale / unit_roundoff(Dtype::f64));
      }
    }
  }
  std::cout << GetParam() << ": " << worst << " roundoffs of f64\n";
  EXPECT_LE(worst, 4);
}

INSTANTIATE_TEST_SUITE_P(Families, ReferencePrecision, ::testing::ValuesIn(family_names()),
                         [](const auto& named) { return named.param; });

}  // namespace
}  // namespace warpmind::numerics
