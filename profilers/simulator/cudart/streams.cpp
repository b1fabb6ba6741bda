#include "profilers/simulator/cudart/streams.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace warpmind::simulator {

StreamScheduler::StreamScheduler() { legacy_ = create(StreamKind::legacy, 0); }

StreamScheduler::~StreamScheduler() {
  for (const auto& stream : streams_) {
    stream->last_.reset();
    stream->next_waits_.clear();
  }
}

void StreamScheduler::drop(const std::shared_ptr<Stream>& stream) {
  stream->last_.reset();
  stream->next_waits_.clear();
  streams_.erase(stream);
}

std::shared_ptr<Stream> StreamScheduler::create(StreamKind kind, int priority) {
  auto stream = std::make_shared<Stream>(kind, priority);
  const std::lock_guard lock(mutex_);
  stream->clock_ns_ = host_ns_;
  streams_.insert(stream);
  return stream;
}

void StreamScheduler::forget(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex_);
  stream->forgotten_ = true;
  if (stream->submitted_ == stream->completed_) drop(stream);
}

void StreamScheduler::collect_waits(Stream& stream, Stream::Operation& operation) const {
  operation.waits = std::exchange(stream.next_waits_, {});
  // Also for what is done: the clock goes on from there.
  const auto wait_for = [&](const std::shared_ptr<Stream>& other) {
    if (other->last_ != nullptr) operation.waits.push_back(other->last_);
  };
  if (stream.kind == StreamKind::blocking) wait_for(legacy_);
  if (stream.kind != StreamKind::legacy) return;
  for (const auto& other : streams_) {
    if (other->kind == StreamKind::blocking) wait_for(other);
  }
}

bool StreamScheduler::ready(const Stream::Operation& operation) const {
  return std::all_of(operation.waits.begin(), operation.waits.end(),
                     [](const auto& stamp) { return stamp->stream->completed_ >= stamp->ticket; });
}

double StreamScheduler::start_of(const Stream& stream, const Stream::Operation& operation) {
  double start = std::max(stream.clock_ns_, operation.not_before_ns);
  for (const auto& stamp : operation.waits) start = std::max(start, stamp->ns);
  return start;
}

void StreamScheduler::run_operation(const std::shared_ptr<Stream>& stream,
                                    Stream::Operation operation,
                                    std::unique_lock<std::mutex>& lock) {
  const double start = start_of(*stream, operation);
  lock.unlock();
  const double end = operation.work(start);
  operation.work = nullptr;  // what it holds goes before others see it done
  lock.lock();
  stream->clock_ns_ = std::max(start, end);
  operation.stamp->ns = stream->clock_ns_;
  if (++stream->completed_ == stream->submitted_ && stream->forgotten_) drop(stream);
  changed_.notify_all();
}

std::shared_ptr<const Stamp> StreamScheduler::submit(const std::shared_ptr<Stream>& stream,
                                                     Work work, bool may_block) {
  std::unique_lock lock(mutex_);
  Stream::Operation operation;
  operation.work = std::move(work);
  operation.not_before_ns = host_ns_;
  collect_waits(*stream, operation);
  operation.stamp = std::make_shared<Stamp>();
  operation.stamp->stream = stream;
  std::shared_ptr<const Stamp> stamp = operation.stamp;
  const bool is_idle = stream->submitted_ == stream->completed_;
  operation.stamp->ticket = ++stream->submitted_;
  stream->last_ = stamp;
  if (is_idle && !may_block && ready(operation)) {
    run_operation(stream, std::move(operation), lock);
    return stamp;
  }
  stream->queue_.push_back(std::move(operation));
  if (!stream->has_thread_) {
    stream->has_thread_ = true;
    // Detached: it may be held by a host function for ever, and must not hold up the exit.
    std::thread([this, stream] { work_off(stream); }).detach();
  }
  changed_.notify_all();
  return stamp;
}

void StreamScheduler::work_off(const std::shared_ptr<Stream>& stream) {
  std::unique_lock lock(mutex_);
  while (!stream->queue_.empty()) {
    // An operation that some thread runs at once may be under way: then it is not our turn.
    changed_.wait(lock, [&] {
      const Stream::Operation& first = stream->queue_.front();
      return stream->completed_ + 1 == first.stamp->ticket && ready(first);
    });
    Stream::Operation operation = std::move(stream->queue_.front());
    stream->queue_.pop_front();
    run_operation(stream, std::move(operation), lock);
  }
  stream->has_thread_ = false;
}

void StreamScheduler::add_wait(const std::shared_ptr<Stream>& stream,
                               std::shared_ptr<const Stamp> stamp) {
  const std::lock_guard lock(mutex_);
  stream->next_waits_.push_back(std::move(stamp));
}

bool StreamScheduler::done(const Stamp& stamp) const {
  const std::lock_guard lock(mutex_);
  return stamp.stream->completed_ >= stamp.ticket;
}

bool StreamScheduler::idle(const Stream& stream) const {
  const std::lock_guard lock(mutex_);
  return stream.submitted_ == stream.completed_;
}

bool StreamScheduler::is_free(const Stream& stream) const {
  const std::lock_guard lock(mutex_);
  const auto busy = [](const Stream& one) { return one.submitted_ != one.completed_; };
  if (busy(stream)) return false;
  for (const auto& stamp : stream.next_waits_) {
    if (stamp->stream->completed_ < stamp->ticket) return false;
  }
  if (stream.kind == StreamKind::blocking) return !busy(*legacy_);
  if (stream.kind == StreamKind::non_blocking) return true;
  return std::none_of(streams_.begin(), streams_.end(), [&](const auto& other) {
    return other->kind == StreamKind::blocking && busy(*other);
  });
}

void StreamScheduler::wait(const Stamp& stamp) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stamp.stream->completed_ >= stamp.ticket; });
  host_ns_ = std::max(host_ns_, stamp.ns);
}

void StreamScheduler::wait(const std::shared_ptr<Stream>& stream) {
  std::unique_lock lock(mutex_);
  const std::uint64_t last = stream->submitted_;
  changed_.wait(lock, [&] { return stream->completed_ >= last; });
  host_ns_ = std::max(host_ns_, stream->clock_ns_);
}

void StreamScheduler::wait_all() {
  std::unique_lock lock(mutex_);
  const std::set<std::shared_ptr<Stream>> streams = streams_;
  for (const auto& stream : streams) {
    const std::uint64_t last = stream->submitted_;
    changed_.wait(lock, [&] { return stream->completed_ >= last; });
    host_ns_ = std::max(host_ns_, stream->clock_ns_);
  }
}

}  // namespace warpmind::simulator
