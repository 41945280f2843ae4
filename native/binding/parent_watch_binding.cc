#include "../process/parent_watch.h"

#include <system_error>

#include "values.h"

namespace earshot::binding::parent_watch {
namespace {

constexpr double kMostPid = 2147483647, kMostPollMs = 60000, kMostFd = 1048576;

// parentPid, pollMilliseconds, reportFd or undefined; answers whether the system has it
Napi::Value start(const Napi::CallbackInfo& info) {
  const int parent = int(whole(info, 0, "parentPid", 0, kMostPid));
  const int poll_ms = int(whole(info, 1, "pollMilliseconds", 1, kMostPollMs));
  const int report_fd = info[2].IsUndefined() ? -1 : int(whole(info, 2, "reportFd", 0, kMostFd));
  if (!process::can_watch_parent()) return Napi::Boolean::New(info.Env(), false);
  try {
    process::watch_parent(parent, poll_ms, report_fd);
  } catch (const std::system_error& failed) {
    throw Napi::Error::New(info.Env(), std::string("No thread to watch the parent: ") + failed.what());
  }
  return Napi::Boolean::New(info.Env(), true);
}

// folder: absolute; empty: none
Napi::Value set_folder(const Napi::CallbackInfo& info) {
  if (!info[0].IsString()) throw Napi::TypeError::New(info.Env(), "Expected string for folder");
  process::set_watched_folder(info[0].As<Napi::String>().Utf8Value());
  return info.Env().Undefined();
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("parentWatchStart", Napi::Function::New(env, start));
  exports.Set("parentWatchFolder", Napi::Function::New(env, set_folder));
}

}  // namespace earshot::binding::parent_watch
