#include "../process/memory_watch.h"

#include <system_error>

#include "values.h"

namespace earshot::binding::memory_watch {
namespace {

constexpr double kMostPid = 2147483647, kMostBytes = 9e15;

// pid, limitBytes; answers a number for memoryWatchStop, or undefined where nothing is watched
Napi::Value start(const Napi::CallbackInfo& info) {
  const int pid = int(whole(info, 0, "pid", 1, kMostPid));
  const double limit = whole(info, 1, "limitBytes", 1, kMostBytes);
  if (!process::can_watch_memory()) return info.Env().Undefined();
  try {
    const int watched = process::watch_memory(pid, static_cast<unsigned long long>(limit));
    return watched < 0 ? info.Env().Undefined() : Napi::Number::New(info.Env(), watched);
  } catch (const std::system_error& failed) {
    throw Napi::Error::New(info.Env(), std::string("No thread to watch memory: ") + failed.what());
  }
}

// number; answers { usedBytes, ended }
Napi::Value stop(const Napi::CallbackInfo& info) {
  const process::MemorySeen seen = process::unwatch_memory(int(whole(info, 0, "watched", 0, kMostPid)));
  Napi::Object answer = Napi::Object::New(info.Env());
  answer.Set("usedBytes", double(seen.used));
  answer.Set("ended", seen.ended);
  return answer;
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("memoryWatchStart", Napi::Function::New(env, start));
  exports.Set("memoryWatchStop", Napi::Function::New(env, stop));
}

}  // namespace earshot::binding::memory_watch
