{
  "targets": [
    {
      "target_name": "earshot",
      "sources": [
        "native/kernels/base/simd.cc",
        "native/kernels/base/frame_tiles.cc",
        "native/kernels/levels/peaks.cc",
        "native/kernels/levels/k_weighting.cc",
        "native/kernels/levels/loudness.cc",
        "native/kernels/base/interpolator.cc",
        "native/kernels/levels/true_peak.cc",
        "native/kernels/levels/stats.cc",
        "native/kernels/levels/envelope.cc",
        "native/kernels/base/fft.cc",
        "native/kernels/levels/spectrum.cc",
        "native/kernels/levels/limiter.cc",
        "native/kernels/sound/fir.cc",
        "native/kernels/sound/stft.cc",
        "native/kernels/sound/declip.cc",
        "native/kernels/sound/resample.cc",
        "native/kernels/sound/rate_converter.cc",
        "native/kernels/sound/pcm16.cc",
        "native/kernels/words/log_mel.cc",
        "native/kernels/words/token_scores.cc",
        "native/kernels/words/token_times.cc",
        "native/kernels/words/alignment.cc",
        "native/kernels/words/fbank.cc",
        "native/kernels/words/nearest_row.cc",
        "native/kernels/words/coded_sound.cc",
        "native/kernels/whisper/q8_matrix.cc",
        "native/kernels/whisper/q8_arm64.cc",
        "native/kernels/whisper/q8_x64.cc",
        "native/kernels/whisper/q8_wasm.cc",
        "native/kernels/whisper/cross_cache.cc",
        "native/kernels/whisper/row_ops.cc",
        "native/kernels/whisper/weight_block.cc",
        "native/kernels/whisper/float_panels.cc",
        "native/kernels/whisper/whisper_decoder.cc",
        "native/kernels/whisper/whisper_encoder.cc",
        "native/kernels/rnnoise/rnnoise_bands.cc",
        "native/kernels/rnnoise/rnnoise_network.cc",
        "native/kernels/rnnoise/rnnoise_pitch.cc",
        "native/kernels/rnnoise/rnnoise_sums.cc",
        "native/kernels/rnnoise/rnnoise.cc",
        "native/kernels/sound/ops.cc",
        "native/networks/runtime_table.cc",
        "native/networks/shared_network.cc",
        "native/binding/addon.cc",
        "native/binding/values.cc",
        "native/process/parent_watch.cc",
        "native/process/memory_watch.cc",
        "native/process/file_limit.cc",
        "native/process/free_memory.cc",
        "native/process/large_pages.cc",
        "native/process/real_time.cc",
        "native/process/landlock.cc",
        "native/process/second_filter.cc",
        "native/process/spawn_process.cc"
      ],
      "include_dirs": ["<!(node -p \"require('node-addon-api').include_dir\")"],
      "defines": ["NAPI_VERSION=8", "NODE_ADDON_API_CPP_EXCEPTIONS_ALL", "NAPI_CPP_EXCEPTIONS"],
      "cflags!": ["-fno-exceptions"],
      "cflags_cc!": ["-fno-exceptions", "-std=gnu++20", "-std=gnu++17"],
      "cflags_cc": ["-std=c++17", "-O3", "-fno-plt", "-fvisibility=hidden", "-ffp-contract=fast", "-fno-math-errno", "-Wall", "-Wextra", "-Wno-psabi"],
      "xcode_settings": {
        "GCC_ENABLE_CPP_EXCEPTIONS": "YES",
        "CLANG_CXX_LANGUAGE_STANDARD": "c++17",
        "CLANG_CXX_LIBRARY": "libc++",
        "GCC_OPTIMIZATION_LEVEL": "3",
        "GCC_SYMBOLS_PRIVATE_EXTERN": "YES",
        "OTHER_CPLUSPLUSFLAGS": ["$(inherited)", "-ffp-contract=fast", "-fno-math-errno"],
        "MACOSX_DEPLOYMENT_TARGET": "11.0"
      }
    }
  ],
  # The launcher that confines job processes; there is none for other systems.
  "conditions": [
    ["OS=='linux'", {
      "targets": [
        {
          "target_name": "earshot-confine",
          "type": "executable",
          "sources": [
            "native/confine/main.c",
            "native/confine/landlock.c",
            "native/confine/limits.c",
            "native/confine/namespaces.c",
            "native/confine/seccomp.c",
            "native/confine/users.c",
            "native/confine/capabilities.c",
            "native/confine/try.c",
            "native/confine/try_paths.c",
            "native/confine/try_calls.c",
            "native/confine/try_shares.c"
          ],
          "cflags_c": ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-fstack-protector-strong", "-D_FORTIFY_SOURCE=2"],
          "ldflags": ["-Wl,-z,relro,-z,now", "-static-libgcc"]
        }
      ]
    }]
  ]
}
