#include "agents/writing/answer_parser.h"

#include "agents/writing/answer_text.h"
#include "agents/writing/json_reader.h"
#include "base/codec/json_guard.h"
#include "config/source_text.h"
#include "config/task_validator.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

namespace warpmind::agents::writing {
namespace {

constexpr std::size_t kNameBytes = 64;
constexpr std::size_t kParameterBytes = 200;
constexpr std::size_t kRationaleBytes = 400;
constexpr std::size_t kListEntries = 64;
constexpr codec::JsonLimits kJsonLimits{16, 20'000};

Result<std::array<std::string, 3>> extents_of(const JsonReader& launch, std::string_view member) {
  WARPMIND_TRY(const auto entries, launch.list(member, 3));
  if (entries.empty()) return fail(launch.error(member, "needs one to three expressions"));
  std::array<std::string, 3> extents{"1", "1", "1"};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    WARPMIND_TRY(extents.at(i), expression_of(entries[i]));
  }
  return extents;
}

/// False when left out.
Result<bool> boolean_of(const JsonReader& value, const char* member) {
  if (!value.has(member)) return false;
  const auto& found = value.value().at(member);
  if (!found.is_boolean()) return fail(value.error(member, "must be true or false"));
  return found.get<bool>();
}

Result<Launch> launch_of(const JsonReader& value) {
  WARPMIND_CHECK(
      value.allow_only({"kernel", "grid", "block", "shared_bytes", "arguments", "cooperative"}));
  Launch launch;
  WARPMIND_TRY(launch.kernel, value.wanted_line("kernel", kNameBytes * 2));
  WARPMIND_TRY(launch.grid, extents_of(value, "grid"));
  WARPMIND_TRY(launch.block, extents_of(value, "block"));
  if (value.has("shared_bytes")) {
    const JsonReader bytes(value.value().at("shared_bytes"), value.where() + ".shared_bytes");
    WARPMIND_TRY(launch.shared_bytes, expression_of(bytes));
  }
  WARPMIND_TRY(const auto arguments, value.list("arguments", kListEntries));
  for (const auto& argument : arguments) {
    WARPMIND_TRY(std::string text, expression_of(argument));
    launch.arguments.push_back(std::move(text));
  }
  WARPMIND_TRY(launch.cooperative, boolean_of(value, "cooperative"));
  return launch;
}

Result<ScratchBuffer> scratch_of(const JsonReader& value) {
  WARPMIND_CHECK(value.allow_only({"name", "dtype", "elements", "zeroed"}));
  ScratchBuffer scratch;
  WARPMIND_TRY(scratch.name, value.wanted_line("name", kNameBytes));
  WARPMIND_TRY(const std::string dtype, value.wanted_line("dtype", kNameBytes));
  const auto known = parse_enum<Dtype>(dtype);
  if (!known) return fail(value.error("dtype", "must be one of " + all_names_of<Dtype>()));
  scratch.dtype = *known;
  if (!value.has("elements")) return fail(value.error("elements", "is missing"));
  const JsonReader elements(value.value().at("elements"), value.where() + ".elements");
  WARPMIND_TRY(scratch.elements, expression_of(elements));
  WARPMIND_TRY(scratch.zeroed, boolean_of(value, "zeroed"));
  return scratch;
}

Result<void> edit_plan(const JsonReader& answer, LaunchPlan& plan) {
  if (answer.has("launches")) {
    WARPMIND_TRY(const auto launches, answer.list("launches", kListEntries));
    plan.launches.clear();
    for (const auto& value : launches) {
      WARPMIND_TRY(Launch launch, launch_of(value));
      plan.launches.push_back(std::move(launch));
    }
  }
  if (answer.has("constants")) {
    WARPMIND_TRY(const auto constants, answer.list("constants", kListEntries));
    plan.constants.clear();
    for (const auto& value : constants) {
      WARPMIND_CHECK(value.allow_only({"name", "value"}));
      WARPMIND_TRY(std::string name, value.wanted_line("name", kNameBytes));
      WARPMIND_TRY(const std::int64_t number,
                   value.integer("value", std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::int64_t>::max()));
      if (!plan.constants.emplace(name, number).second) {
        return fail(value.error("name", "'" + name + "' is given twice"));
      }
    }
  }
  if (answer.has("scratch")) {
    WARPMIND_TRY(const auto buffers, answer.list("scratch", kListEntries));
    plan.scratch.clear();
    for (const auto& value : buffers) {
      WARPMIND_TRY(ScratchBuffer scratch, scratch_of(value));
      plan.scratch.push_back(std::move(scratch));
    }
  }
  return {};
}

/// The source: the one block ```cuda, or the member `source` where the answer is JSON alone.
Result<std::string> source_of(const AnswerText& text, const JsonReader& answer) {
  std::optional<std::string> source;
  for (const auto& block : text.blocks) {
    if (block.info != "cuda") continue;
    if (source) return fail(Errc::invalid_argument, "the answer has two ```cuda blocks; give one");
    source = block.text;
  }
  if (answer.has("source")) {
    if (source) {
      return fail(
          Errc::invalid_argument,
          "the source stands both in a ```cuda block and in the member 'source'; give it once");
    }
    const auto& member = answer.value().at("source");
    if (!member.is_string()) return fail(answer.error("source", "must be a string"));
    source = member.get<std::string>();
  }
  if (!source) {
    return fail(Errc::invalid_argument,
                "the answer has no ```cuda block with the source; give the whole edited source");
  }
  if (source->size() > kCandidateSourceLimit) {
    return fail(Errc::invalid_argument, "the source has " + std::to_string(source->size()) +
                                            " bytes; the limit is " +
                                            std::to_string(kCandidateSourceLimit));
  }
  const bool strange = std::any_of(source->begin(), source->end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
  });
  if (strange) return fail(Errc::invalid_argument, "the source has control characters");
  return *std::move(source);
}

Result<void> check_kernel(const Kernel& kernel, const Task& task) {
  if (const auto problem = config::find_kernel_problem(kernel, task)) {
    return fail(Errc::invalid_argument, problem->where + ": " + problem->message);
  }
  return {};
}

/// A host function launches by itself: it gets the arguments of the task in declared order.
Result<Kernel> host_kernel(const JsonReader& answer, const Task& task, Kernel kernel) {
  for (const char* member : {"launches", "constants", "scratch"}) {
    if (answer.has(member)) {
      return fail(answer.error(member, "must be null when a host function launches"));
    }
  }
  if (answer.has("host_entry")) {
    WARPMIND_TRY(kernel.entry, answer.wanted_line("host_entry", kNameBytes));
  }
  kernel.tier = Tier::b;
  kernel.plan = {};
  WARPMIND_CHECK(check_kernel(kernel, task));
  Launch launch;
  launch.kernel = kernel.entry;
  for (const auto& argument : task.arguments) launch.arguments.push_back(argument.name);
  kernel.plan.launches = {std::move(launch)};
  return kernel;
}

Result<Kernel> kernel_of(const AnswerText& text, const JsonReader& answer, const Kernel& edited,
                         const Task& task) {
  Kernel kernel = edited;
  WARPMIND_TRY(kernel.source, source_of(text, answer));
  const bool stays_host = edited.tier == Tier::b && !answer.has("launches");
  if (answer.has("host_entry") || stays_host) return host_kernel(answer, task, std::move(kernel));
  if (edited.tier != Tier::a) {
    kernel.tier = Tier::a;
    kernel.entry.clear();
    kernel.plan = {};
  }
  WARPMIND_CHECK(edit_plan(answer, kernel.plan));
  WARPMIND_CHECK(check_kernel(kernel, task));
  return kernel;
}

}  // namespace

