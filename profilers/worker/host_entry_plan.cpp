#include "profilers/worker/host_entry_plan.h"

#include "profilers/worker/argument_bytes.h"

#include <cstring>
#include <dlfcn.h>
#include <filesystem>

#include <ffi.h>

namespace warpmind::profilers {
namespace {

struct ObjectCloser {
  void operator()(void* object) const noexcept { (void)::dlclose(object); }
};
using UniqueObject = std::unique_ptr<void, ObjectCloser>;
using EntryPoint = void (*)();
constexpr std::size_t kMostChoice = 100;
/// What one run of a host function puts on the stream, generously: it is not known.
constexpr std::size_t kMostOperations = 16;

class SharedObject final : public LoadedBinary {
 public:
  SharedObject(UniqueObject object, EntryPoint function)
      : object_(std::move(object)), entry_(function) {}
  [[nodiscard]] EntryPoint entry() const { return entry_; }
  [[nodiscard]] std::string choice() const override {
    void* const symbol = ::dlsym(object_.get(), "warpmind_library_choice");
    if (symbol == nullptr) return {};
    const char* const words = reinterpret_cast<const char* (*)()>(symbol)();
    return std::string(words, ::strnlen(words, kMostChoice));
  }

 private:
  UniqueObject object_;
  EntryPoint entry_;
};

/// Null for types that C passes in no standard way (half precision).
ffi_type* ffi_type_of(const CallArgument& argument) {
  if (!argument.buffer.empty()) return &ffi_type_pointer;
  switch (argument.scalar_dtype) {
    case Dtype::f32: return &ffi_type_float;
    case Dtype::f64: return &ffi_type_double;
    case Dtype::i8: return &ffi_type_sint8;
    case Dtype::u8: return &ffi_type_uint8;
    case Dtype::i32: return &ffi_type_sint32;
    case Dtype::u32: return &ffi_type_uint32;
    case Dtype::i64: return &ffi_type_sint64;
    case Dtype::f16:
    case Dtype::bf16: return nullptr;
  }
  return nullptr;
}

class HostEntryPlan final : public BoundPlan {
 public:
  HostEntryPlan(EntryPoint entry, std::string name, std::vector<ArgumentBytes> arguments,
                std::vector<ffi_type*> types)
      : entry_(entry),
        name_(std::move(name)),
        arguments_(std::move(arguments)),
        types_(std::move(types)) {
    launches_ = kMostOperations;
  }
  HostEntryPlan(const HostEntryPlan&) = delete;  // the prepared call points into types_
  HostEntryPlan& operator=(const HostEntryPlan&) = delete;
  ~HostEntryPlan() override = default;

  [[nodiscard]] bool prepare() {
    return ffi_prep_cif(&call_, FFI_DEFAULT_ABI, static_cast<unsigned>(types_.size()),
                        &ffi_type_sint, types_.data()) == FFI_OK;
  }

  [[nodiscard]] Result<void> launch(cudaStream_t stream) const override {
    std::vector<void*> values;
    for (const ArgumentBytes& argument : arguments_) {
      values.push_back(const_cast<std::byte*>(argument.bytes.data()));
    }
    values.push_back(static_cast<void*>(&stream));
    ffi_arg result = 0;
    ffi_call(const_cast<ffi_cif*>(&call_), entry_, &result, values.data());
    const int code = static_cast<int>(result);
    if (code != 0) {
      return fail(Errc::external_failure, name_ + " returned " + std::to_string(code) +
                                              "; a host entry returns 0 when it worked");
    }
    return cuda_check(cudaGetLastError(), "launch by " + name_);
  }

 private:
  EntryPoint entry_;
  std::string name_;
  std::vector<ArgumentBytes> arguments_;
  std::vector<ffi_type*> types_;
  ffi_cif call_{};
};

}  // namespace

Result<std::unique_ptr<LoadedBinary>> load_shared_object(const Program& program) {
  std::error_code ignored;
  const std::string path = std::filesystem::absolute(program.binary, ignored).string();
  UniqueObject object(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!object) {
    const char* const why = ::dlerror();
    return fail(Errc::external_failure,
                "cannot load the candidate: " + std::string(why != nullptr ? why : path.c_str()));
  }
  void* const symbol = ::dlsym(object.get(), program.entry.c_str());
  if (symbol == nullptr) {
    return fail(Errc::invalid_argument,
                program.binary + " exports no " + program.entry + "; is it declared extern \"C\"?");
  }
  // POSIX promises that an object pointer from dlsym holds a function's address.
  const auto entry = reinterpret_cast<EntryPoint>(symbol);
  return std::unique_ptr<LoadedBinary>(std::make_unique<SharedObject>(std::move(object), entry));
}

Result<std::unique_ptr<BoundPlan>> bind_host_entry(LoadedBinary& binary, const Program& program,
                                                   const Addresses& addresses) {
  if (program.launches.size() != 1) {
    return fail(Errc::invalid_argument, "a program of tier b has exactly one call");
  }
  std::vector<ArgumentBytes> arguments;
  std::vector<ffi_type*> types;
  for (const CallArgument& argument : program.launches.front().arguments) {
    WARPMIND_TRY(const ArgumentBytes bytes, argument_bytes(argument, addresses));
    ffi_type* const type = ffi_type_of(argument);
    if (type == nullptr || type->size != bytes.size) {
      return fail(Errc::invalid_argument,
                  "scalar " + std::to_string(types.size()) + " of " + program.entry +
                      " cannot be passed by value: pass f32, f64 or an integer");
    }
    arguments.push_back(bytes);
    types.push_back(type);
  }
  types.push_back(&ffi_type_pointer);  // the stream
  auto plan =
      std::make_unique<HostEntryPlan>(dynamic_cast<SharedObject&>(binary).entry(), program.entry,
                                      std::move(arguments), std::move(types));
  if (!plan->prepare()) {
    return fail(Errc::external_failure, "libffi refuses the signature of " + program.entry);
  }
  return std::unique_ptr<BoundPlan>(std::move(plan));
}

}  // namespace warpmind::profilers
