#include "../process/free_memory.h"

#include <napi.h>

namespace earshot::binding::free_memory {

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("freeUnusedMemory",
              Napi::Function::New(env, [](const Napi::CallbackInfo&) { process::free_unused_memory(); }));
}

}  // namespace earshot::binding::free_memory
