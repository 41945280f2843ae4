// The part of ONNX Runtime's C interface that is called here. Its table of functions only grows, so that a position
// never changes (onnxruntime_c_api.h: "Size of version X API cannot change"); its headers are in no npm package.
#pragma once

#include <cstddef>
#include <cstdint>

namespace earshot::networks {

struct OrtEnv;
struct OrtStatus;
struct OrtSession;
struct OrtSessionOptions;
struct OrtRunOptions;
struct OrtValue;
struct OrtMemoryInfo;
struct OrtAllocator;
struct OrtTypeInfo;
struct OrtTensorInfo;

#ifdef _WIN32
using PathCharacter = wchar_t;
#else
using PathCharacter = char;
#endif

/** A function of the table, by its position. */
template <size_t kPosition, class Result, class... Arguments> struct Entry {
  Result operator()(const void* const* table, Arguments... arguments) const {
    return reinterpret_cast<Result (*)(Arguments...)>(const_cast<void*>(table[kPosition]))(arguments...);
  }
};

template <size_t kPosition, class... Arguments> using Call = Entry<kPosition, OrtStatus*, Arguments...>;
template <size_t kPosition, class Object> using Release = Entry<kPosition, void, Object*>;

constexpr Entry<2, const char*, const OrtStatus*> kErrorMessage;
constexpr Call<3, int, const char*, OrtEnv**> kCreateEnv;
constexpr Call<7, const OrtEnv*, const PathCharacter*, const OrtSessionOptions*, OrtSession**> kCreateSession;
constexpr Call<8, const OrtEnv*, const void*, size_t, const OrtSessionOptions*, OrtSession**> kCreateSessionFromArray;
constexpr Call<9, OrtSession*, const OrtRunOptions*, const char* const*, const OrtValue* const*, size_t,
               const char* const*, size_t, OrtValue**>
    kRun;
constexpr Call<10, OrtSessionOptions**> kCreateSessionOptions;
constexpr Call<19, OrtSessionOptions*> kDisableCpuMemArena;
constexpr Call<22, OrtSessionOptions*, int> kSetLogSeverity;
constexpr Call<24, OrtSessionOptions*, int> kSetIntraOpThreads;
constexpr Call<25, OrtSessionOptions*, int> kSetInterOpThreads;
constexpr Call<30, const OrtSession*, size_t*> kInputCount;
constexpr Call<31, const OrtSession*, size_t*> kOutputCount;
constexpr Call<33, const OrtSession*, size_t, OrtTypeInfo**> kInputType;
constexpr Call<34, const OrtSession*, size_t, OrtTypeInfo**> kOutputType;
constexpr Call<36, const OrtSession*, size_t, OrtAllocator*, char**> kInputName;
constexpr Call<37, const OrtSession*, size_t, OrtAllocator*, char**> kOutputName;
constexpr Call<49, const OrtMemoryInfo*, void*, size_t, const int64_t*, size_t, int, OrtValue**> kTensorWithData;
constexpr Call<51, OrtValue*, void**> kTensorData;
constexpr Call<55, const OrtTypeInfo*, const OrtTensorInfo**> kAsTensorInfo;
constexpr Call<60, const OrtTensorInfo*, int*> kElementType;
constexpr Call<61, const OrtTensorInfo*, size_t*> kDimensionCount;
constexpr Call<62, const OrtTensorInfo*, int64_t*, size_t> kDimensions;
constexpr Call<63, const OrtTensorInfo*, const char**, size_t> kSymbolicDimensions;
constexpr Call<64, const OrtTensorInfo*, size_t*> kElementCount;
constexpr Call<65, const OrtValue*, OrtTensorInfo**> kTypeOfTensor;
constexpr Call<69, int, int, OrtMemoryInfo**> kCpuMemoryInfo;
constexpr Call<76, OrtAllocator*, void*> kAllocatorFree;
constexpr Call<78, OrtAllocator**> kDefaultAllocator;
constexpr Release<93, OrtStatus> kReleaseStatus;
constexpr Release<95, OrtSession> kReleaseSession;
constexpr Release<96, OrtValue> kReleaseValue;
constexpr Release<98, OrtTypeInfo> kReleaseTypeInfo;
constexpr Release<99, OrtTensorInfo> kReleaseTensorInfo;
constexpr Release<100, OrtSessionOptions> kReleaseSessionOptions;
constexpr Call<130, OrtSessionOptions*, const char*, const char*> kAddConfigEntry;

/**
 * The table of the ONNX Runtime that onnxruntime-node has loaded into this process; nullptr where there is none. It
 * loads nothing itself.
 */
const void* const* runtime_table();

}  // namespace earshot::networks
