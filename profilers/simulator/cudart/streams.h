#pragma once
/// \file
/// Streams as queues of operations, with a clock of predicted device time.
///
/// An operation runs at once in the thread that submits it when everything before it is done. Only
/// behind a host function, which may wait for the thread that goes on submitting, does a stream
/// queue: then a thread of its own works the queue off.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace warpmind::simulator {

class Stream;

/// When an operation of a stream was done, in predicted nanoseconds since the process began.
struct Stamp {
  std::shared_ptr<Stream> stream;
  std::uint64_t ticket = 0;  ///< the operation's number in the stream, from 1
  double ns = 0;             ///< valid once the stream has completed `ticket`
};

/// Takes the time at which the operation starts; returns when it ends, in nanoseconds.
using Work = std::function<double(double start_ns)>;

enum class StreamKind : std::uint8_t {
  legacy,  ///< the default stream: waits for all blocking streams, and they for it
  blocking,
  non_blocking,  ///< does not know the default stream
};

class Stream {
 public:
  Stream(StreamKind stream_kind, int stream_priority)
      : kind(stream_kind), priority(stream_priority) {}
  const StreamKind kind;
  const int priority;

 private:
  friend class StreamScheduler;
  struct Operation {
    Work work;
    std::vector<std::shared_ptr<const Stamp>> waits;
    double not_before_ns = 0;
    std::shared_ptr<Stamp> stamp;
  };
  std::deque<Operation> queue_;
  std::uint64_t submitted_ = 0;
  std::uint64_t completed_ = 0;
  bool has_thread_ = false;
  bool forgotten_ = false;  ///< goes when it is idle
  double clock_ns_ = 0;
  std::shared_ptr<const Stamp> last_;  ///< of the operation submitted last
  /// What cudaStreamWaitEvent asked for: the next operation waits.
  std::vector<std::shared_ptr<const Stamp>> next_waits_;
};

/// Threads: any. Work runs without the scheduler's lock.
class StreamScheduler {
 public:
  StreamScheduler();
  /// Nothing may be under way any more.
  ~StreamScheduler();
  StreamScheduler(const StreamScheduler&) = delete;
  StreamScheduler& operator=(const StreamScheduler&) = delete;

  [[nodiscard]] std::shared_ptr<Stream> create(StreamKind kind, int priority);
  /// Its operations still run.
  void forget(const std::shared_ptr<Stream>& stream);
  [[nodiscard]] const std::shared_ptr<Stream>& legacy() const { return legacy_; }

  /// `may_block`: a host function, which never runs in the submitting thread.
  std::shared_ptr<const Stamp> submit(const std::shared_ptr<Stream>& stream, Work work,
                                      bool may_block = false);
  /// Everything submitted to `stream` from now on waits for `stamp`.
  void add_wait(const std::shared_ptr<Stream>& stream, std::shared_ptr<const Stamp> stamp);

  [[nodiscard]] bool done(const Stamp& stamp) const;
  [[nodiscard]] bool idle(const Stream& stream) const;
  /// Would an operation submitted now run at once?
  [[nodiscard]] bool is_free(const Stream& stream) const;
  void wait(const Stamp& stamp);
  void wait(const std::shared_ptr<Stream>& stream);
  void wait_all();

 private:
  /// Stamps and streams hold each other: lets go of the stamps, and of the stream.
  void drop(const std::shared_ptr<Stream>& stream);
  void collect_waits(Stream& stream, Stream::Operation& operation) const;
  [[nodiscard]] bool ready(const Stream::Operation& operation) const;
  [[nodiscard]] static double start_of(const Stream& stream, const Stream::Operation& operation);
  void run_operation(const std::shared_ptr<Stream>& stream, Stream::Operation operation,
                     std::unique_lock<std::mutex>& lock);
  void work_off(const std::shared_ptr<Stream>& stream);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Stream> legacy_;
  std::set<std::shared_ptr<Stream>> streams_;
  /// Device time up to which the host has waited: nothing submitted later starts before.
  double host_ns_ = 0;
};

}  // namespace warpmind::simulator
