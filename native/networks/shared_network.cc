#include "shared_network.h"

#include <map>
#include <mutex>
#include <stdexcept>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#endif

namespace earshot::networks {
namespace {

constexpr int kErrorsOnly = 3;
/** OrtArenaAllocator and OrtMemTypeDefault. */
constexpr int kArenaAllocator = 1, kDefaultMemory = 0;

#ifdef _WIN32
std::wstring native_path(const std::string& path) {
  const int length = MultiByteToWideChar(CP_UTF8, 0, path.data(), int(path.size()), nullptr, 0);
  std::wstring wide(size_t(length), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, path.data(), int(path.size()), wide.data(), length);
  return wide;
}
#else
const std::string& native_path(const std::string& path) { return path; }
#endif

/** Releases an object of the runtime at the end of the scope. */
template <class Object, class ReleaseIt> struct Held {
  const void* const* table;
  ReleaseIt release;
  Object* object = nullptr;
  ~Held() {
    if (object) release(table, object);
  }
};
template <class Object, class ReleaseIt> Held(const void* const*, ReleaseIt, Object*) -> Held<Object, ReleaseIt>;

/** One for the process, as in ONNX Runtime itself; never released, since threads may end after main. */
OrtEnv* environment(const void* const* table, OrtStatus** status) {
  static std::mutex mutex;
  static OrtEnv* made = nullptr;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!made) *status = kCreateEnv(table, kErrorsOnly, "earshot", &made);
  return made;
}

}  // namespace

size_t element_bytes(int type) {
  switch (type) {
    case 2:  // uint8
    case 3:  // int8
    case 9:  // bool
      return 1;
    case 10:  // float16
      return 2;
    case 1:  // float
    case 6:  // int32
      return 4;
    case 7:  // int64
      return 8;
    default:
      return 0;
  }
}

void Network::check(OrtStatus* status) const {
  if (!status) return;
  const std::string message = kErrorMessage(table_, status);
  kReleaseStatus(table_, status);
  throw std::runtime_error(message);
}

Network::Network(const void* const* table, const Source& source) : table_(table) {
  OrtStatus* failed = nullptr;
  OrtEnv* env = environment(table, &failed);
  check(failed);
  Held options{table, kReleaseSessionOptions, static_cast<OrtSessionOptions*>(nullptr)};
  check(kCreateSessionOptions(table, &options.object));
  // Several threads run it at once; spinning ones would only compete with each other.
  check(kSetIntraOpThreads(table, options.object, 1));
  check(kSetInterOpThreads(table, options.object, 1));
  check(kSetLogSeverity(table, options.object, kErrorsOnly));
  if (!source.keeps_memory) check(kDisableCpuMemArena(table, options.object));
  // On arm64 with SME its convolutions with padding are wrong (microsoft/onnxruntime#28571, fixed in 1.29).
  check(kAddConfigEntry(table, options.object, "mlas.disable_kleidiai", "1"));
  check(kCpuMemoryInfo(table, kArenaAllocator, kDefaultMemory, &memory_));
  if (source.bytes)
    check(kCreateSessionFromArray(table, env, source.bytes, source.length, options.object, &session_));
  else
    check(kCreateSession(table, env, native_path(source.path).c_str(), options.object, &session_));
  try {
    inputs_ = ports(true);
    outputs_ = ports(false);
  } catch (...) {
    kReleaseSession(table_, session_);
    throw;
  }
}

Network::~Network() { kReleaseSession(table_, session_); }

