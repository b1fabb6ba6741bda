#include "profilers/launch_record/call_trace.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace warpmind::profilers {

CallTrace::CallTrace(std::string target, std::string recorder)
    : target_(std::move(target)), recorder_(std::move(recorder)) {}

Result<void> CallTrace::open() {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC;
  file_.reset(::open(target_.c_str(), kFlags, 0644));
  if (!file_) {
    return fail(Errc::unavailable, "the record " + target_ +
                                       " cannot be written: " + std::string(std::strerror(errno)));
  }
  CudaCall begin;
  begin.kind = CallKind::begin;
  begin.name = recorder_;
  return write_line(begin);
}

Result<void> CallTrace::write_line(const CudaCall& call) {
  const std::string line = encode(call) + "\n";
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_.get(), rest.data(), rest.size());
    if (written < 0 && errno != EINTR) {
      return fail(Errc::unavailable, "the record " + target_ + " cannot be written: " +
                                         std::string(std::strerror(errno)));
    }
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

void CallTrace::keep_contents(MemoryReader read) {
  const std::lock_guard lock(mutex_);
  if (is_on()) contents_.emplace(contents_folder(target_), std::move(read));
}

Result<void> CallTrace::write_counted(const CudaCall& call) {
  if (calls_ > kMostCalls) return {};
  CudaCall cut;
  cut.kind = CallKind::cut;
  return write_line(calls_++ < kMostCalls ? call : cut);
}

Result<void> CallTrace::write(const CudaCall& call) {
  const std::lock_guard lock(mutex_);
  if (!is_on() || failed_ || calls_ > kMostCalls) return {};
  failed_ = true;  // until it has worked
  if (!file_) WARPMIND_CHECK(open());
  if (contents_) {
    for (const CudaCall& kept : contents_->before(call)) WARPMIND_CHECK(write_counted(kept));
  }
  WARPMIND_CHECK(write_counted(call));
  failed_ = false;
  return {};
}

}  // namespace warpmind::profilers
