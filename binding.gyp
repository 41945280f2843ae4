{
  "targets": [
    {
      "target_name": "earshot",
      "sources": [
        "native/kernels/simd.cc",
        "native/kernels/frame_tiles.cc",
        "native/kernels/peaks.cc",
        "native/kernels/k_weighting.cc",
        "native/kernels/loudness.cc",
        "native/kernels/interpolator.cc",
        "native/kernels/true_peak.cc",
        "native/kernels/stats.cc",
        "native/kernels/envelope.cc",
        "native/kernels/fft.cc",
        "native/kernels/spectrum.cc",
        "native/kernels/limiter.cc",
        "native/kernels/fir.cc",
        "native/kernels/stft.cc",
        "native/kernels/log_mel.cc",
        "native/kernels/token_scores.cc",
        "native/kernels/alignment.cc",
        "native/kernels/fbank.cc",
        "native/kernels/nearest_row.cc",
        "native/kernels/ops.cc",
        "native/binding/addon.cc",
        "native/binding/values.cc",
        "native/binding/peaks_binding.cc",
        "native/binding/loudness_binding.cc",
        "native/binding/true_peak_binding.cc",
        "native/binding/stats_binding.cc",
        "native/binding/envelope_binding.cc",
        "native/binding/spectrum_binding.cc",
        "native/binding/limiter_binding.cc",
        "native/binding/fir_binding.cc",
        "native/binding/stft_binding.cc",
        "native/binding/log_mel_binding.cc",
        "native/binding/token_scores_binding.cc",
        "native/binding/alignment_binding.cc",
        "native/binding/fbank_binding.cc",
        "native/binding/nearest_row_binding.cc",
        "native/binding/ops_binding.cc"
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
        "MACOSX_DEPLOYMENT_TARGET": "11.0"
      }
    }
  ]
}
