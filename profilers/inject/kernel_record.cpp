#include "profilers/inject/kernel_record.h"

#include "base/codec/json_guard.h"
#include "base/codec/json_types.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace warpmind::profilers {
namespace {

using nlohmann::json;

constexpr std::size_t kMostRecordFileBytes = std::size_t{256} << 20U;
constexpr std::size_t kMostRunLineBytes = std::size_t{1} << 20U;

template <class T>
void take_member(const json& line, const char* name, T& value) {
  if (const auto at = line.find(name); at != line.end()) value = at->template get<T>();
}

}  // namespace

// Found by argument-dependent look-up.
// NOLINTBEGIN(misc-use-internal-linkage)
static void to_json(json& line, const KernelRun& run) {
  line = json{{"kernel", run.kernel}, {"start", run.start_ns}, {"end", run.end_ns},
              {"grid", run.grid},     {"block", run.block},    {"stream", run.stream}};
  if (run.registers > 0) line["registers"] = run.registers;
  if (run.shared_bytes > 0) line["shared"] = run.shared_bytes;
  if (run.skipped) line["skipped"] = true;
}

static void from_json(const json& line, KernelRun& run) {
  line.at("kernel").get_to(run.kernel);
  line.at("start").get_to(run.start_ns);
  line.at("end").get_to(run.end_ns);
  take_member(line, "grid", run.grid);
  take_member(line, "block", run.block);
  take_member(line, "stream", run.stream);
  take_member(line, "registers", run.registers);
  take_member(line, "shared", run.shared_bytes);
  take_member(line, "skipped", run.skipped);
  if (run.end_ns < run.start_ns) throw std::invalid_argument("a kernel ends before it begins");
}
// NOLINTEND(misc-use-internal-linkage)

KernelTrace::KernelTrace(std::string target, std::string recorder)
    : target_(std::move(target)), recorder_(std::move(recorder)) {}

Result<void> KernelTrace::write_text(std::string_view text) {
  const auto refuse = [this] {
    return fail(Errc::unavailable, "the record " + target_ +
                                       " cannot be written: " + std::string(std::strerror(errno)));
  };
  std::string whole;
  if (!file_) {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC;
    file_.reset(::open(target_.c_str(), kFlags, 0644));
    if (!file_) return refuse();
    whole = codec::dump_json(json{{"recorder", recorder_}}) + "\n";
  }
  whole += text;
  std::string_view rest = whole;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_.get(), rest.data(), rest.size());
    if (written < 0 && errno != EINTR) return refuse();
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> KernelTrace::write(const std::vector<KernelRun>& runs) {
  const std::lock_guard lock(mutex_);
  if (!is_on() || failed_) return {};
  std::string text;
  for (const auto& run : runs) {
    if (written_ >= kMostKernelRuns) {
      ++dropped_;
      continue;
    }
    ++written_;
    text += codec::dump_json(run) + "\n";
  }
  failed_ = true;  // until it has worked
  WARPMIND_CHECK(write_text(text));
  failed_ = false;
  return {};
}

void KernelTrace::add_dropped(std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  dropped_ += count;
}

Result<void> KernelTrace::finish() {
  const std::lock_guard lock(mutex_);
  if (!is_on() || failed_) return {};
  return write_text(codec::dump_json(json{{"ended", true}, {"dropped", dropped_}}) + "\n");
}

Result<KernelRecord> parse_kernel_record(std::string_view lines) {
  KernelRecord record;
  for (std::size_t number = 1; !lines.empty(); ++number) {
    const auto end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const std::string where = "line " + std::to_string(number);
    if (line.size() > kMostRunLineBytes) return fail(Errc::corrupt_data, where + ": too long");
    auto value = codec::parse_json(line);
    if (!value) return fail(std::move(value).error().while_doing(where));
    if (!value->is_object()) return fail(Errc::corrupt_data, where + ": is no object");
    if (value->contains("kernel")) {
      auto run = codec::from_json<KernelRun>(*value, "run of a kernel");
      if (!run) return fail(std::move(run).error().while_doing(where));
      if (record.runs.size() >= kMostKernelRuns) {
        return fail(Errc::corrupt_data, where + ": more runs than a recorder writes");
      }
      record.runs.push_back(std::move(*run));
      continue;
    }
    try {
      take_member(*value, "recorder", record.recorder);
      take_member(*value, "ended", record.complete);
      take_member(*value, "dropped", record.dropped);
    } catch (const std::exception& e) {
      return fail(Errc::corrupt_data, where + ": " + codec::misfit_of({}, e).what());
    }
  }
  if (record.recorder.empty()) return fail(Errc::corrupt_data, "line 1: names no recorder");
  return record;
}

Result<KernelRecord> read_kernel_record(const std::filesystem::path& file) {
  WARPMIND_TRY(const auto text, read_file(file, kMostRecordFileBytes));
  return parse_kernel_record(text);
}

}  // namespace warpmind::profilers
