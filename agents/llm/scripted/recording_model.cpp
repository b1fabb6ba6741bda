#include "agents/llm/scripted/recording_model.h"

#include "agents/llm/scripted/recorded_call.h"

#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace warpmind::agents::llm {
namespace {

std::string reason_of(int number) { return std::system_category().message(number); }

}  // namespace

Result<std::unique_ptr<RecordingModel>> RecordingModel::open(LanguageModel& inner,
                                                             const std::filesystem::path& file) {
  UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!fd) {
    return fail(Errc::external_failure,
                "recording: cannot open " + file.string() + " for writing: " + reason_of(errno));
  }
  return std::unique_ptr<RecordingModel>(new RecordingModel(inner, file, std::move(fd)));
}

Result<ModelReply> RecordingModel::complete(const ModelRequest& request, std::stop_token stop) {
  auto reply = inner_.complete(request, stop);
  RecordedCall call;
  call.request = request;
  if (reply) {
    call.outcome = *reply;
  } else if (reply.error().code == Errc::cancelled) {
    return reply;
  } else {
    call.outcome = reply.error();
  }
  WARPMIND_CHECK(append(encode_call(call) + "\n"));
  return reply;
}

Result<void> RecordingModel::append(const std::string& line) {
  const std::lock_guard lock(mutex_);
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(fd_.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      return fail(Errc::external_failure,
                  "recording: cannot write " + file_.string() + ": " + reason_of(errno));
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fdatasync(fd_.get()) != 0) {
    return fail(Errc::external_failure,
                "recording: cannot sync " + file_.string() + ": " + reason_of(errno));
  }
  return {};
}

}  // namespace warpmind::agents::llm
