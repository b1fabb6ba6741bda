#include "tests/unit/simulator/bug_case.h"

#include "profilers/simulator/memory/device_memory.h"
#include "profilers/simulator/program/compiler.h"
#include "profilers/simulator/ptx/parser.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <ostream>
#include <sstream>

namespace warpmind::simulator {
namespace fs = std::filesystem;
namespace {

/// What follows `key` in "// key: value".
bool value_of(const std::string& line, const std::string& key, std::string& value) {
  const std::string start = "// " + key + ": ";
  if (!line.starts_with(start)) return false;
  value = line.substr(start.size());
  return true;
}

BugCase read_case(const fs::path& path) {
  BugCase out;
  out.name = path.stem().string();
  std::ifstream file(path);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::string value;
    if (value_of(line, "expect", value)) out.expected = value;
    if (value_of(line, "ends", value)) out.ends = value;
    if (value_of(line, "launch", value)) out.launch = value;
    if (value_of(line, "argument", value)) out.arguments.push_back(value);
    if (line.ends_with("// here")) out.lines.insert(number);
  }
  return out;
}

Dim3 extents(const std::string& text) {
  Dim3 out{1, 1, 1};
  std::istringstream in(text);
  std::string part;
  for (std::size_t i = 0; i < 3 && std::getline(in, part, ','); ++i) {
    out[i] = static_cast<std::uint32_t>(std::stoul(part));
  }
  return out;
}

std::uint64_t make_buffer(std::istringstream& in, DeviceMemory& memory) {
  std::uint64_t bytes = 0;
  std::string fill;
  std::string word;
  std::uint64_t offset = 0;
  in >> bytes >> fill;
  if (in >> word && word == "at") in >> offset;
  const std::uint64_t address = memory.allocate(bytes);
  for (std::uint64_t i = 0; i < bytes / 4; ++i) {
    const auto number = static_cast<float>(i);
    const auto count = static_cast<std::uint32_t>(i);
    std::byte* const to = memory.host(address) + 4 * i;
    if (fill == "ramp") std::memcpy(to, &number, 4);
    if (fill == "count") std::memcpy(to, &count, 4);
  }
  if (fill != "unset") memory.mark_written(address, bytes);
  if (fill == "freed") memory.release(address);
  return address + offset;
}

/// Bytes of one argument, 4 or 8.
std::vector<std::byte> make_argument(const std::string& text, DeviceMemory& memory) {
  static int on_host[1024];
  std::istringstream in(text);
  std::string kind;
  in >> kind;
  std::vector<std::byte> out(kind == "int" ? 4 : 8);
  std::uint64_t value = 0;
  if (kind == "int") in >> value;
  if (kind == "host") value = reinterpret_cast<std::uint64_t>(&on_host);
  if (kind == "buffer") value = make_buffer(in, memory);
  std::memcpy(out.data(), &value, out.size());
  return out;
}

}  // namespace

std::vector<BugCase> read_bug_cases(const fs::path& folder) {
  std::vector<BugCase> out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".cu") out.push_back(read_case(entry.path()));
  }
  std::sort(out.begin(), out.end(),
            [](const BugCase& a, const BugCase& b) { return a.name < b.name; });
  return out;
}

void PrintTo(const BugCase& bug, std::ostream* out) { *out << bug.expected; }

Result<LaunchRecord> run_bug_case(const BugCase& bug, const std::string& ptx, bool reversed) {
  DeviceMemory memory(std::uint64_t{1} << 30U);
  WARPMIND_TRY(auto syntax, ptx::parse_ptx(ptx));
  WARPMIND_TRY(const auto module,
               compile_module(std::move(syntax), [&](const ptx::Variable& variable) {
                 return memory.allocate(std::max<std::uint64_t>(variable.bytes, 1));
               }));
  for (const auto& [name, variable] : module->variables) {
    WARPMIND_TRY(const auto bytes, initial_bytes(*module, variable));
    std::memcpy(memory.host(variable.address), bytes.data(), bytes.size());
    memory.mark_written(variable.address, bytes.size());
  }
  const Program* const program = module->find("kernel");
  if (program == nullptr) return fail(Errc::not_found, "there is no kernel");
  if (!program->unsupported.empty()) return fail(Errc::invalid_argument, program->unsupported);
  LaunchRequest request{{}, *module, *program, {}};
  LaunchOptions options;
  options.reversed = reversed;
  std::istringstream in(bug.launch);
  for (std::string key, value; in >> key >> value;) {
    if (key == "grid") request.grid = extents(value);
    if (key == "block") request.block = extents(value);
    request.cooperative = request.cooperative || (key == "cooperative" && value == "yes");
    if (key == "shared") request.shared_bytes = static_cast<std::uint32_t>(std::stoul(value));
    if (key == "steps") options.step_limit = std::stoull(value);
    if (key == "seconds") options.seconds = std::stod(value);
  }
  std::vector<std::byte> parameters(program->parameter_bytes);
  for (std::size_t i = 0; i < bug.arguments.size() && i < program->parameters.size(); ++i) {
    const auto bytes = make_argument(bug.arguments[i], memory);
    std::memcpy(parameters.data() + program->parameters[i].offset, bytes.data(), bytes.size());
  }
  request.parameters = parameters;
  return run_launch(request, options, memory);
}

}  // namespace warpmind::simulator
