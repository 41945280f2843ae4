// Records from the microphone, and reports its level.
import { type Signal, signal } from '@preact/signals';

export interface Recording {
  readonly seconds: Signal<number>;
  /** Root mean square of the last moment over full scale, 0 to 1. */
  readonly level: Signal<number>;
  /** @returns the recording as a file */
  stop(): Promise<File>;
}

/** Browsers offer the microphone only in secure contexts: https, or this machine. */
export const canRecord = (): boolean => 'mediaDevices' in navigator && 'MediaRecorder' in globalThis;

/** Asks for the microphone. The browser's own processing of the sound is switched off. */
export async function record(): Promise<Recording> {
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
  });
  const recorder = new MediaRecorder(stream);
  const parts: Blob[] = [];
  recorder.addEventListener('dataavailable', ({ data }) => void parts.push(data));
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  const [seconds, level] = [signal(0), signal(0)];
  const began = performance.now();
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(samples);
    level.value = Math.min(
      1,
      Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length) * 3,
    );
    seconds.value = (performance.now() - began) / 1000;
  }, 100);
  recorder.start(1000);
  return {
    seconds,
    level,
    async stop() {
      clearInterval(timer);
      const stopped = new Promise((resolve) => recorder.addEventListener('stop', resolve, { once: true }));
      recorder.stop();
      await stopped;
      for (const track of stream.getTracks()) track.stop();
      await context.close();
      const type = recorder.mimeType.split(';')[0] ?? 'audio/webm';
      const extension = type.includes('mp4') ? 'm4a' : type.includes('ogg') ? 'ogg' : 'webm';
      const at = new Date().toISOString().slice(0, 16).replace(/[T:]/g, '-');
      return new File(parts, `recording-${at}.${extension}`, { type });
    },
  };
}
