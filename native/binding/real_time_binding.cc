#include "../process/real_time.h"

#include <napi.h>

#include "values.h"

namespace earshot::binding::real_time {

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("realTimeThreads", Napi::Function::New(env, [](const Napi::CallbackInfo& info) -> Napi::Value {
                const std::vector<int> threads = process::real_time_threads();
                Napi::Array out = Napi::Array::New(info.Env(), threads.size());
                for (uint32_t i = 0; i < threads.size(); i++) out.Set(i, threads[i]);
                return out;
              }));
  exports.Set("endRealTime", Napi::Function::New(env, [](const Napi::CallbackInfo& info) {
                process::end_real_time(int(whole(info, 0, "thread", 1, 4194304)));
              }));
}

}  // namespace earshot::binding::real_time
