{
  "targets": [
    {
      "target_name": "earshot",
      "sources": [
        "kernels/simd.cc",
        "kernels/frame_tiles.cc",
        "kernels/peaks.cc",
        "kernels/k_weighting.cc",
        "kernels/loudness.cc",
        "kernels/interpolator.cc",
        "kernels/true_peak.cc",
        "kernels/stats.cc",
        "kernels/envelope.cc",
        "kernels/fft.cc",
        "kernels/spectrum.cc",
        "kernels/limiter.cc",
        "kernels/fir.cc",
        "kernels/stft.cc",
        "kernels/declip.cc",
        "kernels/log_mel.cc",
        "kernels/token_scores.cc",
        "kernels/token_times.cc",
        "kernels/alignment.cc",
        "kernels/fbank.cc",
        "kernels/nearest_row.cc",
        "kernels/coded_sound.cc",
        "kernels/q8_matrix.cc",
        "kernels/q8_arm64.cc",
        "kernels/q8_x64.cc",
        "kernels/cross_cache.cc",
        "kernels/row_ops.cc",
        "kernels/weight_block.cc",
        "kernels/float_panels.cc",
        "kernels/whisper_decoder.cc",
        "kernels/whisper_encoder.cc",
        "kernels/rnnoise_bands.cc",
        "kernels/rnnoise_network.cc",
        "kernels/rnnoise_pitch.cc",
        "kernels/rnnoise_sums.cc",
        "kernels/rnnoise.cc",
        "kernels/ops.cc",
        "networks/runtime_table.cc",
        "networks/shared_network.cc",
        "binding/addon.cc",
        "binding/values.cc",
        "process/parent_watch.cc",
        "process/memory_watch.cc",
        "process/file_limit.cc",
        "process/free_memory.cc",
        "process/large_pages.cc",
        "process/real_time.cc",
        "process/landlock.cc",
        "process/second_filter.cc",
        "process/spawn_process.cc"
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
            "confine/main.c",
            "confine/landlock.c",
            "confine/limits.c",
            "confine/namespaces.c",
            "confine/seccomp.c",
            "confine/users.c",
            "confine/capabilities.c",
            "confine/try.c",
            "confine/try_paths.c",
            "confine/try_calls.c",
            "confine/try_shares.c"
          ],
          "cflags_c": ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-fstack-protector-strong", "-D_FORTIFY_SOURCE=2"],
          "ldflags": ["-Wl,-z,relro,-z,now", "-static-libgcc"]
        }
      ]
    }]
  ]
}
