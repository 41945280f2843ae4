// Kernel state behind an opaque JavaScript value. A tag per kernel makes a foreign or mixed-up handle a TypeError.
#pragma once

#include <napi.h>

#include <memory>
#include <string>

namespace earshot::binding {

template <class Kernel> struct TagOf;  // specialised next to each binding: static constexpr napi_type_tag value

template <class Kernel, class... Arguments> Napi::Value make_handle(Napi::Env env, Arguments&&... arguments) {
  auto kernel = std::make_unique<Kernel>(std::forward<Arguments>(arguments)...);
  auto handle = Napi::External<Kernel>::New(env, kernel.get(), [](Napi::Env, Kernel* k) { delete k; });
  kernel.release();
  handle.TypeTag(&TagOf<Kernel>::value);
  return handle;
}

template <class Kernel> Kernel& from_handle(const Napi::CallbackInfo& info) {
  const Napi::Value value = info[0];
  if (!value.IsExternal() || !value.As<Napi::External<Kernel>>().CheckTypeTag(&TagOf<Kernel>::value)) {
    throw Napi::TypeError::New(info.Env(), "Expected this kernel's own handle but received another value");
  }
  return *value.As<Napi::External<Kernel>>().Data();
}

}  // namespace earshot::binding

// One tag per kernel: the first word is the same for all of earshot, the second counts the kernels.
#define EARSHOT_HANDLE(KERNEL, NUMBER)                                                              \
  template <> struct earshot::binding::TagOf<earshot::KERNEL> {                                     \
    static constexpr napi_type_tag value = {0x8f1d3c5ea70b42e6ULL, 0x9b60d8f2417ac300ULL + NUMBER}; \
  };
