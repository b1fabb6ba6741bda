#include "agents/builtin/lifting/launch_matching.h"

#include "agents/builtin/lifting/element_types.h"
#include "base/kernel_name.h"
#include "base/text.h"

#include <algorithm>
#include <map>
#include <set>

namespace warpmind::agents::builtin {
namespace {

using profilers::ProgramRecord;
using profilers::RecordedArgument;
using profilers::RecordedLaunch;

/// As a person reads it, without what the linker adds.
std::string readable_name(const std::string& linker_name) {
  // nvcc puts something before the name of a static kernel.
  const auto mangled = linker_name.starts_with("__nv_static") ? linker_name.find("_Z") : 0;
  const std::string name = linker_name.substr(mangled == std::string::npos ? 0 : mangled);
  return replace_text(demangle(name).value_or(name), "(anonymous namespace)::", "");
}

bool is_null(const std::string& bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char byte) { return byte == '\0'; });
}

/// Why the kernel of that name cannot be taken, or empty.
std::string reason_against(const CudaSource& program, const std::string& name) {
  const auto same = std::count_if(program.functions.begin(), program.functions.end(),
                                  [&](const Function& f) { return f.name == name; });
  const Function* const kernel = program.kernel(name);
  if (kernel == nullptr) {
    return same > 1 ? "several functions are called '" + name + "'"
                    : "the source does not define it";
  }
  if (same > 1) return "several functions are called '" + name + "'";
  if (kernel->has_error) return "it holds text that is not understood";
  return {};
}

/// A type parameter stands for what the instance gives it.
std::string type_in(const MatchedLaunch& launch, const Parameter& parameter) {
  const auto value = launch.values.find(parameter.base_type);
  return value == launch.values.end() ? parameter.base_type : value->second;
}

Result<MatchedArgument> match_pointer(const CudaSource& program, const MatchedLaunch& launch,
                                      const Parameter& parameter, const RecordedArgument& given) {
  MatchedArgument argument;
  if (given.bytes.size() == sizeof(std::uint64_t) && is_null(given.bytes)) {
    argument.scalar = "i64:0";
    return argument;
  }
  if (!given.place) {
    return fail(Errc::invalid_argument,
                "argument '" + parameter.name + "' points to memory that is not on record");
  }
  const auto dtype = element_type(program, type_in(launch, parameter));
  if (!dtype) {
    return fail(Errc::invalid_argument, "parameter '" + parameter.name + "' points to '" +
                                            parameter.base_type +
                                            "', which is no element type of tasks");
  }
  argument.place = given.place;
  argument.dtype = *dtype;
  argument.use = use_of(program, *launch.kernel, parameter);
  return argument;
}

Result<MatchedLaunch> match(const CudaSource& program, const RecordedLaunch& launch) {
  const std::string name = source_name(launch.kernel);
  if (auto reason = reason_against(program, name); !reason.empty()) {
    return fail(Errc::invalid_argument, std::move(reason));
  }
  MatchedLaunch matched;
  matched.kernel = program.kernel(name);
  if (matched.kernel->is_template) {
    WARPMIND_TRY(matched.values, template_values(program, *matched.kernel,
                                                 template_arguments(readable_name(launch.kernel))));
  }
  const auto& parameters = matched.kernel->parameters;
  if (parameters.size() != launch.arguments.size()) {
    return fail(Errc::invalid_argument,
                "the record has " + std::to_string(launch.arguments.size()) +
                    " arguments, the source " + std::to_string(parameters.size()) + " parameters");
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].is_pointer) {
      WARPMIND_TRY(auto argument,
                   match_pointer(program, matched, parameters[i], launch.arguments[i]));
      matched.arguments.push_back(std::move(argument));
      continue;
    }
    auto text = scalar_text(program, type_in(matched, parameters[i]), launch.arguments[i].bytes);
    if (!text) {
      return fail(Errc::invalid_argument, "parameter '" + parameters[i].name + "' of type '" +
                                              parameters[i].type +
                                              "' has a value that a launch plan cannot write");
    }
    matched.arguments.push_back({std::move(*text), std::nullopt, Dtype::f32, {}});
  }
  return matched;
}

/// Leaves launches out that point into the middle of an allocation which others use from elsewhere:
/// a plan binds whole buffers.
void skip_overlaps(const ProgramRecord& record, MatchedProgram& program) {
  std::map<std::size_t, std::set<std::uint64_t>> offsets;
  for (const auto& launch : program.launches) {
    for (const auto& argument : launch.arguments) {
      if (argument.place) offsets[argument.place->allocation].insert(argument.place->offset);
    }
  }
  std::erase_if(program.launches, [&](const MatchedLaunch& launch) {
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      const auto& place = launch.arguments[i].place;
      if (!place || place->offset == 0 || offsets[place->allocation].size() == 1) continue;
      program.skipped.push_back({launch.launch, source_name(record.launches[launch.launch].kernel),
                                 "argument '" + launch.kernel->parameters[i].name +
                                     "' points into the middle of a buffer that is used as a "
                                     "whole, too"});
      return true;
    }
    return false;
  });
}

/// A source holds one instance of each template, since the others would need names of their own.
void skip_other_instances(MatchedProgram& program) {
  std::map<const Function*, TemplateValues> first;
  std::erase_if(program.launches, [&](const MatchedLaunch& launch) {
    const auto [at, is_new] = first.emplace(launch.kernel, launch.values);
    if (is_new || at->second == launch.values) return false;
    program.skipped.push_back({launch.launch, launch.kernel->name,
                               "another instance of the template is launched before"});
    return true;
  });
}

bool is_same_work(const RecordedLaunch& a, const RecordedLaunch& b) {
  return a.kernel == b.kernel && a.grid == b.grid && a.block == b.block &&
         a.shared_bytes == b.shared_bytes && a.arguments == b.arguments;
}

}  // namespace

std::string source_name(const std::string& linker_name) {
  std::string text = readable_name(linker_name);
  text = text.substr(0, text.find_first_of("(<"));
  const auto scope = text.find_last_of(": ");  // behind a return type or a namespace
  return scope == std::string::npos ? text : text.substr(scope + 1);
}

MatchedProgram match_launches(const CudaSource& program, const ProgramRecord& record,
                              std::size_t count) {
  MatchedProgram all;
  for (std::size_t i = 0; i < std::min(count, record.launches.size()); ++i) {
    auto matched = match(program, record.launches[i]);
    if (matched) {
      matched->launch = i;
      all.launches.push_back(std::move(*matched));
      continue;
    }
    all.skipped.push_back({i, source_name(record.launches[i].kernel), matched.error().message});
  }
  skip_other_instances(all);
  skip_overlaps(record, all);
  return all;
}

std::size_t launches_before_repetition(const ProgramRecord& record) {
  const auto& launches = record.launches;
  for (std::size_t period = 1; period <= launches.size() / 2; ++period) {
    if (launches.size() % period != 0) continue;
    bool repeats = true;
    for (std::size_t i = period; repeats && i < launches.size(); ++i) {
      repeats = is_same_work(launches[i], launches[i - period]);
    }
    if (repeats) return period;
  }
  return launches.size();
}

}  // namespace warpmind::agents::builtin
