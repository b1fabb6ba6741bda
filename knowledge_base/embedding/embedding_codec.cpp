#include "knowledge_base/embedding/embedding_codec.h"

#include "base/codec/json_guard.h"

#include <algorithm>
#include <cmath>

namespace warpmind::knowledge_base {
namespace {

using nlohmann::json;

constexpr codec::JsonLimits kLimits{.depth = 8, .nodes = 4'000'000};
constexpr std::size_t kLongestReason = 200;

tl::unexpected<Error> wrong(const std::string& what) {
  return fail(Errc::corrupt_data, "the answer " + what);
}

Result<std::vector<float>> vector_of(const json& embedding) {
  if (!embedding.is_array()) return wrong("has an embedding that is no list of numbers");
  if (embedding.empty() || embedding.size() > kMostDimension) {
    return wrong("has an embedding of " + std::to_string(embedding.size()) + " numbers; 1 to " +
                 std::to_string(kMostDimension) + " are possible");
  }
  std::vector<float> vector;
  vector.reserve(embedding.size());
  double squares = 0;
  for (const auto& component : embedding) {
    if (!component.is_number()) return wrong("has an embedding with something that is no number");
    const auto value = component.get<double>();
    squares += value * value;
    vector.push_back(static_cast<float>(value));
  }
  const double length = std::sqrt(squares);
  if (!std::isfinite(length)) return wrong("has an embedding with a number that is not finite");
  if (length == 0) return wrong("has an embedding of zeros");
  for (std::size_t i = 0; i < vector.size(); ++i) {
    vector[i] = static_cast<float>(embedding[i].get<double>() / length);
  }
  return vector;
}

/// Where element `position` of the list belongs: servers may answer in any order.
Result<std::size_t> place_of_element(const json& element, std::size_t position) {
  const auto index = element.find("index");
  if (index == element.end()) return position;
  if (!index->is_number_unsigned()) return wrong("has an index that is no number");
  return index->get<std::size_t>();
}

}  // namespace

std::string embedding_request(const std::string& model, const std::vector<std::string>& texts) {
  json request;
  request["model"] = model;
  request["input"] = texts;
  request["encoding_format"] = "float";
  return codec::dump_json(request);
}

Result<std::vector<std::vector<float>>> read_embeddings(std::string_view answer,
                                                        std::size_t texts) {
  auto read = codec::parse_json(answer, kLimits);
  if (!read) return wrong("is not JSON: " + read.error().message);
  const auto data = read->is_object() ? read->find("data") : read->end();
  if (data == read->end() || !data->is_array()) return wrong("has no list \"data\"");
  if (data->size() != texts) {
    return wrong("has " + std::to_string(data->size()) + " embeddings for " +
                 std::to_string(texts) + " texts");
  }
  std::vector<std::vector<float>> vectors(texts);
  for (std::size_t i = 0; i < texts; ++i) {
    const json& element = (*data)[i];
    const auto embedding = element.is_object() ? element.find("embedding") : element.end();
    if (embedding == element.end()) return wrong("has an element without an embedding");
    WARPMIND_TRY(const auto place, place_of_element(element, i));
    if (place >= texts || !vectors[place].empty()) {
      return wrong("has the index " + std::to_string(place) + " twice or out of range");
    }
    WARPMIND_TRY(vectors[place], vector_of(*embedding));
    if (vectors[place].size() != vectors[0].size() && !vectors[0].empty()) {
      return wrong("has embeddings of different dimensions");
    }
  }
  const bool even = std::all_of(vectors.begin(), vectors.end(), [&](const auto& vector) {
    return vector.size() == vectors.front().size();
  });
  if (!even) return wrong("has embeddings of different dimensions");
  return vectors;
}

std::string refusal_in(std::string_view answer) {
  const auto read = codec::parse_json(answer, kLimits);
  if (!read || !read->is_object()) return {};
  const json* error = &*read;
  if (const auto found = read->find("error"); found != read->end()) error = &*found;
  if (error->is_object()) {
    const auto message = error->find("message");
    if (message == error->end()) return {};
    error = &*message;
  }
  if (!error->is_string()) return {};
  std::string text = error->get<std::string>().substr(0, kLongestReason);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, ' ');
  return text;
}

}  // namespace warpmind::knowledge_base
