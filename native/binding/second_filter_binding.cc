#include "../process/second_filter.h"

#include <napi.h>

#include <system_error>

namespace earshot::binding::second_filter {

// answers whether the system has it
void add(Napi::Env env, Napi::Object exports) {
  exports.Set("addSecondFilter", Napi::Function::New(env, [](const Napi::CallbackInfo& info) -> Napi::Value {
                try {
                  return Napi::Boolean::New(info.Env(), process::add_second_filter());
                } catch (const std::system_error& failed) {
                  throw Napi::Error::New(info.Env(), std::string("No second filter of system calls: ") + failed.what());
                }
              }));
}

}  // namespace earshot::binding::second_filter
