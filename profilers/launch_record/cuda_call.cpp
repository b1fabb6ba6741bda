#include "profilers/launch_record/cuda_call.h"

#include "base/codec/json_guard.h"
#include "base/codec/json_types.h"
#include "base/text.h"

#include <algorithm>
#include <optional>

namespace warpmind::profilers {
namespace {

using nlohmann::json;

/// Most bytes of a kernel's parameters are 32764 (CUDA 12 and later); as hexadecimal digits, and
/// the name beside them.
constexpr std::size_t kMostLineBytes = std::size_t{1} << 20U;
constexpr std::size_t kMostArguments = 4096;

/// What a message quotes of the line may hold anything.
std::string on_one_line(std::string message) {
  std::replace_if(
      message.begin(), message.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; },
      ' ');
  return message;
}

/// Leaves members out that say nothing.
template <class T>
void put(json& line, const char* name, const T& value) {
  if (!(value == T{})) line[name] = value;
}

template <class T>
void take(const json& line, const char* name, T& value) {
  if (const auto at = line.find(name); at != line.end()) value = at->template get<T>();
}

}  // namespace

// Found by argument-dependent look-up.
// NOLINTNEXTLINE(misc-use-internal-linkage)
static void from_json(const json& line, CudaCall& call) {
  line.at("call").get_to(call.kind);
  take(line, "name", call.name);
  take(line, "address", call.address);
  take(line, "from", call.from);
  take(line, "bytes", call.bytes);
  take(line, "value", call.value);
  take(line, "stream", call.stream);
  take(line, "async", call.async);
  take(line, "grid", call.grid);
  take(line, "block", call.block);
  take(line, "shared", call.shared_bytes);
  take(line, "reason", call.reason);
  take(line, "cooperative", call.cooperative);
  std::vector<std::string> digits;
  take(line, "arguments", digits);
  if (digits.size() > kMostArguments) throw std::invalid_argument("too many arguments");
  for (const auto& one : digits) {
    auto bytes = decode_hex(one);
    if (!bytes) throw std::invalid_argument("arguments are not hexadecimal digits");
    call.arguments.push_back(std::move(*bytes));
  }
}

std::string encode(const CudaCall& call) {
  json line;
  line["call"] = std::string(name_of(call.kind));
  put(line, "name", call.name);
  put(line, "address", call.address);
  put(line, "from", call.from);
  put(line, "bytes", call.bytes);
  put(line, "value", call.value);
  put(line, "stream", call.stream);
  put(line, "async", call.async);
  put(line, "grid", call.grid);
  put(line, "block", call.block);
  put(line, "shared", call.shared_bytes);
  put(line, "reason", call.reason);
  put(line, "cooperative", call.cooperative);
  for (const auto& argument : call.arguments) line["arguments"].push_back(encode_hex(argument));
  return codec::dump_json(line);
}

Result<CudaCall> decode_cuda_call(std::string_view line) {
  if (line.size() > kMostLineBytes) return fail(Errc::corrupt_data, "a line of over 1 MiB");
  WARPMIND_TRY(const auto value,
               codec::parse_json(line, {.depth = 3, .nodes = 2 * kMostArguments}));
  if (!value.is_object()) return fail(Errc::corrupt_data, "not a JSON object");
  auto call = codec::from_json<CudaCall>(value, "call");
  if (!call) return fail(call.error().code, on_one_line(call.error().message));
  return call;
}

}  // namespace warpmind::profilers
