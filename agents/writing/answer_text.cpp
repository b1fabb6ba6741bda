#include "agents/writing/answer_text.h"

#include "base/text.h"
#include "config/source_text.h"

#include <utility>

namespace warpmind::agents::writing {
namespace {

std::optional<std::size_t> find_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) return i;
  }
  return std::nullopt;
}

std::string without_carriage_returns(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    out += text[i];
  }
  return out;
}

std::size_t length_of_fence(std::string_view line) {
  const std::size_t end = line.find_first_not_of('`');
  const std::size_t length = end == std::string_view::npos ? line.size() : end;
  return length >= 3 ? length : 0;
}

}  // namespace

Result<AnswerText> split_answer(std::string_view raw) {
  if (raw.size() > kAnswerBytesLimit) {
    return fail(Errc::invalid_argument, "the answer has " + std::to_string(raw.size()) +
                                            " bytes; the limit is " +
                                            std::to_string(kAnswerBytesLimit));
  }
  if (const auto bad = config::find_invalid_utf8(raw)) {
    return fail(Errc::invalid_argument,
                "byte " + std::to_string(*bad) + " of the answer is not UTF-8");
  }
  const std::string answer = without_carriage_returns(raw);
  if (trim_text(answer, " \t\n").empty())
    return fail(Errc::invalid_argument, "the answer is empty");
  if (const auto bad = find_control_character(answer)) {
    return fail(Errc::invalid_argument, "the answer has a control character at byte " +
                                            std::to_string(*bad) + "; write plain text");
  }
  AnswerText out;
  std::size_t fence = 0;  // of the block that is open
  std::string_view rest = answer;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    const std::size_t length = length_of_fence(line);
    if (fence == 0 && length > 0) {
      fence = length;
      const std::string_view info = trim_text(line.substr(length), " \t\n");
      out.blocks.push_back({std::string(info.substr(0, info.find_first_of(" \t"))), {}});
    } else if (fence > 0 && length >= fence && trim_text(line.substr(length), " \t\n").empty()) {
      fence = 0;
    } else {
      (fence > 0 ? out.blocks.back().text : out.outside) += std::string(line) + "\n";
    }
  }
  if (fence > 0) {
    return fail(Errc::invalid_argument,
                "the block ```" + out.blocks.back().info + " is never closed; was the answer cut?");
  }
  return out;
}

Result<std::string> find_json(const AnswerText& answer) {
  std::optional<std::string> found;
  for (const auto& block : answer.blocks) {
    if (block.info != "json") continue;
    if (found) return fail(Errc::invalid_argument, "the answer has two ```json blocks; give one");
    found = block.text;
  }
  if (found) return *std::move(found);
  const std::size_t first = answer.outside.find('{');
  const std::size_t last = answer.outside.rfind('}');
  if (first == std::string::npos || last == std::string::npos || last < first) {
    return fail(Errc::invalid_argument,
                "the answer has no JSON object; give one in a ```json block");
  }
  return answer.outside.substr(first, last - first + 1);
}

}  // namespace warpmind::agents::writing
