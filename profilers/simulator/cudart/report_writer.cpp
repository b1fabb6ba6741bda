#include "profilers/simulator/cudart/report_writer.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace warpmind::simulator {
namespace {

std::string place(const Dim3& index) {
  return "(" + std::to_string(index[0]) + "," + std::to_string(index[1]) + "," +
         std::to_string(index[2]) + ")";
}

std::string describe(const CheckEntry& entry) {
  std::string line = std::string(name_of(entry.kind)) + " in " + entry.kernel;
  if (entry.source_line > 0) line += ", line " + std::to_string(entry.source_line);
  line += ": " + entry.detail + "; first by block " + place(entry.block) + " thread " +
          place(entry.thread) + ", " + std::to_string(entry.count) + " times; " + entry.instruction;
  return line;
}

}  // namespace

Result<ReportWriter> ReportWriter::open(const std::string& target) {
  if (target.empty()) return ReportWriter(-1, false);
  if (target.rfind("fd:", 0) == 0) {
    const int descriptor = std::atoi(target.c_str() + 3);  // NOLINT: settings checked the digits
    if (fcntl(descriptor, F_GETFD) < 0) {
      return fail(Errc::invalid_argument, "CUDASIM_REPORT=" + target + " is not open");
    }
    return ReportWriter(descriptor, false);
  }
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
  const int descriptor = ::open(target.c_str(), kFlags, 0644);
  if (descriptor < 0) {
    return fail(Errc::invalid_argument, "CUDASIM_REPORT=" + target + " cannot be written: " +
                                            std::string(std::strerror(errno)));
  }
  return ReportWriter(descriptor, true);
}

ReportWriter::ReportWriter(ReportWriter&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      owned_(other.owned_),
      seal_(std::move(other.seal_)) {}

ReportWriter::~ReportWriter() {
  if (owned_ && descriptor_ >= 0) close(descriptor_);
}

bool ReportWriter::write(const LaunchReport& report) {
  std::string line = encode(report);
  if (seal_) seal_->add(line);
  line += '\n';
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) {
      if (seal_) seal_->spoil();
      return false;
    }
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void ReportWriter::seal_with(std::string key) {
  if (!seal_) seal_.emplace(std::move(key));
}

std::string ReportWriter::seal(std::string_view key) const {
  return seal_ && seal_->has_key(key) ? seal_->value() : std::string();
}

std::string describe_findings(const LaunchRecord& record) {
  std::string text;
  for (const CheckEntry& entry : record.checks) text += "[cudasim] " + describe(entry) + "\n";
  return text;
}

}  // namespace warpmind::simulator
