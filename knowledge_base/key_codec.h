#pragma once
/// \file
/// The only place where keys are built and parsed.
///
/// A key is a kind byte (fixed prefix: which sort of record within its family), then fields.
/// Numbers are big-endian, so that the order of keys is the order of numbers. Text fields are
/// escaped (0x00 and 0x01) and end with 0x00 unless they come last.

#include "base/ids.h"
#include "base/model/measurement.h"
#include "knowledge_base/posterior.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpmind::knowledge_base {

/// "j-0000000007" <-> 7. nullopt for a text of another shape.
[[nodiscard]] JobId job_id(std::int64_t number);
[[nodiscard]] std::optional<std::int64_t> number_of(const JobId& id);
[[nodiscard]] std::optional<std::int64_t> number_of(const EpisodeId& id);

[[nodiscard]] std::string task_key(const TaskId& id);
[[nodiscard]] std::string best_kernel_prefix(const TaskId& task, Provider provider);
[[nodiscard]] std::string best_kernel_key(const TaskId& task, Provider provider,
                                          std::string_view device);
[[nodiscard]] std::string episode_count_key(const TaskId& task, Provider provider);
[[nodiscard]] std::string kernel_key(const KernelId& id);
[[nodiscard]] std::string step_key(std::int64_t episode, std::size_t position);
[[nodiscard]] std::string measurement_key(std::int64_t episode, std::size_t position);
[[nodiscard]] std::string episode_key(std::int64_t number);
[[nodiscard]] std::string posterior_key(const PosteriorKey& key);
[[nodiscard]] std::string job_key(std::int64_t number);
[[nodiscard]] std::string job_prefix();
[[nodiscard]] std::string unfinished_job_key(std::int64_t number);
[[nodiscard]] std::string unfinished_job_prefix();
[[nodiscard]] std::string log_key(std::int64_t sequence);
[[nodiscard]] std::string log_prefix();
[[nodiscard]] std::string schema_key();
[[nodiscard]] std::string state_key();

/// The number at the end of a job, unfinished-job or log key. nullopt if the key has another shape.
[[nodiscard]] std::optional<std::int64_t> number_in_key(std::string_view key);

/// Whether a key holds a record (kind 1), and not a secondary key or a counter.
[[nodiscard]] bool is_record_key(std::string_view key);

}  // namespace warpmind::knowledge_base
