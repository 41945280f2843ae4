#include <cstring>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "../process/spawn_process.h"
#include "values.h"

namespace earshot::binding::spawn {
namespace {

std::string text(const Napi::Value& value, const char* name) {
  if (!value.IsString()) throw Napi::TypeError::New(value.Env(), std::string("Expected string for ") + name);
  std::string out = value.As<Napi::String>().Utf8Value();
  // The system would cut the string there.
  if (std::strlen(out.c_str()) != out.size())
    throw Napi::TypeError::New(value.Env(), std::string("Expected no zero byte in ") + name);
  return out;
}

std::vector<std::string> texts(const Napi::Value& value, const char* name) {
  if (!value.IsArray()) throw Napi::TypeError::New(value.Env(), std::string("Expected array for ") + name);
  const Napi::Array list = value.As<Napi::Array>();
  std::vector<std::string> out;
  for (uint32_t i = 0; i < list.Length(); i++) out.push_back(text(list[i], name));
  return out;
}

// Node frees a thread-safe function when its environment ends, in Node 22 also under a thread that holds it, which then
// must not even ask whether it is closing. A hook that runs before says so: hooks run last in, first out.
struct Gate {
  const int pid;
  std::mutex mutex;
  bool is_closed = false;
  // The call is in the function's queue, from which it may be dropped.
  bool is_told = false;

  explicit Gate(int of) : pid(of) {}
};

void close_gate(void* data) {
  Gate& gate = *static_cast<Gate*>(data);
  const std::lock_guard<std::mutex> lock(gate.mutex);
  gate.is_closed = true;
  // The environment may be a worker thread's, and its host go on: an ended process must not stay in its table.
  if (gate.is_told) process::reap(gate.pid);
}

// One process; see native/process/spawn_process.h.
// program, arguments, environment ("NAME=value"), pipes, session, onEnd(code or -1, signal's number or -1);
// answers { pid, fds, setHeld(held: boolean) }, { errno } where it could not be started, undefined where the system has
// no cheaper way than Node's
Napi::Value spawn(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!process::can_spawn_cheaply()) return env.Undefined();
  if (!info[5].IsFunction()) throw Napi::TypeError::New(env, "Expected function for onEnd");
  const int pipes = int(whole(info, 3, "pipes", 0, 16));
  Napi::Object answer = Napi::Object::New(env);
  process::Spawned spawned;
  try {
    spawned = process::spawn_process(text(info[0], "program"), texts(info[1], "arguments"),
                                     texts(info[2], "environment"), pipes, info[4].ToBoolean());
  } catch (const std::system_error& failed) {
    answer.Set("errno", failed.code().value());
    return answer;
  }
  auto ended = Napi::ThreadSafeFunction::New(env, info[5].As<Napi::Function>(), "earshot spawn", 0, 1);
  const int pid = spawned.pid;
  // The end of the process frees the function: it must not be referenced or released after that.
  const auto over = std::make_shared<bool>(false);
  // Alive until its hook has run or is removed: the thread has it, and then the call.
  const auto gate = std::make_shared<Gate>(pid);
  napi_add_env_cleanup_hook(env, close_gate, gate.get());
  // One thread per process: it sleeps in the kernel and wakes at the end.
  try {
    std::thread([ended, pid, over, gate]() mutable {
      process::wait_for_end(pid);
      const std::lock_guard<std::mutex> lock(gate->mutex);
      if (gate->is_closed) {
        process::reap(pid);
        return;
      }
      gate->is_told = true;
      // Its queue is not bounded, so nothing waits here.
      const napi_status told = ended.BlockingCall([pid, over, gate](Napi::Env here, Napi::Function on_end) {
        *over = true;
        {
          // Until the thread has let the function go.
          const std::lock_guard<std::mutex> wait(gate->mutex);
          if (gate->is_closed) return;
        }
        napi_remove_env_cleanup_hook(here, close_gate, gate.get());
        // In this thread, which also looks the process up by its pid: it must
        // not find another process with that pid.
        const process::Ending ending = process::reap(pid);
        try {
          on_end.Call({Napi::Number::New(here, ending.code), Napi::Number::New(here, ending.signal)});
        } catch (const Napi::Error&) {
          // It does not throw: the environment is ending, and runs no JavaScript any more.
        }
      });
      if (told != napi_closing) ended.Release();
    }).detach();
  } catch (const std::system_error& failed) {
    // No thread available: the end of the process would never be noticed.
    process::take_back(spawned);
    napi_remove_env_cleanup_hook(env, close_gate, gate.get());
    ended.Release();
    answer.Set("errno", failed.code().value());
    return answer;
  }
  Napi::Array fds = Napi::Array::New(env, spawned.fds.size());
  for (uint32_t i = 0; i < spawned.fds.size(); i++) fds.Set(i, spawned.fds[i]);
  answer.Set("pid", pid);
  answer.Set("fds", fds);
  answer.Set("setHeld", Napi::Function::New(env, [ended, over](const Napi::CallbackInfo& call) {
               if (*over) return;
               if (call[0].ToBoolean())
                 ended.Ref(call.Env());
               else
                 ended.Unref(call.Env());
             }));
  return answer;
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) { exports.Set("spawnProcess", Napi::Function::New(env, spawn)); }

}  // namespace earshot::binding::spawn
