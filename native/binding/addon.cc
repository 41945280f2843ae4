// The table of exports. src/library/kernels gives every entry its type; nothing else loads this addon.
#include <napi.h>

#include <cstdlib>

#include "bindings.h"
#include "values.h"

namespace earshot::binding {

// Per environment (main thread or worker), freed with it.
struct Choice {
  Simd simd;
};

Simd simd_of(Napi::Env env) { return env.GetInstanceData<Choice>()->simd; }

static Napi::Object init(Napi::Env env, Napi::Object exports) {
  env.SetInstanceData(new Choice{choose_simd(std::getenv("EARSHOT_SIMD"))});
  exports.Set("simd", name_of(simd_of(env)));
  add_peaks(env, exports);
  add_loudness(env, exports);
  add_true_peak(env, exports);
  add_stats(env, exports);
  add_envelope(env, exports);
  add_spectrum(env, exports);
  add_limiter(env, exports);
  add_fir(env, exports);
  add_fbank(env, exports);
  add_nearest_row(env, exports);
  add_stft(env, exports);
  add_log_mel(env, exports);
  add_token_scores(env, exports);
  add_token_times(env, exports);
  add_alignment(env, exports);
  add_coded_sound(env, exports);
  add_whisper_decoder(env, exports);
  add_ops(env, exports);
  add_parent_watch(env, exports);
  add_memory_watch(env, exports);
  add_file_limit(env, exports);
  add_landlock(env, exports);
  add_free_memory(env, exports);
  add_spawn(env, exports);
  return exports;
}

NODE_API_MODULE(earshot, init)

}  // namespace earshot::binding
