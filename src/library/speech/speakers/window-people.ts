// Maps a window's own voices to speakers, by the speakers of their pieces. A voice that never speaks alone in its
// window is identified by its own sound.
import { type VoicePiece, piecesByFrame, type PlacedPiece } from './pieces.ts';
import {
  firstFrameOf,
  framesIn,
  frameSample,
  framesOf,
  type HeardWindows,
  localSpeakers,
  voicesIn,
  windowFrames,
} from './segmentation.ts';
import { likenessToVoice, personOf, type Voices } from './voices.ts';

/** Start and end sample of each stretch, end exclusive. */
export type Stretches = readonly (readonly [start: number, end: number])[];

/** A voice with at least this much speech is identified by itself, seconds; less makes no audible difference. */
const leastSeconds = 0.85;
/** With fewer frames alone, all of its frames are used, including others' speech. */
const leastFramesAlone = 10;

interface HiddenVoice {
  readonly window: number;
  readonly voice: number;
  /** Who speaks at the same time, as bits. */
  readonly others: number;
  readonly stretches: Stretches;
}

export interface WindowPeople {
  /** The stretches of each hidden voice to embed. */
  readonly toHear: readonly Stretches[];
  /** Takes their embeddings: each is the most similar of the speakers who are silent then. */
  judge(embeddings: Float32Array, voices: Voices): void;
  /** The speaker of a window's voice at a frame of the recording; -1 if unknown. */
  personAt(window: number, voice: number, frame: number): number;
}

export interface ToldPieces {
  readonly pieces: readonly VoicePiece[];
  /** The speaker of each piece. */
  readonly people: Uint8Array;
  readonly inWindows: readonly (readonly PlacedPiece[])[];
}

export function windowPeople(heard: HeardWindows, { pieces, people, inWindows }: ToldPieces): WindowPeople {
  const known = new Map<number, number>();
  const keyOf = (window: number, voice: number): number => window * localSpeakers + voice;
  const personAt = (window: number, voice: number, frame: number): number => {
    let [person, nearest] = [-1, Number.POSITIVE_INFINITY];
    for (const placed of inWindows[window] as readonly PlacedPiece[]) {
      if (placed.voice !== voice) continue;
      const { firstFrame, endFrame } = pieces[placed.piece] as VoicePiece;
      const away = frame < firstFrame ? firstFrame - frame : frame - endFrame + 1;
      if (away < nearest) [person, nearest] = [people[placed.piece] as number, away];
    }
    return person === -1 ? (known.get(keyOf(window, voice)) ?? -1) : person;
  };

  const pieceAt = piecesByFrame(pieces, framesOf(heard));
  const hidden: HiddenVoice[] = [];
  for (const [window, start] of heard.starts.entries()) {
    const first = firstFrameOf(start);
    const sets = heard.voices.subarray(window * windowFrames, (window + 1) * windowFrames);
    for (let voice = 0; voice < localSpeakers; voice += 1) {
      if (inWindows[window]?.some((placed) => placed.voice === voice)) continue;
      const speaks = (set: number): boolean => (set & (1 << voice)) !== 0;
      let [outside, others, alone] = [0, 0, 0];
      for (const [index, set] of sets.entries()) {
        if (!speaks(set)) continue;
        if (pieceAt[first + index] === -1) outside += 1;
        if (voicesIn(set) === 1) alone += 1;
        for (let other = 0; other < localSpeakers; other += 1) {
          const person = other !== voice && (set & (1 << other)) !== 0 ? personAt(window, other, first + index) : -1;
          if (person !== -1) others |= 1 << person;
        }
      }
      if (outside < framesIn(leastSeconds)) continue;
      const wanted = (set: number): boolean => (alone < leastFramesAlone ? speaks(set) : set === 1 << voice);
      hidden.push({ window, voice, others, stretches: stretchesOf(sets, first, wanted) });
    }
  }
  return {
    toHear: hidden.map(({ stretches }) => stretches),
    judge(embeddings, voices) {
      for (const [index, { window, voice, others }] of hidden.entries()) {
        let [best, most] = [-1, Number.NEGATIVE_INFINITY];
        for (let one = 0; one < voices.count; one += 1) {
          const like = likenessToVoice(voices, one, embeddings, index);
          if ((others & (1 << personOf(one))) === 0 && like > most) [best, most] = [personOf(one), like];
        }
        if (best !== -1) known.set(keyOf(window, voice), best);
      }
    },
    personAt,
  };
}

/** Stretches of a window with the wanted sets, in samples of the recording. */
function stretchesOf(sets: Uint8Array, first: number, wanted: (set: number) => boolean): Stretches {
  const stretches: (readonly [number, number])[] = [];
  for (let from = 0, to = 0; from < sets.length; from = to + 1) {
    for (to = from; to < sets.length && wanted(sets[to] as number);) to += 1;
    if (to > from) stretches.push([frameSample(first + from), frameSample(first + to)]);
  }
  return stretches;
}
