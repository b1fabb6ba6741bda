#pragma once
/// \file
/// The only place where values are turned into bytes and back: `[version byte][payload]`.
///
/// Encoding refuses what could not be read again (a number that is not finite). Decoding accepts
/// every version ever released; an unknown version byte is corrupt_data naming a newer build.

#include "base/model/draft.h"
#include "base/result.h"
#include "knowledge_base/posterior.h"
#include "knowledge_base/records.h"
#include "knowledge_base/remembered_kernel.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace warpmind::knowledge_base {

/// The version that this build writes.
inline constexpr std::uint8_t kRecordVersion = 1;

[[nodiscard]] Result<std::string> encode_task(const Task& task);
[[nodiscard]] Result<Task> decode_task(std::string_view bytes);

[[nodiscard]] Result<std::string> encode_kernel(const Kernel& kernel);
[[nodiscard]] Result<Kernel> decode_kernel(std::string_view bytes);

[[nodiscard]] Result<std::string> encode_measurement(const Measurement& measurement);
[[nodiscard]] Result<Measurement> decode_measurement(std::string_view bytes);

/// A whole episode in one record, traffic of language models included.
/// (draft_codec.cpp). A record of an older build has neither turns nor costs.
[[nodiscard]] Result<std::string> encode_draft(const Draft& draft);
[[nodiscard]] Result<Draft> decode_draft(std::string_view bytes);

[[nodiscard]] Result<std::string> encode_transcript(const std::vector<Exchange>& exchanges);
[[nodiscard]] Result<std::vector<Exchange>> decode_transcript(std::string_view bytes);

/// Leaves out the measurement, the exchanges and the kernel; `kernel` is the id of the latter.
[[nodiscard]] Result<std::string> encode_step(const Step& step, const KernelId& kernel);
[[nodiscard]] Result<StoredStep> decode_step(std::string_view bytes);

/// Refers to the steps, or holds them when the episode is held out.
[[nodiscard]] Result<std::string> encode_episode(const Episode& episode);
[[nodiscard]] Result<StoredEpisode> decode_episode(std::string_view bytes);

[[nodiscard]] Result<std::string> encode_job(const StoredJob& stored);
[[nodiscard]] Result<StoredJob> decode_job(std::string_view bytes);

[[nodiscard]] Result<std::string> encode_best_kernel(const BestKernel& best);
[[nodiscard]] Result<BestKernel> decode_best_kernel(std::string_view bytes);

[[nodiscard]] Result<std::string> encode_posterior(const PosteriorCounts& counts);
[[nodiscard]] Result<PosteriorCounts> decode_posterior(std::string_view bytes);

[[nodiscard]] Result<std::string> encode_log(const LogRecord& record);
[[nodiscard]] Result<LogRecord> decode_log(std::string_view bytes);

[[nodiscard]] Result<std::string> encode_state(const StoreState& state);
[[nodiscard]] Result<StoreState> decode_state(std::string_view bytes);

/// Inverse of to_hex(). Errors: corrupt_data.
[[nodiscard]] Result<Digest> digest_from_hex(std::string_view text);

/// A number on its own: schema version, counters, states of unfinished jobs.
[[nodiscard]] Result<std::string> encode_number(std::int64_t value);
[[nodiscard]] Result<std::int64_t> decode_number(std::string_view bytes);

}  // namespace warpmind::knowledge_base
