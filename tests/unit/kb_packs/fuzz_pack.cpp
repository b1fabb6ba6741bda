#include "tests/unit/kb_packs/fuzz_pack.h"

#include "knowledge_base/packs/kernel_tuner.h"
#include "knowledge_base/packs/kernelblaster.h"
#include "knowledge_base/packs/markdown_text.h"
#include "knowledge_base/packs/pack_reader.h"

#include <cstdlib>
#include <string>
#include <string_view>

namespace warpmind::knowledge_base {
namespace {

/// A record that was taken must mean the same after it was written and read again.
void require_stable(const PackRecord& record) {
  std::string hash;
  std::string line = record_line(record, hash);
  line.pop_back();
  const auto again = parse_record(line);
  if (!again || again->hash != hash || again->record != record) std::abort();
}

void read_as_pack(std::string text) {
  const auto pack = CheckedPack::check(std::move(text), {.bytes = 1U << 22U, .records = 1000});
  if (!pack) {
    if (pack.error().message.empty()) std::abort();
    return;
  }
  for (std::size_t i = 0; i < pack->size(); ++i) {
    const auto record = pack->record(i);
    if (!record) std::abort();
    require_stable(*record);
    if (const auto* claim = std::get_if<PackedClaim>(&*record)) {
      static_cast<void>(markdown_of(claim->insight));
    }
  }
}

/// Single lines get past the sums that protect a whole pack.
void read_as_lines(std::string_view text) {
  static_cast<void>(parse_header(text));
  static_cast<void>(parse_end(text));
  if (const auto record = parse_record(text)) require_stable(record->record);
}

}  // namespace

int fuzz_pack(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned choice = data[0];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool all = choice == 0xffU;
  if (all || choice % 4 == 0) read_as_pack(std::string(text));
  if (all || choice % 4 == 1) read_as_lines(text);
  if (all || choice % 4 == 2) {
    PackReport report;
    static_cast<void>(parse_kernelblaster(text, {}, report));
  }
  if (all || choice % 4 == 3) {
    PackReport report;
    static_cast<void>(parse_kernel_tuner(text, report));
  }
  return 0;
}

}  // namespace warpmind::knowledge_base
