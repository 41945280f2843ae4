// Written by scripts/write-network-answers.ts.

/** A network's small input by shapes, and what it must answer. */
export interface NetworkAnswer {
  readonly inputs: Readonly<Record<string, readonly number[]>>;
  /** Of inputs that are no sound or state. */
  readonly integers?: Readonly<Record<string, number>>;
  /** By output: its root mean square, and its sums with random signs, per root of its length. */
  readonly outputs: Readonly<Record<string, { readonly rms: number; readonly sums: readonly number[] }>>;
}

/** By the name that a session has in messages. */
export const networkAnswers: Readonly<Record<string, NetworkAnswer>> = {
  'deepfilternet3/enc': {
    inputs: {
      feat_erb: [1, 1, 22, 32],
      feat_spec: [1, 2, 22, 96],
      earshot_state_in_0: [1, 1, 256],
    },
    outputs: {
      e0: {
        rms: 0.7869,
        sums: [-0.95619, 0.3793, 0.37774, 0.24038, -0.47818, -1.1392, 0.12623, 0.17896],
      },
      e1: {
        rms: 0.55637,
        sums: [-0.47783, 0.4389, -0.72194, -0.62225, 0.042232, -0.13587, 0.011282, -0.59899],
      },
      e2: {
        rms: 0.54617,
        sums: [-0.66756, 0.13769, -0.71991, 0.37017, -0.062297, 0.39878, 0.87323, 1.3851],
      },
      e3: {
        rms: 1.5253,
        sums: [-1.0143, -0.82372, -1.9538, 0.79692, -0.32574, 1.3138, 1.2629, -1.4443],
      },
      emb: {
        rms: 0.22055,
        sums: [0.052248, 0.27953, -0.3375, -0.012138, -0.042872, 0.024404, 0.1416, -0.088176],
      },
      c0: {
        rms: 2.2827,
        sums: [-0.80299, -0.61979, -1.2708, 1.8673, 0.59521, 0.021227, -1.0849, -1.5205],
      },
      lsnr: {
        rms: 12.171,
        sums: [-7.515, 6.6582, -1.9465, -3.301, 16.128, -5.3756, -9.907, -5.8895],
      },
      earshot_state_out_0: {
        rms: 0.66685,
        sums: [0.082693, -0.34144, 1.049, 0.15148, 0.33038, -0.011532, -0.80721, 0.13514],
      },
    },
  },
  'deepfilternet3/erb_dec': {
    inputs: {
      emb: [1, 8, 512],
      e3: [1, 64, 8, 8],
      e2: [1, 64, 8, 8],
      e1: [1, 64, 8, 16],
      e0: [1, 64, 8, 32],
      earshot_state_in_0: [1, 1, 256],
      earshot_state_in_1: [1, 1, 256],
    },
    outputs: {
      m: {
        rms: 0.23793,
        sums: [-0.38431, 0.04333, -0.25403, 0.0051096, -0.10183, 0.1247, 0.13778, -0.070592],
      },
      earshot_state_out_0: {
        rms: 0.53229,
        sums: [0.21135, -0.36334, 0.095318, 0.50913, 0.24817, -0.24663, 0.7, 0.91837],
      },
      earshot_state_out_1: {
        rms: 0.59595,
        sums: [-0.014852, 0.66538, -0.56014, -0.32522, -0.97774, 0.12153, 0.47881, -0.48134],
      },
    },
  },
  'deepfilternet3/df_dec': {
    inputs: {
      emb: [1, 8, 512],
      c0: [1, 64, 12, 96],
      earshot_state_in_0: [1, 1, 256],
      earshot_state_in_1: [1, 1, 256],
    },
    outputs: {
      '235': {
        rms: 0.53287,
        sums: [0.035835, -0.65322, 0.44167, 0.14042, -0.22283, 0.095069, 0.14042, 0.36577],
      },
      coefs: {
        rms: 0.25163,
        sums: [-0.41494, -0.23322, -0.033246, -0.011148, -0.049515, -0.39571, 0.20435, 0.00071084],
      },
      earshot_state_out_0: {
        rms: 0.50805,
        sums: [-0.53053, -0.083158, -1.0753, 0.34728, 0.43636, 0.31053, -0.1182, -0.30921],
      },
      earshot_state_out_1: {
        rms: 0.49474,
        sums: [0.062156, 0.65177, -0.47229, -0.21794, -0.23728, 0.21216, 0.57668, -0.60959],
      },
    },
  },
  'silero-vad': {
    inputs: {
      input: [1, 576],
      state: [2, 1, 128],
      sr: [],
    },
    integers: {
      sr: 16000,
    },
    outputs: {
      output: {
        rms: 0.051238,
        sums: [-0.051238, -0.051238, -0.051238, -0.051238, -0.051238, -0.051238, -0.051238, -0.051238],
      },
      stateN: {
        rms: 0.56253,
        sums: [-0.26379, 0.91144, -1.1007, 0.58502, 3.1974, -0.1976, -0.61864, -1.3698],
      },
    },
  },
  'pyannote-segmentation-3.0': {
    inputs: {
      x: [1, 1, 16000],
    },
    outputs: {
      y: {
        rms: 2.8026,
        sums: [0.65182, -4.5887, 0.045205, 3.6377, 5.2781, 4.3999, 3.6654, 4.604],
      },
    },
  },
  campplus: {
    inputs: {
      x: [1, 40, 80],
    },
    outputs: {
      embedding: {
        rms: 1.0827,
        sums: [1.7371, 0.29243, 0.55923, -0.29721, -1.0705, 1.4695, -0.97131, 0.1691],
      },
    },
  },
  'sound-classifier': {
    inputs: {
      log_mel: [1, 96, 64],
    },
    outputs: {
      scores: {
        rms: 0.056318,
        sums: [-0.0023093, -0.019339, -0.053711, -0.040803, 0.059226, -0.015497, 0.13043, -0.073056],
      },
      embedding: {
        rms: 0.21118,
        sums: [-0.42314, 0.19793, 0.23902, -0.11558, -0.089416, -0.04745, 0.0072067, -0.33821],
      },
    },
  },
};
