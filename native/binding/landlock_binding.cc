#include "../process/landlock.h"

#include "bindings.h"

namespace earshot::binding {

void add_landlock(Napi::Env env, Napi::Object exports) {
  exports.Set("landlockVersion", Napi::Function::New(env, [](const Napi::CallbackInfo& info) {
                return Napi::Number::New(info.Env(), process::landlock_version());
              }));
}

}  // namespace earshot::binding
