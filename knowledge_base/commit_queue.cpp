#include "knowledge_base/commit_queue.h"

#include <exception>
#include <string>

namespace warpmind::knowledge_base {
namespace {

/// Followers must be woken whatever happens: an exception becomes the result of the whole group.
void lead(const std::vector<PendingWrite*>& group, const CommitQueue::Leader& leader) {
  std::string failure;
  try {
    leader(group);
    return;
  } catch (const std::exception& e) {
    failure = e.what();
  } catch (...) {
    failure = "unknown exception";
  }
  for (auto* write : group) {
    write->result = fail(Errc::external_failure, "write to the knowledge base: " + failure);
  }
}

}  // namespace

Result<void> CommitQueue::write_in_group(PendingWrite& write, const Leader& leader) {
  std::unique_lock lock(mutex_);
  waiting_.push_back(&write);
  finished_.wait(lock, [this, &write] { return write.finished || !led_; });
  if (write.finished) return std::move(write.result);
  led_ = true;
  const std::vector<PendingWrite*> group = std::exchange(waiting_, {});
  lock.unlock();
  lead(group, leader);
  lock.lock();
  led_ = false;
  for (auto* done : group) done->finished = true;
  finished_.notify_all();
  return std::move(write.result);
}

}  // namespace warpmind::knowledge_base
