// The recordings of the table: clean speech, noisy speech, noisy speech in rooms.
import { mix, noises, sample } from './mixtures.ts';
import { convolve, room } from './voice-cases.ts';

export interface NoisyCase {
  readonly title: string;
  /** Infinite without noise; null where it is unknown. */
  readonly snrDb: number | null;
  readonly inRoom: boolean;
  readonly mixture: Float32Array;
  /** What would be left if exactly the noise went. A room stays: taking it away is another tool's work. */
  readonly wanted: Float32Array;
}

const snrsDb = [-5, 0, 5, 10, 15, 20] as const;
export const roomSeeds = { 0.3: 31, 0.6: 61 } as const;
/** Speech from 1.5 m: about as much direct sound as reflections. */
const directToReverberantDb = 0;
/** The stationary one and the one that is hardest to tell from a voice. */
const noisesInRooms = ['pink', 'babble'] as const;

/** Made one at a time; the same every time. @param only of their titles; empty: all */
export function* noisyCases(only = ''): Generator<NoisyCase> {
  const speech = sample('noise/clean_speech_48k.wav');
  const wantedHere = (title: string): boolean => title.includes(only);
  if (wantedHere('upstream test file'))
    yield {
      title: 'upstream test file',
      snrDb: null,
      inRoom: false,
      mixture: sample('noise/noisy_snr0_48k.wav'),
      wanted: speech,
    };
  if (wantedHere('no noise'))
    yield { title: 'no noise', snrDb: Number.POSITIVE_INFINITY, inRoom: false, mixture: speech, wanted: speech };
  for (const [kind, noise] of Object.entries(noises)) {
    let sound: Float32Array | null = null;
    for (const snrDb of snrsDb) {
      const title = `${kind} ${snrDb} dB`;
      if (wantedHere(title))
        yield {
          title,
          snrDb,
          inRoom: false,
          mixture: mix(speech, (sound ??= noise(speech.length)), snrDb),
          wanted: speech,
        };
    }
  }
  for (const [t60, seed] of Object.entries(roomSeeds)) {
    const heard = convolve(speech, room(Number(t60), directToReverberantDb, seed));
    const quiet = `room ${t60} s, no noise`;
    if (wantedHere(quiet))
      yield { title: quiet, snrDb: Number.POSITIVE_INFINITY, inRoom: true, mixture: heard, wanted: heard };
    for (const kind of noisesInRooms) {
      for (const snrDb of snrsDb) {
        const title = `room ${t60} s, ${kind} ${snrDb} dB`;
        if (wantedHere(title))
          yield {
            title,
            snrDb,
            inRoom: true,
            mixture: mix(heard, (noises[kind] as (typeof noises)[string])(heard.length), snrDb),
            wanted: heard,
          };
      }
    }
  }
}
