#include "profilers/lab/prediction_seed.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"

#include <array>
#include <string>
#include <sys/random.h>
#include <sys/stat.h>

namespace warpmind::profilers {
namespace {

constexpr std::size_t kSecretDigits = 64;

/// Errors: not_found; invalid_argument for one that others may know.
Result<std::string> read_secret(const std::filesystem::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) return fail(Errc::not_found, "there is none");
  if (!S_ISREG(status.st_mode) || (status.st_mode & 077U) != 0) {
    return fail(Errc::invalid_argument, file.string() + " can be read by others");
  }
  WARPMIND_TRY(auto text, read_file(file, kSecretDigits + 1));
  if (text.size() < kSecretDigits) return fail(Errc::invalid_argument, "it is cut off");
  return text.substr(0, kSecretDigits);
}

Result<std::string> make_secret(const std::filesystem::path& file) {
  std::array<char, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return fail(Errc::external_failure, "the kernel gives no random bytes");
  }
  WARPMIND_CHECK(make_private_directory(file.parent_path()));
  const std::string text = to_hex(sha256({bytes.data(), bytes.size()}));
  WARPMIND_CHECK(write_file_atomic(file, text + "\n"));  // mode 0600
  return read_secret(file);  // another daemon may have made one at the same moment
}

}  // namespace

std::filesystem::path prediction_secret_file(const std::filesystem::path& cache) {
  return cache.parent_path() / "prediction.seed";
}

std::uint64_t prediction_seed(const std::filesystem::path& file, const Task& task,
                              const Workload& workload) {
  auto secret = read_secret(file);
  if (!secret) secret = make_secret(file);
  if (!secret) {
    log::debug("profilers", "no lasting seed for predictions", {{"why", secret.error().message}});
    return 0;
  }
  const Digest digest = sha256(hash_input({"prediction", *secret, task.id.str(), workload.name}));
  return seed_of(digest);
}

}  // namespace warpmind::profilers
