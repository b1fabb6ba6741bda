#include "tests/sandbox/escape_attempts/attempt.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

namespace escape {
namespace {

std::string canary(const Targets& targets) { return targets.text("folder") + "/canary"; }
std::string spare(const Targets& targets) { return targets.text("folder") + "/spare"; }

bool read_canary(const Targets& targets) { return holds(canary(targets), targets.text("secret")); }

bool read_key(const Targets& targets) {
  return holds(targets.text("folder") + "/keys/llm.key", targets.text("secret"));
}

bool read_base(const Targets& targets) {
  return holds(targets.text("folder") + "/knowledge/CURRENT", targets.text("secret"));
}

bool read_shadow(const Targets&) { return opens("/etc/shadow", O_RDONLY); }

bool read_accounts(const Targets&) { return opens("/etc/passwd", O_RDONLY); }

bool climb_from_the_job(const Targets& targets) {
  return holds("../../../../../../../.." + canary(targets), targets.text("secret"));
}

bool read_through_own_root(const Targets& targets) {
  return holds("/proc/self/root" + canary(targets), targets.text("secret"));
}

bool read_through_first_process(const Targets& targets) {
  return holds("/proc/1/root" + canary(targets), targets.text("secret"));
}

bool read_through_symlink(const Targets& targets) {
  const std::string link = writable_folder() + "/link";
  if (::symlink(canary(targets).c_str(), link.c_str()) != 0) return false;
  const bool found = holds(link, targets.text("secret"));
  ::unlink(link.c_str());
  return found;
}

bool hard_link_out(const Targets& targets) {
  const std::string link = targets.text("folder") + "/hard-link";
  if (::link(canary(targets).c_str(), link.c_str()) != 0) return false;
  return ::unlink(link.c_str()) == 0;
}

bool open_by_handle(const Targets& targets) {
  constexpr unsigned kBytes = 128;
  const std::unique_ptr<file_handle, void (*)(void*)> handle(
      static_cast<file_handle*>(std::calloc(1, sizeof(file_handle) + kBytes)), std::free);
  handle->handle_bytes = kBytes;
  int mount = 0;
  if (::name_to_handle_at(AT_FDCWD, canary(targets).c_str(), handle.get(), &mount, 0) != 0) {
    return false;
  }
  const int folder = ::open(targets.text("folder").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return worked(::open_by_handle_at(folder, handle.get(), O_RDONLY));
}

bool append_to_file(const Targets& targets) {
  const int fd = ::open(spare(targets).c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  return fd >= 0 && ::write(fd, "x", 1) == 1;
}

bool create_beside(const Targets& targets) {
  const std::string file = targets.text("folder") + "/created";
  if (!worked(::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600))) return false;
  return ::unlink(file.c_str()) == 0;
}

bool rename_file(const Targets& targets) {
  const std::string moved = spare(targets) + "-moved";
  return ::rename(spare(targets).c_str(), moved.c_str()) == 0 &&
         ::rename(moved.c_str(), spare(targets).c_str()) == 0;
}

bool remove_file(const Targets& targets) { return ::unlink(spare(targets).c_str()) == 0; }

bool truncate_file(const Targets& targets) { return ::truncate(spare(targets).c_str(), 0) == 0; }

bool change_mode(const Targets& targets) { return ::chmod(spare(targets).c_str(), 0644) == 0; }

bool change_owner(const Targets& targets) {
  return ::chown(spare(targets).c_str(), 65534, 65534) == 0;
}

bool list_folder(const Targets& targets) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(targets.text("folder").c_str()),
                                                   ::closedir);
  return folder != nullptr && ::readdir(folder.get()) != nullptr;
}

bool watch_folder(const Targets& targets) {
  const int watch = ::inotify_init1(IN_CLOEXEC);
  return watch >= 0 && worked(::inotify_add_watch(watch, targets.text("folder").c_str(), IN_OPEN));
}

bool open_program_for_writing(const Targets& targets) {
  return opens(targets.text("program"), O_WRONLY);
}

bool open_shared_memory(const Targets& targets) {
  return holds("/dev/shm/" + targets.text("shared_name"), targets.text("secret"));
}

bool make_file_on_the_root(const Targets& targets) {
  const std::string file = "/" + targets.text("shared_name");
  if (!worked(::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600))) return false;
  return ::unlink(file.c_str()) == 0;
}

bool read_environment(const Targets& targets) {
  const char* value = std::getenv("WARPMIND_TEST_SECRET");
  errno = ENOENT;
  return value != nullptr && targets.text("secret") == value;
}

}  // namespace

const std::vector<Attempt>& file_attempts() {
  static const std::vector<Attempt> list = {
      {"read_canary", Needs::nothing, read_canary},
      {"read_key", Needs::nothing, read_key},
      {"read_base", Needs::nothing, read_base},
      {"read_shadow", Needs::root, read_shadow},
      {"read_accounts", Needs::nothing, read_accounts},
      {"climb_from_the_job", Needs::nothing, climb_from_the_job},
      {"read_through_own_root", Needs::nothing, read_through_own_root},
      {"read_through_first_process", Needs::root, read_through_first_process},
      {"read_through_symlink", Needs::nothing, read_through_symlink},
      {"hard_link_out", Needs::nothing, hard_link_out},
      {"open_by_handle", Needs::root, open_by_handle},
      {"append_to_file", Needs::nothing, append_to_file},
      {"create_beside", Needs::nothing, create_beside},
      {"rename_file", Needs::nothing, rename_file},
      {"truncate_file", Needs::nothing, truncate_file},
      {"change_mode", Needs::nothing, change_mode},
      {"change_owner", Needs::root, change_owner},
      {"remove_file", Needs::nothing, remove_file},
      {"list_folder", Needs::nothing, list_folder},
      {"watch_folder", Needs::nothing, watch_folder},
      {"open_program_for_writing", Needs::nothing, open_program_for_writing},
      {"open_shared_memory", Needs::nothing, open_shared_memory},
      {"make_file_on_the_root", Needs::root, make_file_on_the_root},
      {"read_environment", Needs::nothing, read_environment}};
  return list;
}

}  // namespace escape
