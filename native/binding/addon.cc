// The table of exports. src/library/kernels gives every entry its type; nothing else loads this addon.
#include <napi.h>

#include <cstdlib>

// Compiled here, in one go: reading napi.h takes the compiler longer than any of them.
#include "alignment_binding.cc"
#include "coded_sound_binding.cc"
#include "envelope_binding.cc"
#include "fbank_binding.cc"
#include "file_limit_binding.cc"
#include "fir_binding.cc"
#include "free_memory_binding.cc"
#include "large_pages_binding.cc"
#include "landlock_binding.cc"
#include "limiter_binding.cc"
#include "log_mel_binding.cc"
#include "loudness_binding.cc"
#include "memory_watch_binding.cc"
#include "nearest_row_binding.cc"
#include "ops_binding.cc"
#include "parent_watch_binding.cc"
#include "peaks_binding.cc"
#include "second_filter_binding.cc"
#include "shared_network_binding.cc"
#include "spawn_binding.cc"
#include "spectrum_binding.cc"
#include "stats_binding.cc"
#include "stft_binding.cc"
#include "declip_binding.cc"
#include "real_time_binding.cc"
#include "rate_converter_binding.cc"
#include "resample_binding.cc"
#include "rnnoise_binding.cc"
#include "token_scores_binding.cc"
#include "token_times_binding.cc"
#include "true_peak_binding.cc"
#include "whisper_decoder_binding.cc"
#include "whisper_encoder_binding.cc"
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
  peaks::add(env, exports);
  loudness::add(env, exports);
  true_peak::add(env, exports);
  stats::add(env, exports);
  envelope::add(env, exports);
  spectrum::add(env, exports);
  limiter::add(env, exports);
  fir::add(env, exports);
  fbank::add(env, exports);
  nearest_row::add(env, exports);
  stft::add(env, exports);
  declip::add(env, exports);
  resample::add(env, exports);
  rate_converter::add(env, exports);
  rnnoise::add(env, exports);
  log_mel::add(env, exports);
  token_scores::add(env, exports);
  token_times::add(env, exports);
  alignment::add(env, exports);
  coded_sound::add(env, exports);
  whisper_decoder::add(env, exports);
  whisper_encoder::add(env, exports);
  ops::add(env, exports);
  shared_network::add(env, exports);
  parent_watch::add(env, exports);
  memory_watch::add(env, exports);
  file_limit::add(env, exports);
  landlock::add(env, exports);
  second_filter::add(env, exports);
  free_memory::add(env, exports);
  large_pages::add(env, exports);
  real_time::add(env, exports);
  spawn::add(env, exports);
  return exports;
}

NODE_API_MODULE(earshot, init)

}  // namespace earshot::binding
