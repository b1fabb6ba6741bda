#include "profilers/launch_record/buffer_contents.h"

#include "base/sequence.h"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

namespace warpmind::profilers {
namespace {

namespace fs = std::filesystem;

/// Of launches that are alike: a program is often lifted from the second as well as the first.
constexpr std::size_t kLaunchesAlike = 2;

std::uint64_t address_in(const std::string& argument) {
  std::uint64_t address = 0;
  if (argument.size() == sizeof address) {
    std::memcpy(&address, argument.data(), sizeof address);
  }
  return address;
}

}  // namespace

std::string contents_name(std::string_view bytes) {
  std::uint64_t digest = 0xcbf29ce484222325U;
  for (const char byte : bytes) {
    digest = (digest ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  }
  std::array<char, 40> name{};
  const int length = std::snprintf(name.data(), name.size(), "%016" PRIx64 "%" PRIx64, digest,
                                   static_cast<std::uint64_t>(bytes.size()));
  return {name.data(), static_cast<std::size_t>(length)};
}

fs::path contents_folder(const fs::path& record) { return record.string() + ".contents"; }

ContentsKeeper::ContentsKeeper(fs::path folder, MemoryReader read)
    : folder_(std::move(folder)), read_(std::move(read)) {}

ContentsKeeper::Buffers::iterator ContentsKeeper::find(std::uint64_t address) {
  auto at = buffers_.upper_bound(address);
  if (at == buffers_.begin()) return buffers_.end();
  --at;
  return address - at->first < at->second.bytes ? at : buffers_.end();
}

void ContentsKeeper::follow(const CudaCall& call) {
  switch (call.kind) {
    case CallKind::allocate:
      // The host writes to managed and pinned memory unseen.
      buffers_[call.address] = {call.bytes, call.name != "device"};
      break;
    case CallKind::release: buffers_.erase(call.address); break;
    case CallKind::copy:
    case CallKind::fill:
      if (const auto at = find(call.address); at != buffers_.end()) {
        at->second.may_be_written = true;
      }
      break;
    case CallKind::launch:
      for (const auto& at : buffers_of(call)) at->second.may_be_written = true;
      break;
    case CallKind::other:
      for (auto& [address, buffer] : buffers_) buffer.may_be_written = true;
      break;
    default: break;
  }
}

std::vector<ContentsKeeper::Buffers::iterator> ContentsKeeper::buffers_of(const CudaCall& launch) {
  std::vector<Buffers::iterator> all;
  for (const auto& argument : launch.arguments) {
    const auto at = find(address_in(argument));
    if (at != buffers_.end() && !contains(all, at)) {
      all.push_back(at);
    }
  }
  return all;
}

bool ContentsKeeper::is_worth_it(const CudaCall& launch) {
  std::string alike = launch.name + " " + std::to_string(launch.shared_bytes);
  for (const auto extent : launch.grid) alike += " " + std::to_string(extent);
  for (const auto extent : launch.block) alike += " " + std::to_string(extent);
  for (const auto& argument : launch.arguments) {
    const bool is_pointer = find(address_in(argument)) != buffers_.end();
    alike += " " + (is_pointer ? std::string("pointer") : argument);
  }
  return seen_[alike]++ < kLaunchesAlike;
}

std::vector<CudaCall> ContentsKeeper::before(const CudaCall& call) {
  std::vector<CudaCall> lines;
  if (call.kind == CallKind::launch && is_worth_it(call)) lines = keep(call);
  follow(call);
  return lines;
}

std::vector<CudaCall> ContentsKeeper::keep(const CudaCall& launch) {
  std::vector<CudaCall> lines;
  for (const auto& at : buffers_of(launch)) {
    const auto& [address, buffer] = *at;
    if (!buffer.may_be_written || buffer.bytes == 0) continue;
    const bool is_whole = buffer.bytes <= kMostContentsBytes;
    MemoryPieces pieces{address, buffer.bytes, buffer.bytes, 1};
    if (!is_whole) {
      // A multiple of the widest element, so that each piece begins with one.
      constexpr std::uint64_t kWidest = 16;
      const std::uint64_t stride =
          (buffer.bytes - kContentsPieceBytes) / (kContentsPieces - 1) / kWidest * kWidest;
      pieces = {address, kContentsPieceBytes, stride, kContentsPieces};
    }
    std::string bytes(pieces.bytes * pieces.count, '\0');
    if (!read_(pieces, launch.stream, bytes.data())) continue;
    CudaCall line;
    line.kind = CallKind::contents;
    line.address = address;
    line.bytes = buffer.bytes;
    line.name = contents_name(bytes);
    line.value = is_whole ? 0 : static_cast<int>(kContentsPieces);
    if (keep_file(line.name, bytes)) lines.push_back(std::move(line));
  }
  return lines;
}

bool ContentsKeeper::keep_file(const std::string& name, std::string_view bytes) {
  if (files_.contains(name)) return true;
  if (kept_bytes_ + bytes.size() > kMostProgramContentsBytes) return false;
  std::error_code ec;
  if (files_.empty()) {
    fs::remove_all(folder_, ec);
    fs::create_directories(folder_, ec);
    fs::permissions(folder_, fs::perms::owner_all, ec);
    if (ec) return false;
  }
  std::ofstream file(folder_ / name, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) return false;
  files_.insert(name);
  kept_bytes_ += bytes.size();
  return true;
}

}  // namespace warpmind::profilers
