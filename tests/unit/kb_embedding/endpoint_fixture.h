#pragma once
// A base whose texts are embedded by a server of the test.

#include "knowledge_base/retrieval/endpoint_space.h"
#include "tests/fakes/embedding_server.h"
#include "tests/unit/kb_retrieval/retrieval_fixture.h"

#include <chrono>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

class EndpointFixture : public RetrievalFixture {
 protected:
  using Figures = EndpointSpace::Figures;

  void SetUp() override {}
  void TearDown() override {
    // A request may be held: it is given up, whatever the server does.
    close();
  }

  /// Time limits of hours: what returns did not wait for one.
  [[nodiscard]] EmbeddingOptions embedding(const std::string& model = "m") const {
    EmbeddingOptions options;
    options.url = server_.url();
    options.model = model;
    options.query_timeout = std::chrono::hours(1);
    options.batch_timeout = std::chrono::hours(1);
    options.first_wait = std::chrono::milliseconds(1);
    options.longest_wait = std::chrono::milliseconds(4);
    return options;
  }
  void open_with(const EmbeddingOptions& options, const RetrievalOptions& retrieval = {}) {
    close();
    base_ = OpenBase::open(location()).value();
    auto opened = Retrieval::open(*base_, retrieval, options);
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    retrieval_ = std::move(*opened);
  }
  [[nodiscard]] Figures figures() const { return retrieval_->endpoint()->figures(); }
  void await(const std::function<bool(const Figures&)>& enough) const {
    retrieval_->endpoint()->await(enough);
  }
  void await_settled() const {
    await([](const Figures& now) { return now.settled; });
  }
  /// By text alone, best first.
  [[nodiscard]] std::vector<InsightId> by_text(const std::string& text) const {
    return retrieval_->rank(about(text), {0, 1, 0, 0}).value();
  }
  /// The files of vectors in the folder of the index.
  [[nodiscard]] std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(location().index())) {
      if (entry.path().extension() == ".vectors") found.push_back(entry.path());
    }
    return found;
  }
  /// Calls that carried something else than `text`s of the caller and the probe.
  [[nodiscard]] std::size_t texts_sent(const std::string& part) const {
    std::size_t count = 0;
    for (const auto& call : server_.calls()) {
      for (const auto& text : call.texts) count += text.find(part) != std::string::npos ? 1 : 0;
    }
    return count;
  }

  /// Texts with the same of these words are near each other, others are not; no words of the text
  /// besides count.
  static std::vector<float> by_topic(const std::string& text) {
    std::vector<float> vector(4, 0.1F);
    if (text.find("tile=32") != std::string::npos) vector[0] = 1;
    if (text.find("tile=64") != std::string::npos) vector[1] = 1;
    if (text.find("zebra") != std::string::npos) vector[1] = 1;
    return vector;
  }
  static std::vector<float> by_topic_wider(const std::string& text) {
    auto vector = by_topic(text);
    vector.resize(6, 0.1F);
    return vector;
  }

  fakes::EmbeddingServer server_{by_topic};
};

}  // namespace warpmind::knowledge_base
