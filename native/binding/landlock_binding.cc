#include "../process/landlock.h"

#include <napi.h>

namespace earshot::binding::landlock {

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("landlockVersion", Napi::Function::New(env, [](const Napi::CallbackInfo& info) {
                return Napi::Number::New(info.Env(), process::landlock_version());
              }));
}

}  // namespace earshot::binding::landlock
