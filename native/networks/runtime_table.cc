#include "runtime_table.h"

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <dlfcn.h>
#endif
#ifdef __APPLE__
#include <mach-o/dyld.h>

#include <cstring>
#endif

namespace earshot::networks {
namespace {

/** OrtApiBase: the table of a version, and the version as text. */
struct TableSource {
  const void* const* (*table)(uint32_t version);
  const char* (*version)();
};
using GetTableSource = const TableSource* (*)();

/** All functions above are in ONNX Runtime 1.12's table; newer libraries give it, too. */
constexpr uint32_t kVersion = 12;
constexpr const char* kEntryPoint = "OrtGetApiBase";

GetTableSource find_entry_point() {
#ifdef _WIN32
  const HMODULE library = GetModuleHandleW(L"onnxruntime.dll");
  return library ? reinterpret_cast<GetTableSource>(reinterpret_cast<void*>(GetProcAddress(library, kEntryPoint)))
                 : nullptr;
#else
  void* library = nullptr;
#ifdef __APPLE__
  // Its name has the release in it.
  for (uint32_t i = 0; i < _dyld_image_count() && !library; i++) {
    const char* path = _dyld_get_image_name(i);
    const char* name = path ? std::strrchr(path, '/') : nullptr;
    if (name && std::strncmp(name, "/libonnxruntime.", 16) == 0) library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  }
#else
  library = dlopen("libonnxruntime.so.1", RTLD_NOW | RTLD_NOLOAD);
#endif
  return library ? reinterpret_cast<GetTableSource>(dlsym(library, kEntryPoint)) : nullptr;
#endif
}

}  // namespace

const void* const* runtime_table() {
  const GetTableSource source = find_entry_point();
  return source ? source()->table(kVersion) : nullptr;
}

}  // namespace earshot::networks
