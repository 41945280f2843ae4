import { throwIfAborted } from '../../core/abort.ts';
import { hearingGain, type Listener, patchSamples } from '../../dsp/listener/listener.ts';
import { eventGroups, eventHopRows, type SoundEvent, soundEvents } from './sound-events.ts';
import { type SpeechSound, speechRate } from '../speech-sound.ts';

/** Patches that are listened to at once: a minute, so that a recording of any length takes no more memory. */
const patchesPerPart = 250;
const hopFrames = (eventHopRows * speechRate) / 100;

/**
 * Sounds other than speech by name: music, applause, animals. The whole recording is brought to one level first.
 * @throws AbortError
 */
export async function hearSounds(
  listener: Listener,
  sound: SpeechSound,
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress(fraction: number): void },
): Promise<SoundEvent[]> {
  if (sound.frames === 0) return [];
  const gain = gainFor(sound, signal);
  const patches = 1 + Math.max(0, Math.floor((sound.frames - patchSamples) / hopFrames));
  const scores = eventGroups.map(() => new Float32Array(patches));
  for (let first = 0; first < patches; first += patchesPerPart) {
    throwIfAborted(signal);
    const count = Math.min(patchesPerPart, patches - first);
    const part = sound.read(first * hopFrames, (count - 1) * hopFrames + patchSamples);
    const heard = await listener.hear(part, { gain, hopRows: eventHopRows });
    for (const [group, classes] of eventGroups.entries())
      for (let patch = 0; patch < count; patch += 1)
        (scores[group] as Float32Array)[first + patch] = heard.scoreIn(patch, classes);
    onProgress((first + count) / patches);
  }
  return soundEvents(scores).map((event) => ({
    ...event,
    endSeconds: Math.min(event.endSeconds, sound.durationSeconds),
  }));
}

function gainFor(sound: SpeechSound, signal: AbortSignal): number {
  const frames = patchesPerPart * hopFrames;
  let [power, peak] = [0, 0];
  for (let from = 0; from < sound.frames; from += frames) {
    throwIfAborted(signal);
    for (const sample of sound.read(from, Math.min(frames, sound.frames - from))) {
      power += sample * sample;
      peak = Math.max(peak, Math.abs(sample));
    }
  }
  return hearingGain(power / sound.frames, peak);
}