Result<Candidate> parse_answer(std::string_view raw, const Kernel& edited, const Task& task) {
  WARPMIND_TRY(const AnswerText text, split_answer(raw));
  WARPMIND_TRY(const std::string object, find_json(text));
  const auto document = codec::parse_json(object, kJsonLimits);
  if (!document) {
    return fail(Errc::invalid_argument,
                "the JSON object cannot be read: " + document.error().message);
  }
  const JsonReader answer(*document, "");
  WARPMIND_CHECK(answer.allow_only({"technique", "parameters", "rationale", "predicted_gain",
                                    "launches", "constants", "scratch", "host_entry", "source"}));
  Candidate out;
  WARPMIND_TRY(out.technique, answer.wanted_line("technique", kNameBytes));
  if (!config::is_identifier(out.technique)) {
    return fail(answer.error("technique", "must be a name of letters, digits and underscores"));
  }
  WARPMIND_TRY(out.parameters, answer.line("parameters", kParameterBytes, ""));
  WARPMIND_TRY(out.rationale, answer.wanted_line("rationale", kRationaleBytes));
  WARPMIND_TRY(const double gain, answer.number("predicted_gain", 0, 1e6));
  out.predicted_gain = std::clamp(gain, kLeastGain, kMostGain);
  out.predicted_low = out.predicted_high = out.predicted_gain;
  WARPMIND_TRY(out.kernel, kernel_of(text, answer, edited, task));
  if (out.kernel == edited) {
    return fail(Errc::invalid_argument,
                "the answer changes nothing: source and plan are those of the given kernel");
  }
  return out;
}

}  // namespace warpmind::agents::writing
