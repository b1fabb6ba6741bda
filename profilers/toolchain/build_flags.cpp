#include "profilers/toolchain/build_flags.h"

#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace warpmind::profilers {
namespace {

constexpr std::size_t kFlagLimit = 64;

constexpr std::array<std::string_view, 21> kWhole = {"--use_fast_math",
                                                     "-use_fast_math",
                                                     "--extra-device-vectorization",
                                                     "-extra-device-vectorization",
                                                     "--expt-relaxed-constexpr",
                                                     "--expt-extended-lambda",
                                                     "--restrict",
                                                     "-restrict",
                                                     "-O0",
                                                     "-O1",
                                                     "-O2",
                                                     "-O3",
                                                     "-std=c++14",
                                                     "-std=c++17",
                                                     "-std=c++20",
                                                     "--std=c++14",
                                                     "--std=c++17",
                                                     "--std=c++20",
                                                     "-Xptxas=-O1",
                                                     "-Xptxas=-O2",
                                                     "-Xptxas=-O3"};

constexpr std::array<std::string_view, 4> kBooleans = {"fmad", "ftz", "prec-div", "prec-sqrt"};

constexpr std::array<std::string_view, 9> kPtxas = {
    "-dlcm=ca", "-dlcm=cg", "-dlcm=cv",
    "-dscm=wb", "-dscm=cg", "-dscm=cs",
    "-dscm=wt", "-dlcm=cs", "--allow-expensive-optimizations=true"};

bool is_short_number(std::string_view text) { return is_all_digits(text) && text.size() <= 18; }

bool is_identifier(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front()))) return false;
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

/// NAME or NAME=value with a value of letters, digits, '.', '_', '+', '-'.
bool is_definition(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (!is_identifier(text.substr(0, equals))) return false;
  if (equals == std::string_view::npos) return true;
  const std::string_view value = text.substr(equals + 1);
  return value.size() <= 64 && std::all_of(value.begin(), value.end(), [](unsigned char c) {
           return std::isalnum(c) || c == '.' || c == '_' || c == '+' || c == '-';
         });
}

constexpr std::string_view kOwnArchitecture = "-arch=";

/// -arch=sm_90a and its like.
bool is_own_architecture(std::string_view flag) {
  constexpr std::string_view kBegin = "-arch=sm_";
  return flag.size() <= kBegin.size() + 4 && flag.starts_with(kBegin) && flag.ends_with('a') &&
         is_short_number(flag.substr(kBegin.size(), flag.size() - kBegin.size() - 1));
}

bool is_allowed(std::string_view flag) {
  if (is_own_architecture(flag)) return true;
  if (contains(kWhole, flag)) return true;
  if (flag.starts_with("-D")) return is_definition(flag.substr(2));
  if (flag.starts_with("-Xptxas=")) return contains(kPtxas, flag.substr(8));
  std::string_view name = flag;
  if (!name.starts_with("-")) return false;
  name.remove_prefix(name.starts_with("--") ? 2 : 1);
  const std::size_t equals = name.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view value = name.substr(equals + 1);
  name = name.substr(0, equals);
  if (name == "maxrregcount") return is_short_number(value);
  return contains(kBooleans, name) && (value == "true" || value == "false");
}

}  // namespace

std::string_view allowed_flags_text() {
  return "--use_fast_math, --maxrregcount=N, -O0 to -O3, --fmad=, --ftz=, --prec-div=, "
         "--prec-sqrt= (true or false), --extra-device-vectorization, --restrict, "
         "--expt-relaxed-constexpr, --expt-extended-lambda, --std=c++14/17/20, -DNAME=value, "
         "-Xptxas=-O1 to -O3, -Xptxas=-dlcm= or -dscm=, -arch=sm_90a (the device's own, with an a)";
}

Result<std::vector<std::string>> compiler_flags(const Kernel& kernel) {
  if (kernel.build_flags.size() > kFlagLimit) {
    return fail(Errc::invalid_argument,
                "more than " + std::to_string(kFlagLimit) + " build flags; give fewer");
  }
  std::vector<std::string> flags;
  for (const auto& flag : kernel.build_flags) {
    if (!is_allowed(flag)) {
      return fail(Errc::invalid_argument, "build flag '" + flag.substr(0, 80) +
                                              "' is not allowed; allowed are " +
                                              std::string(allowed_flags_text()));
    }
    if (!is_own_architecture(flag)) flags.push_back(flag);
  }
  for (const auto& [name, value] : kernel.plan.constants) {
    if (!is_identifier(name)) {
      return fail(Errc::invalid_argument,
                  "constant '" + name.substr(0, 80) + "' of the launch plan is no identifier");
    }
    flags.push_back("-D" + name + "=" + std::to_string(value));
  }
  return flags;
}

Result<std::string> build_architecture(const Kernel& kernel, const std::string& architecture) {
  for (const auto& flag : kernel.build_flags) {
    if (!is_own_architecture(flag)) continue;
    const std::string wanted = flag.substr(kOwnArchitecture.size());
    if (wanted == architecture + "a") return wanted;
    std::string message = "the kernel asks for ";
    message.append(wanted).append(", the device is ").append(architecture);
    return fail(Errc::invalid_argument, std::move(message));
  }
  return architecture;
}

}  // namespace warpmind::profilers
