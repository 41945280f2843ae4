// Records from the microphone, and reports its level. Loaded by a tool's page when somebody records.

/** @returns the recording as a file */
export type Stop = () => Promise<File>;

/**
 * Asks for the microphone. The browser's own processing of the sound is switched off.
 * @param onLevel called ten times a second with the seconds so far, and the root mean square of the last moment over
 * full scale, 0 to 1
 */
export async function record(onLevel: (seconds: number, level: number) => void): Promise<Stop> {
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
  const began = performance.now();
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(samples);
    const square = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
    onLevel((performance.now() - began) / 1000, Math.min(1, Math.sqrt(square) * 3));
  }, 100);
  recorder.start(1000);
  return async () => {
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
  };
}
