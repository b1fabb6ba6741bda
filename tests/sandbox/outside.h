#pragma once
/// \file
/// What escape attempts are aimed at: files, sockets, shared memory and a process, all made here.

#include "base/file.h"
#include "profilers/process/line_session.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::profilers {

class Outside {
 public:
  /// Files in `folder`; `program` is escape_attempts, which plays the victim as well.
  Outside(std::filesystem::path folder, const std::filesystem::path& program);
  ~Outside();
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

  [[nodiscard]] static const std::string& secret();
  /// "name=value" of every target.
  [[nodiscard]] const std::vector<std::string>& arguments() const { return arguments_; }
  /// Puts back what an attempt took away.
  void restore();

 private:
  void make_files();
  void make_sockets();
  void make_shared_memory();
  void start_victim(const std::filesystem::path& program);
  void add(const std::string& name, const std::string& value);

  std::filesystem::path folder_;
  std::string shared_name_;
  std::vector<std::string> arguments_;
  std::vector<UniqueFd> sockets_;
  int shared_id_ = -1;
  std::optional<LineSession> victim_;
};

}  // namespace warpmind::profilers
