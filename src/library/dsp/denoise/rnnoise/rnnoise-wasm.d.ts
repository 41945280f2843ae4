declare module '@jitsi/rnnoise-wasm/dist/rnnoise-sync.js' {
  /** The exports of RNNoise's WebAssembly build; pointers are byte offsets into its heap. */
  export interface RnnoiseModule {
    readonly HEAPF32: Float32Array;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    /** @param model 0: the weights that are built in */
    _rnnoise_create(model: number): number;
    _rnnoise_destroy(state: number): void;
    /** 480 samples at 48 kHz in 16-bit scale; returns the probability of speech. */
    _rnnoise_process_frame(state: number, out: number, input: number): number;
  }
  export default function createRnnoise(): RnnoiseModule;
}
