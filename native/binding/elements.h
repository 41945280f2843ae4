// Typed arrays as pointers.
#pragma once

#include <napi.h>

#include <cstdint>
#include <string>

namespace earshot::binding {

template <class T> struct Elements {
  T* data;
  size_t length;
};

/** A typed array of at least `least` elements, good until JavaScript runs again; memory may be shared. */
template <class T>
Elements<T> elements(const Napi::CallbackInfo& info, size_t index, const char* name, napi_typedarray_type wanted,
                     size_t least, size_t alignment = alignof(T)) {
  napi_typedarray_type type = napi_int8_array;
  size_t length = 0;
  void* data = nullptr;
  const bool suits = info[index].IsTypedArray() && napi_get_typedarray_info(info.Env(), info[index], &type, &length,
                                                                            &data, nullptr, nullptr) == napi_ok;
  if (!suits || type != wanted || length < least || reinterpret_cast<uintptr_t>(data) % alignment != 0) {
    throw Napi::TypeError::New(info.Env(), std::string("Expected typed array of at least ") + std::to_string(least) +
                                               " elements for " + name + " but received another value");
  }
  return {static_cast<T*>(data), length};
}

}  // namespace earshot::binding
