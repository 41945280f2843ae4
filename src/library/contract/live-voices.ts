// The service's way to hear where people speak in sound that is still arriving.

/** Seconds of one probability. */
export const voiceStepSeconds = 0.032;

/** The sound of one connection. */
export interface VoiceTrack {
  /**
   * @param samples the next ones, mono, full scale 32768
   * @returns the probability of a voice, 0 to 1, in each step of `voiceStepSeconds` that they complete
   * @throws EarshotError tool_unavailable without the network; internal_error when its process ends again and again
   */
  hear(samples: Int16Array): Promise<Float32Array>;
  close(): void;
}

/** Listens outside of the calling process. */
export interface LiveVoices {
  /** @param sampleRate of its samples, Hz */
  open(sampleRate: number): VoiceTrack;
  /** Ends the process that listens. */
  close(): void;
}
