#include "profilers/baseline/libraries.h"

#include "lab_places.h"

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* kCublas13 =
    "#define CUBLAS_VER_MAJOR 13\n#define CUBLAS_VER_MINOR 1\n#define CUBLAS_VER_PATCH 0\n";
constexpr const char* kCublas12 =
    "#define CUBLAS_VER_MAJOR 12\n#define CUBLAS_VER_MINOR 8\n#define CUBLAS_VER_PATCH 4\n";

class LibrariesTest : public testing::Test {
 protected:
  LibrariesTest() {
    toolkit_.root = places_.path() / "cuda";
    toolkit_.headers = toolkit_.root / "include";
    toolkit_.libraries = toolkit_.root / "lib64";
    toolkit_.version = {13, 0};
  }
  void put(const std::string& file, const std::string& text) const {
    fs::create_directories((places_.path() / file).parent_path());
    places_.write(file, text);
  }
  [[nodiscard]] Result<FoundLibrary> found(Library library) const {
    // PATH of a Python whose packages lie beside it.
    const config::Environment environment = {{"PATH", ""},
                                             {"VIRTUAL_ENV", (places_.path() / "venv").string()}};
    return LibraryPlaces(toolkit_, environment).find(library);
  }

  LabPlaces places_;
  config::Toolkit toolkit_;
};

TEST_F(LibrariesTest, OfTheToolkitNeedNoFlagForTheirHeaders) {
  put("cuda/include/cublas_api.h", kCublas13);
  put("cuda/lib64/libcublasLt.so.13", "");
  put("cuda/lib64/libcublasLt.so.13.1.0.3", "");
  put("cuda/include/cccl/cub/version.cuh", "#define CUB_VERSION 300001 // one value\n");
  const auto lt = found(Library::cublaslt);
  ASSERT_TRUE(lt) << lt.error().message;
  EXPECT_EQ(lt->name, "cuBLASLt 13.1.0");
  EXPECT_EQ(lt->headers, "");
  EXPECT_EQ(lt->folder, toolkit_.libraries);
  EXPECT_EQ(lt->file, "libcublasLt.so.13");
  const auto cub = found(Library::cub);
  ASSERT_TRUE(cub) << cub.error().message;
  EXPECT_EQ(cub->name, "CUB 3.0.1");
  EXPECT_EQ(cub->file, "");
  EXPECT_EQ(found(Library::runtime)->name, "CUDA runtime 13.0");
}

TEST_F(LibrariesTest, OfPipsPackagesAreOfTheToolkitsRelease) {
  const std::string packages = "venv/lib/python3.12/site-packages/nvidia/";
  put(packages + "cublas/include/cublas_api.h", kCublas12);
  put(packages + "cublas/lib/libcublas.so.12", "");
  const auto old = found(Library::cublas);
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().code, Errc::unavailable);
  EXPECT_THAT(old.error().message,
              AllOf(HasSubstr("cuBLAS is not here"), HasSubstr("pip install nvidia-cublas")));

  put(packages + "cu13/include/cublas_api.h", kCublas13);
  put(packages + "cu13/lib/libcublas.so.13", "");
  const auto now = found(Library::cublas);
  ASSERT_TRUE(now) << now.error().message;
  EXPECT_EQ(now->headers, places_.path() / packages / "cu13/include");
  EXPECT_EQ(now->folder, places_.path() / packages / "cu13/lib");
}

TEST_F(LibrariesTest, HeadersWithoutALibraryAreNone) {
  put("cuda/include/cusparse.h",
      "#define CUSPARSE_VER_MAJOR 12\n#define CUSPARSE_VER_MINOR 6\n"
      "#define CUSPARSE_VER_PATCH 3\n");
  // Its stub for the linker is no library.
  put("cuda/lib64/libcusparse.so", "");
  EXPECT_FALSE(found(Library::cusparse));
  put("cuda/lib64/libcusparse.so.12", "");
  EXPECT_EQ(found(Library::cusparse)->name, "cuSPARSE 12.6.3");
}

}  // namespace
}  // namespace warpmind::profilers
