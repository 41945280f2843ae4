#include "../process/large_pages.h"

#include <napi.h>

#include "elements.h"

namespace earshot::binding::large_pages {

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("preferLargePages", Napi::Function::New(env, [](const Napi::CallbackInfo& info) {
                const auto memory = elements<uint8_t>(info, 0, "memory", napi_uint8_array, 0);
                process::prefer_large_pages(memory.data, memory.length);
              }));
}

}  // namespace earshot::binding::large_pages
