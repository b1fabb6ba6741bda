#pragma once
/// \file
/// Places where a test stops the process, lets one of our own file operations fail, or puts a known
/// mistake back. Nothing of it is in the product: there every function is a constant.
///
/// Files that use it are compiled a second time, with WARPMIND_FAULTS, for the tests (target
/// warpmind_kb_faulty). Points and mistakes are listed in docs/storage.md.

#include <cstdint>

namespace warpmind::knowledge_base {

/// Mistakes of the kind that such programs really make; each has a test that finds it.
enum class SeededBug : std::uint8_t {
  none,
  unsynced_batch,             ///< WriteOptions.sync is left false
  error_taken_for_success,    ///< a failed write is acknowledged
  two_batches,                ///< an episode and the end of its job are written apart
  watermark_skipped,          ///< the mark stays where it was
  watermark_first,            ///< the mark is advanced before the batch is written
  watermark_in_one_slot,      ///< the newest record is overwritten in place
  torn_tail_refused,          ///< the WAL must end with a whole record
  group_blind_reads,          ///< a change does not see those before it in its group
  credited_twice,             ///< an episode counts twice in the statistics
  unfenced_commit,            ///< a job that ended may end again
  ended_job_left_unfinished,  ///< the key of unfinished jobs stays
  reserve_ignored,            ///< writes go on to the last byte
  newer_schema_opened,        ///< the version is not looked at
  schema_apart_from_state,    ///< a migration writes two batches
  empty_base_in_its_place,    ///< a missing database is made again
  stale_projections_kept,     ///< a rebuild adds and never takes away
  backup_without_mark,        ///< a restored base does not know what was acknowledged
  restore_in_the_open,        ///< the target is filled where it can be seen
  no_second_look,             ///< after a failed write the base is not opened again
  lock_ignored,               ///< two processes may open one base
};

namespace fault_on {
/// Stops the process when the test asked for it.
void reached(const char* point);
/// errno that the operation must fail with; 0 = do it.
[[nodiscard]] int failure(const char* operation);
[[nodiscard]] bool seeded(SeededBug bug);
}  // namespace fault_on

namespace fault_off {
constexpr void reached(const char* /*point*/) {}
[[nodiscard]] constexpr int failure(const char* /*operation*/) { return 0; }
[[nodiscard]] constexpr bool seeded(SeededBug /*bug*/) { return false; }
}  // namespace fault_off

#ifdef WARPMIND_FAULTS
namespace fault = fault_on;
#else
namespace fault = fault_off;
#endif

}  // namespace warpmind::knowledge_base
