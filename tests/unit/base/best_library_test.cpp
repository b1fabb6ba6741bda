#include "base/best_library.h"

#include "base/codec/model_json.h"
#include "base/model/measurement.h"

#include <gmock/gmock.h>

namespace warpmind {
namespace {

BestLibrary cublaslt() { return {"cuBLASLt 13.1.0", "cublasLtMatmul, algorithm 2 of 8", 9010, ""}; }

TEST(BestLibrary, ATimeIsSaidInTimesOfTheLibrary) {
  EXPECT_EQ(times_best_library(cublaslt(), 18020), 0.5);
  EXPECT_EQ(describe_best_library(cublaslt(), 6930),
            "1.3x of cuBLASLt 13.1.0 (cublasLtMatmul, algorithm 2 of 8; 9.01 µs)");
  EXPECT_EQ(describe_best_library(cublaslt(), 512000).substr(0, 7), "0.018x ");
}

TEST(BestLibrary, WithoutALibraryThereIsASentenceAndNoNumber) {
  const BestLibrary none{"", "", 0, "no library call is known that computes this"};
  EXPECT_EQ(times_best_library(none, 1000), std::nullopt);
  EXPECT_EQ(describe_best_library(none, 1000), none.unknown);
  EXPECT_EQ(describe_best_library({}, 1000), "");
  EXPECT_EQ(times_best_library(cublaslt(), 0), std::nullopt);
}

TEST(BestLibrary, TravelsWithTheMeasurement) {
  Measurement measurement;
  measurement.median_ns = 18020;
  EXPECT_FALSE(nlohmann::json(measurement).contains("best_library")) << "nobody looked";
  measurement.best_library = cublaslt();
  const nlohmann::json document(measurement);
  EXPECT_EQ(document["times_best_library"], 0.5);
  EXPECT_EQ(document.get<Measurement>(), measurement);
  measurement.best_library = {"", "", 0, "none is known"};
  EXPECT_TRUE(nlohmann::json(measurement)["times_best_library"].is_null());
}

}  // namespace
}  // namespace warpmind
