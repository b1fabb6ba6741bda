#include "knowledge_base/packs/pack_reader.h"

#include "base/file.h"
#include "base/hash.h"
#include "knowledge_base/packs/supersede_order.h"

#include <algorithm>
#include <map>
#include <set>

namespace warpmind::knowledge_base {
namespace {

tl::unexpected<Error> refuse(std::string why) {
  return fail(Errc::invalid_argument, std::move(why));
}

std::string at_line(std::size_t number, const std::string& what) {
  return "line " + std::to_string(number) + " of the pack " + what;
}

/// What must differ between the records of one pack.
std::string key_of(const PackRecord& record) {
  if (const auto* technique = std::get_if<Technique>(&record))
    return "technique " + technique->name;
  if (const auto* fact = std::get_if<Fact>(&record))
    return "fact " + fact->subject + " " + fact->name;
  if (const auto* skill = std::get_if<PackedSkill>(&record)) return "skill " + skill->name;
  return "insight " + std::get<PackedClaim>(record).insight.id.str();
}

}  // namespace

Result<CheckedPack> CheckedPack::check(std::string text, const PackLimits& limits,
                                       const std::stop_token& stop) {
  CheckedPack pack;
  pack.text_ = std::move(text);
  WARPMIND_CHECK(pack.split(limits));
  WARPMIND_CHECK(pack.check_end());
  WARPMIND_CHECK(pack.check_records(stop));
  return pack;
}

Result<void> CheckedPack::split(const PackLimits& limits) {
  if (text_.size() > limits.bytes) {
    return refuse("the pack has " + std::to_string(text_.size()) + " bytes, at most " +
                  std::to_string(limits.bytes) + " are taken: divide it by namespace");
  }
  const std::size_t first = text_.find('\n');
  WARPMIND_TRY(header_, parse_header(std::string_view(text_).substr(0, first)));
  if (static_cast<std::size_t>(header_.records()) > limits.records) {
    return refuse("the pack holds " + std::to_string(header_.records()) + " records, at most " +
                  std::to_string(limits.records) + " are taken: divide it by namespace");
  }
  if (static_cast<std::size_t>(header_.skills) > limits.skills) {
    return refuse("the pack holds " + std::to_string(header_.skills) + " skills, at most " +
                  std::to_string(limits.skills) + " are taken: divide it");
  }
  std::size_t begin = first == std::string::npos ? text_.size() : first + 1;
  while (begin < text_.size()) {
    const std::size_t end = text_.find('\n', begin);
    const std::size_t length = (end == std::string::npos ? text_.size() : end) - begin;
    if (length > limits.line_bytes) {
      return refuse(at_line(line_number(lines_.size()),
                            "is longer than " + std::to_string(limits.line_bytes) + " bytes"));
    }
    if (lines_.size() > limits.records) {
      return refuse("the pack has more than " + std::to_string(limits.records) +
                    " lines of records: divide it by namespace");
    }
    lines_.emplace_back(begin, length);
    begin += length + 1;
  }
  return {};
}

Result<void> CheckedPack::check_end() {
  const std::string cut_off =
      "the pack is cut off: its last line must be the end line with the sum; get the file again";
  if (lines_.empty() || text_.back() != '\n') return refuse(cut_off);
  const auto [offset, length] = lines_.back();
  auto end = parse_end(std::string_view(text_).substr(offset, length));
  if (!end) {
    const std::string_view last = std::string_view(text_).substr(offset, length);
    const bool is_end = last.find("\"type\":\"end\"") != std::string_view::npos;
    return refuse(is_end ? "the end line of the pack " + end.error().message : cut_off);
  }
  end_ = std::move(*end);
  end_offset_ = offset;
  lines_.pop_back();
  const auto count = static_cast<std::int64_t>(lines_.size());
  if (end_.records != count || header_.records() != count) {
    return refuse("the pack has " + std::to_string(count) + " records, but its header says " +
                  std::to_string(header_.records()) + " and its end line " +
                  std::to_string(end_.records) + ": get the file again");
  }
  const std::string sum = to_hex(sha256(std::string_view(text_).substr(0, end_offset_)));
  if (sum != end_.sum) {
    return refuse(
        "the pack does not have the sum that its end line says: it was changed or "
        "damaged after the export");
  }
  if (end_.signature && is_weak_key(end_.signature->public_key)) {
    return refuse("the pack is signed with a key of small order, whose signature fits any content");
  }
  if (end_.signature && !fits(*end_.signature, signed_message(sum))) {
    return refuse("the signature of the pack does not fit: it was changed after it was signed");
  }
  return {};
}

Result<void> CheckedPack::check_records(const std::stop_token& stop) {
  std::string hashes;
  std::map<std::string, std::size_t> seen;
  PackHeader counted = header_;
  counted.techniques = counted.facts = counted.insights = counted.skills = 0;
  SupersedeOrder order;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (stop.stop_requested()) {
      return fail(Errc::cancelled, "reading the pack was stopped; nothing was changed");
    }
    const auto [offset, length] = lines_[i];
    auto parsed = parse_record(std::string_view(text_).substr(offset, length));
    if (!parsed) return refuse(at_line(line_number(i), parsed.error().message));
    hashes += parsed->hash;
    const auto [at, is_new] = seen.emplace(key_of(parsed->record), i);
    if (!is_new) {
      return refuse(at_line(line_number(i), "says " + at->first + " again, which line " +
                                                std::to_string(line_number(at->second)) +
                                                " said already"));
    }
    counted.techniques += std::holds_alternative<Technique>(parsed->record) ? 1 : 0;
    counted.facts += std::holds_alternative<Fact>(parsed->record) ? 1 : 0;
    counted.skills += std::holds_alternative<PackedSkill>(parsed->record) ? 1 : 0;
    if (const auto* claim = std::get_if<PackedClaim>(&parsed->record)) {
      ++counted.insights;
      order.add(claim->insight);
    }
  }
  if (short_hash(hashes) != end_.content) {
    return refuse("the pack calls its content " + end_.content + ", but it is " +
                  short_hash(hashes) + ": it was changed after the export");
  }
  if (counted != header_) return refuse("the header of the pack does not count what is in it");
  if (const auto circle = order.circle(); !circle.empty()) {
    return refuse("the insights of the pack supersede each other in a circle (" + circle +
                  "): have it exported again");
  }
  return {};
}