std::vector<Port> Network::ports(bool of_inputs) const {
  OrtAllocator* allocator = nullptr;
  check(kDefaultAllocator(table_, &allocator));
  size_t count = 0;
  check(of_inputs ? kInputCount(table_, session_, &count) : kOutputCount(table_, session_, &count));
  std::vector<Port> found(count);
  for (size_t i = 0; i < count; i++) {
    Port& port = found[i];
    char* name = nullptr;
    check(of_inputs ? kInputName(table_, session_, i, allocator, &name)
                    : kOutputName(table_, session_, i, allocator, &name));
    port.name = name;
    check(kAllocatorFree(table_, allocator, name));
    Held type{table_, kReleaseTypeInfo, static_cast<OrtTypeInfo*>(nullptr)};
    check(of_inputs ? kInputType(table_, session_, i, &type.object) : kOutputType(table_, session_, i, &type.object));
    const OrtTensorInfo* tensor = nullptr;
    check(kAsTensorInfo(table_, type.object, &tensor));
    if (!tensor) continue;
    check(kElementType(table_, tensor, &port.type));
    size_t rank = 0;
    check(kDimensionCount(table_, tensor, &rank));
    port.dims.resize(rank);
    check(kDimensions(table_, tensor, port.dims.data(), rank));
    std::vector<const char*> symbols(rank, nullptr);
    check(kSymbolicDimensions(table_, tensor, symbols.data(), rank));
    for (const char* symbol : symbols) port.symbols.emplace_back(symbol ? symbol : "");
  }
  return found;
}

void Network::run(const std::vector<TensorView>& inputs, const std::vector<TensorView>& outputs,
                  const std::function<void(size_t, const Computed&)>& take) const {
  struct Values {
    const void* const* table;
    std::vector<OrtValue*> all;
    ~Values() {
      for (OrtValue* value : all)
        if (value) kReleaseValue(table, value);
    }
  } given{table_, std::vector<OrtValue*>(inputs.size(), nullptr)},
      made{table_, std::vector<OrtValue*>(outputs.size(), nullptr)};
  std::vector<const char*> input_names, output_names;
  const auto view = [&](const TensorView& tensor, OrtValue** value) {
    check(kTensorWithData(table_, memory_, tensor.data, tensor.bytes, tensor.dims.data(), tensor.dims.size(),
                          tensor.type, value));
  };
  for (size_t i = 0; i < inputs.size(); i++) {
    view(inputs[i], &given.all[i]);
    input_names.push_back(inputs[i].name.c_str());
  }
  for (size_t i = 0; i < outputs.size(); i++) {
    if (outputs[i].data) view(outputs[i], &made.all[i]);
    output_names.push_back(outputs[i].name.c_str());
  }
  check(kRun(table_, session_, nullptr, input_names.data(), given.all.data(), given.all.size(), output_names.data(),
             outputs.size(), made.all.data()));
  for (size_t i = 0; i < outputs.size(); i++) {
    if (outputs[i].data) continue;
    Computed computed;
    Held info{table_, kReleaseTensorInfo, static_cast<OrtTensorInfo*>(nullptr)};
    check(kTypeOfTensor(table_, made.all[i], &info.object));
    check(kElementType(table_, info.object, &computed.type));
    size_t rank = 0, count = 0;
    check(kDimensionCount(table_, info.object, &rank));
    computed.dims.resize(rank);
    check(kDimensions(table_, info.object, computed.dims.data(), rank));
    check(kElementCount(table_, info.object, &count));
    void* data = nullptr;
    check(kTensorData(table_, made.all[i], &data));
    computed.data = data;
    computed.bytes = count * element_bytes(computed.type);
    take(i, computed);
    kReleaseValue(table_, made.all[i]);
    made.all[i] = nullptr;
  }
}

namespace {

/** A network that threads have or wait for. */
struct Slot {
  std::mutex loading;
  std::unique_ptr<const Network> network;
};

}  // namespace

std::shared_ptr<const Network> open_network(const void* const* table, const std::string& key, const Source& source) {
  // Never destroyed: threads may end after main.
  static auto& mutex = *new std::mutex;
  static auto& slots = *new std::map<std::string, std::weak_ptr<Slot>>;
  std::shared_ptr<Slot> slot;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    slot = slots[key].lock();
    if (!slot) slots[key] = slot = std::make_shared<Slot>();
    for (auto it = slots.begin(); it != slots.end();) it = it->second.expired() ? slots.erase(it) : std::next(it);
  }
  // One thread loads; where it fails, the next one tries and gets its own error.
  const std::lock_guard<std::mutex> lock(slot->loading);
  if (!slot->network) slot->network = std::make_unique<const Network>(table, source);
  return {slot, slot->network.get()};
}

}  // namespace earshot::networks
