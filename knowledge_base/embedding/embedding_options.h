#pragma once
/// \file
/// What a person sets about the embeddings endpoint, and the limits it is used with.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>

namespace warpmind::knowledge_base {

struct EmbeddingOptions {
  std::string url;                                ///< "http://127.0.0.1:8080"; empty = no endpoint
  std::string model;                              ///< as the server names it
  std::filesystem::path key_file;                 ///< holds the bearer token; empty = none is sent
  std::chrono::milliseconds query_timeout{1000};  ///< what a search waits for its vector
  /// Cosine from which nearness in the endpoint's space alone says that an insight applies.
  double near = 0.8;

  // Not settings: tests shorten them.
  std::chrono::milliseconds batch_timeout{60'000};
  std::chrono::milliseconds first_wait{500};  ///< before a second attempt; doubles each time
  std::chrono::milliseconds longest_wait{60'000};
  std::size_t batch = 64;  ///< texts in one request
};

}  // namespace warpmind::knowledge_base