Result<PackRecord> CheckedPack::record(std::size_t index) const {
  const auto [offset, length] = lines_.at(index);
  WARPMIND_TRY(auto parsed, parse_record(std::string_view(text_).substr(offset, length)));
  return std::move(parsed.record);
}

Result<CheckedPack> read_pack(const std::filesystem::path& file, const PackImportOptions& options,
                              PackReport& report) {
  std::set<std::string> trusted;
  for (const auto& pem : options.trusted_keys) {
    WARPMIND_TRY(auto key, read_public_key(pem));
    trusted.insert(std::move(key));
  }
  WARPMIND_TRY(auto text, read_file(file, PackLimits{}.bytes));
  auto pack = CheckedPack::check(std::move(text), {}, options.stop);
  if (!pack && pack.error().code == Errc::cancelled) return fail(std::move(pack).error());
  if (!pack) return fail(std::move(pack).error().while_doing(file.string()));
  report.pack = pack->name();
  report.origin = pack->header().origin;
  const auto& signature = pack->signature();
  report.is_signed = signature.has_value();
  if (signature) report.signer = fingerprint(signature->public_key);
  const bool is_trusted = signature && trusted.contains(signature->public_key);
  report.signer_known = is_trusted;
  if (options.require_signature && !is_trusted) {
    return refuse(file.string() + ": " +
                  (signature ? "the pack is signed by " + report.signer +
                                   ", which is no trusted key: add its public key, or import "
                                   "without requiring a signature"
                             : "the pack is not signed, and a signature is required"));
  }
  if (signature && !is_trusted) {
    report.notes.push_back("signed by " + report.signer + ", which is no trusted key");
  }
  return pack;
}

}  // namespace warpmind::knowledge_base
