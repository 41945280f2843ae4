#include "../process/free_memory.h"

#include "bindings.h"

namespace earshot::binding {

void add_free_memory(Napi::Env env, Napi::Object exports) {
  exports.Set("freeUnusedMemory",
              Napi::Function::New(env, [](const Napi::CallbackInfo&) { process::free_unused_memory(); }));
}

}  // namespace earshot::binding
