#include "config/task_writer.h"

#include "base/file.h"
#include "base/text.h"
#include "config/task_validator.h"

#include <system_error>
#include <vector>

namespace warpmind::config {
namespace {

namespace fs = std::filesystem;

/// A basic string of TOML.
std::string in_quotes(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\u00";
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 15U];
    } else {
      out += c;
    }
  }
  return out + '"';
}

template <class List>
std::string list_in_quotes(const List& texts) {
  std::string out;
  for (const auto& text : texts) {
    if (!out.empty()) out += ", ";
    out += in_quotes(text);
  }
  return "[" + out + "]";
}

std::string boolean(bool value) { return value ? "true" : "false"; }

/// `key = value` lines of one table.
class TableText {
 public:
  explicit TableText(const std::string& header) : text_("\n" + header + "\n") {}

  TableText& add(std::string_view key, const std::string& value) {
    text_ += std::string(key) + " = " + value + "\n";
    return *this;
  }
  TableText& add_if(bool wanted, std::string_view key, const std::string& value) {
    return wanted ? add(key, value) : *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string recorded_text(const RecordedInput& recorded) {
  std::string shares =
      join_text(recorded.shares, ", ", [](double share) { return shortest_number(share); });
  return TableText("[argument.recorded]")
      .add_if(!recorded.values.empty(), "values", in_quotes(recorded.values))
      .add_if(recorded.offset != 0, "offset", std::to_string(recorded.offset))
      .add_if(!recorded.reorder, "reorder", boolean(recorded.reorder))
      .add_if(!recorded.most.empty(), "most", in_quotes(recorded.most))
      .add("low", shortest_number(recorded.low))
      .add("high", shortest_number(recorded.high))
      .add("mean", shortest_number(recorded.mean))
      .add("deviation", shortest_number(recorded.deviation))
      .add_if(recorded.zeros != 0, "zeros", shortest_number(recorded.zeros))
      .add_if(recorded.denormals != 0, "denormals", shortest_number(recorded.denormals))
      .add_if(recorded.not_finite != 0, "not_finite", shortest_number(recorded.not_finite))
      .add_if(recorded.sorted, "sorted", boolean(recorded.sorted))
      .add_if(!shares.empty(), "shares", "[" + shares + "]")
      .text();
}

std::string argument_text(const Argument& argument) {
  std::vector<std::string_view> distributions;
  for (const auto one : argument.distributions) distributions.push_back(name_of(one));
  std::string text =
      TableText("[[argument]]")
          .add("name", in_quotes(argument.name))
          .add("kind", in_quotes(name_of(argument.kind)))
          .add("dtype", in_quotes(name_of(argument.dtype)))
          .add_if(!argument.shape.empty(), "shape", list_in_quotes(argument.shape))
          .add_if(!argument.value.empty(), "value", in_quotes(argument.value))
          .add_if(!distributions.empty(), "distributions", list_in_quotes(distributions))
          .add_if(argument.low != 0, "low", shortest_number(argument.low))
          .add_if(argument.high != 0, "high", shortest_number(argument.high))
          .text();
  if (argument.recorded) text += recorded_text(*argument.recorded);
  return text;
}

std::string workload_text(const Workload& workload) {
  std::string sizes;
  for (const auto& [name, value] : workload.sizes) {
    if (!sizes.empty()) sizes += ", ";
    sizes += name + " = " + std::to_string(value);
  }
  return TableText("[[workload]]")
      .add("name", in_quotes(workload.name))
      .add("timed", boolean(workload.timed))
      .add("sizes", sizes.empty() ? "{}" : "{ " + sizes + " }")
      .text();
}

std::string hidden_text(const HiddenRange& range) {
  return TableText("[[hidden]]")
      .add("size", in_quotes(range.size))
      .add("low", std::to_string(range.low))
      .add("high", std::to_string(range.high))
      .add_if(range.multiple_of != 1, "multiple_of", std::to_string(range.multiple_of))
      .text();
}

std::string relation_text(const Relation& relation) {
  return TableText("[[relation]]")
      .add("kind", in_quotes(name_of(relation.kind)))
      .add("arguments", list_in_quotes(relation.arguments))
      .add_if(relation.kind == RelationKind::scaling, "degree", std::to_string(relation.degree))
      .text();
}

std::string contract_text(const Contract& contract) {
  return TableText("[contract]")
      .add("tolerance", in_quotes(name_of(contract.tolerance)))
      .add("accumulate", in_quotes(name_of(contract.accumulate)))
      .add_if(contract.tolerance == ToleranceClass::elementwise, "ulp",
              shortest_number(contract.ulp))
      .add_if(!contract.reduction_length.empty(), "reduction_length",
              in_quotes(contract.reduction_length))
      .add("tf32_allowed", boolean(contract.tf32_allowed))
      .add("deterministic", boolean(contract.deterministic))
      .text();
}

std::string launch_text(const Launch& launch) {
  return TableText("[[kernel.launch]]")
      .add("kernel", in_quotes(launch.kernel))
      .add("grid", list_in_quotes(launch.grid))
      .add("block", list_in_quotes(launch.block))
      .add("shared_bytes", in_quotes(launch.shared_bytes))
      .add("arguments", list_in_quotes(launch.arguments))
      .add_if(launch.cooperative, "cooperative", boolean(launch.cooperative))
      .text();
}

std::string kernel_text(const Kernel& kernel) {
  std::string text = TableText("[kernel]")
                         .add("file", in_quotes("kernel.cu"))
                         .add("tier", in_quotes(name_of(kernel.tier)))
                         .add_if(!kernel.entry.empty(), "entry", in_quotes(kernel.entry))
                         .add("flags", list_in_quotes(kernel.build_flags))
                         .text();
  if (!kernel.plan.constants.empty()) {
    TableText constants("[kernel.constants]");
    for (const auto& [name, value] : kernel.plan.constants) {
      constants.add(name, std::to_string(value));
    }
    text += constants.text();
  }
  for (const auto& scratch : kernel.plan.scratch) {
    text += TableText("[[kernel.scratch]]")
                .add("name", in_quotes(scratch.name))
                .add("dtype", in_quotes(name_of(scratch.dtype)))
                .add("elements", in_quotes(scratch.elements))
                .add("zeroed", boolean(scratch.zeroed))
                .text();
  }
  for (const auto& launch : kernel.plan.launches) text += launch_text(launch);
  return text;
}

}  // namespace

std::string task_toml(const Task& task) {
  std::string text = "name = " + in_quotes(task.name) + "\n";
  text += "description = " + in_quotes(task.description) + "\n";
  text += "operator_family = " + in_quotes(task.operator_family) + "\n";
  text += "split = " + in_quotes(name_of(task.split)) + "\n";
  for (const auto& argument : task.arguments) text += argument_text(argument);
  for (const auto& workload : task.workloads) text += workload_text(workload);
  for (const auto& range : task.hidden) text += hidden_text(range);
  for (const auto& relation : task.relations) text += relation_text(relation);
  text += contract_text(task.contract);
  text += TableText("[cost]")
              .add("bytes", in_quotes(task.cost.bytes))
              .add("flops", in_quotes(task.cost.flops))
              .text();
  if (!task.reference.empty()) {
    text += TableText("[reference]").add("file", in_quotes("reference.cpp")).text();
  }
  return text + kernel_text(task.kernel);
}

namespace {

/// The contents of a program's buffers are for its owner alone.
Result<void> copy_values(const fs::path& folder, const Task& task, const fs::path& values) {
  if (!has_recorded_values(task)) return {};
  const fs::path to = folder / kRecordedValuesFolder;
  std::error_code ec;
  fs::create_directories(to, ec);
  fs::permissions(to, fs::perms::owner_all, ec);
  for (const auto& argument : task.arguments) {
    if (ec || !argument.recorded || argument.recorded->values.empty()) continue;
    const std::string& name = argument.recorded->values;
    fs::copy_file(values / name, to / name, fs::copy_options::overwrite_existing, ec);
  }
  if (!ec) return {};
  return fail(Errc::external_failure, "cannot copy the recorded values from " + values.string() +
                                          " to " + to.string() + ": " + ec.message());
}

}  // namespace

Result<void> write_task(const fs::path& folder, const Task& task, const fs::path& values) {
  WARPMIND_CHECK(validate_task(task));
  WARPMIND_CHECK(make_output_directory(folder));
  std::error_code ec;
  if (fs::exists(fs::symlink_status(folder / "task.toml", ec))) {
    return fail(Errc::conflict,
                folder.string() + " holds a task already; name a folder that does not exist");
  }
  WARPMIND_CHECK(write_output_file(folder / "kernel.cu", task.kernel.source));
  if (!task.reference.empty()) {
    WARPMIND_CHECK(write_output_file(folder / "reference.cpp", task.reference));
  }
  WARPMIND_CHECK(copy_values(folder, task, values));
  return write_output_file(folder / "task.toml", task_toml(task));
}

}  // namespace warpmind::config
