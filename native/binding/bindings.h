#pragma once

#include <napi.h>

namespace earshot::binding {

void add_peaks(Napi::Env env, Napi::Object exports);
void add_loudness(Napi::Env env, Napi::Object exports);
void add_true_peak(Napi::Env env, Napi::Object exports);
void add_stats(Napi::Env env, Napi::Object exports);
void add_envelope(Napi::Env env, Napi::Object exports);
void add_spectrum(Napi::Env env, Napi::Object exports);
void add_limiter(Napi::Env env, Napi::Object exports);
void add_fir(Napi::Env env, Napi::Object exports);
void add_fbank(Napi::Env env, Napi::Object exports);
void add_nearest_row(Napi::Env env, Napi::Object exports);
void add_stft(Napi::Env env, Napi::Object exports);
void add_log_mel(Napi::Env env, Napi::Object exports);
void add_token_scores(Napi::Env env, Napi::Object exports);
void add_token_times(Napi::Env env, Napi::Object exports);
void add_alignment(Napi::Env env, Napi::Object exports);
void add_coded_sound(Napi::Env env, Napi::Object exports);
void add_whisper_decoder(Napi::Env env, Napi::Object exports);
void add_ops(Napi::Env env, Napi::Object exports);
void add_parent_watch(Napi::Env env, Napi::Object exports);
void add_memory_watch(Napi::Env env, Napi::Object exports);
void add_file_limit(Napi::Env env, Napi::Object exports);
void add_landlock(Napi::Env env, Napi::Object exports);
void add_free_memory(Napi::Env env, Napi::Object exports);
void add_spawn(Napi::Env env, Napi::Object exports);

}  // namespace earshot::binding
