#include "../process/file_limit.h"

#include <system_error>

#include "values.h"

namespace earshot::binding::file_limit {
namespace {

// bytes or undefined, forGood; answers whether the system has it
Napi::Value limit(const Napi::CallbackInfo& info) {
  const double bytes = info[0].IsUndefined() ? -1 : whole(info, 0, "bytes", 0, 9e15);
  if (!info[1].IsBoolean()) throw Napi::TypeError::New(info.Env(), "Expected boolean for forGood");
  if (!process::can_limit_files()) return Napi::Boolean::New(info.Env(), false);
  try {
    process::limit_files(bytes, info[1].As<Napi::Boolean>());
  } catch (const std::system_error& failed) {
    throw Napi::Error::New(info.Env(), std::string("No bound for the length of files: ") + failed.what());
  }
  return Napi::Boolean::New(info.Env(), true);
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) { exports.Set("limitFileBytes", Napi::Function::New(env, limit)); }

}  // namespace earshot::binding::file_limit
