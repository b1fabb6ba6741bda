// Runs a fuzz target without libFuzzer: every input of a corpus, then mutations of them.
//   <target> CORPUS_DIRECTORY [MUTATIONS] [SEED]
// A crash is the failure. With KEEP_INPUT set, the input that runs is kept in <target>.input.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;
using Input = std::vector<std::uint8_t>;

/// One mutation of so many nests deeply; up to 2^14 levels.
constexpr std::size_t kNestOneIn = 16;
constexpr std::size_t kNestBits = 15;
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kNests{{{"(", ")"},
                                                                                {"[", "]"},
                                                                                {"{", "}"},
                                                                                {"{a=", "}"},
                                                                                {"{\"a\":", "}"},
                                                                                {"a.", ""},
                                                                                {"-", ""},
                                                                                {"!", ""},
                                                                                {"*", ""},
                                                                                {"f(", ")"},
                                                                                {"1?1:", ""},
                                                                                {"if(1)", ""},
                                                                                {"a<", ">"},
                                                                                {"1+", ""}}};

std::vector<Input> read_corpus(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Input> corpus;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return corpus;
}

class Mutator {
 public:
  Mutator(const std::vector<Input>& corpus, std::uint64_t seed) : corpus_(corpus), random_(seed) {}

  Input next() {
    Input input = corpus_[random_() % corpus_.size()];
    for (std::size_t i = 1 + random_() % 4; i > 0; --i) mutate(input);
    return input;
  }

 private:
  [[nodiscard]] std::size_t place(std::size_t size) { return size == 0 ? 0 : random_() % size; }

  void mutate(Input& input) {
    static const std::string kPieces = "{}[],:\"\\0123456789-e.ntuf\xff\xc3\x00\x01";
    const auto at = static_cast<std::ptrdiff_t>(place(input.size()));
    if (random_() % kNestOneIn == 0) return nest(input, at);
    switch (random_() % 6) {
      case 0:
        if (!input.empty()) {
          input[place(input.size())] ^= static_cast<std::uint8_t>(1U << (random_() % 8));
        }
        break;
      case 1:
        input.insert(input.begin() + at, static_cast<std::uint8_t>(kPieces[place(kPieces.size())]));
        break;
      case 2:
        if (!input.empty()) {
          const auto length = std::min<std::ptrdiff_t>(
              1 + static_cast<std::ptrdiff_t>(random_() % 16), std::ssize(input) - at);
          input.erase(input.begin() + at, input.begin() + at + length);
        }
        break;
      case 3: input.resize(static_cast<std::size_t>(at)); break;
      case 4: repeat(input, at); break;
      default: splice(input, at); break;
    }
  }
  void repeat(Input& input, std::ptrdiff_t at) {
    const Input piece(input.begin() + at,
                      input.begin() + std::min<std::ptrdiff_t>(at + 32, std::ssize(input)));
    for (std::size_t i = random_() % 16; i > 0; --i) {
      input.insert(input.begin() + at, piece.begin(), piece.end());
    }
  }
  /// Readers that descend must stop somewhere.
  void nest(Input& input, std::ptrdiff_t at) {
    const auto& [open, close] = kNests.at(place(kNests.size()));
    const std::size_t levels = std::size_t{1} << (random_() % kNestBits);
    std::string left;
    std::string right;
    for (std::size_t i = 0; i < levels; ++i) {
      left += open;
      right += close;
    }
    const auto until =
        at + static_cast<std::ptrdiff_t>(place(input.size() - static_cast<std::size_t>(at)));
    input.insert(input.begin() + until, right.begin(), right.end());
    input.insert(input.begin() + at, left.begin(), left.end());
  }
  void splice(Input& input, std::ptrdiff_t at) {
    const Input& other = corpus_[random_() % corpus_.size()];
    input.resize(static_cast<std::size_t>(at));
    const auto from = static_cast<std::ptrdiff_t>(place(other.size()));
    input.insert(input.end(), other.begin() + from, other.end());
  }

  const std::vector<Input>& corpus_;
  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto corpus = read_corpus(argv[1]);
  if (corpus.empty()) {
    std::fprintf(stderr, "no input in %s\n", argv[1]);
    return 1;
  }
  for (const auto& input : corpus) (void)LLVMFuzzerTestOneInput(input.data(), input.size());
  const long mutations = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 0;
  Mutator mutator(corpus, argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  const std::string name = fs::path(argv[0]).filename().string() + ".input";
  const bool keep = std::getenv("KEEP_INPUT") != nullptr;
  for (long i = 0; i < mutations; ++i) {
    const Input input = mutator.next();
    if (keep) {
      std::ofstream(name, std::ios::binary)
          .write(reinterpret_cast<const char*>(input.data()), std::ssize(input));
    }
    (void)LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu inputs, %ld mutations, no crash\n", corpus.size(), mutations);
  return 0;
}
