// Who a window's own voices are: whom the pieces of theirs say. A voice that is never heard alone in its window, since it
// speaks over others, is judged by its own sound.
import { type Piece, piecesByFrame, type PlacedPiece } from './pieces.ts';
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
import { likeness, type Voices } from './voices.ts';

/** First sample and the one behind the last of each stretch. */
export type Stretches = readonly (readonly [start: number, end: number])[];

/** A voice is judged by itself from so much speech on, seconds; less changes nothing that is heard. */
const leastSeconds = 0.85;
/** With fewer frames alone than this it is judged by all of its frames, others' speech included. */
const leastFramesAlone = 10;

interface HiddenVoice {
  readonly window: number;
  readonly voice: number;
  /** Who speaks at the same time, bit by bit. */
  readonly others: number;
  readonly stretches: Stretches;
}

export interface WindowPeople {
  /** What of each hidden voice to listen to. */
  readonly toHear: readonly Stretches[];
  /** Takes the embeddings of those: each is the most alike of the people who are silent then. */
  judge(embeddings: Float32Array, voices: Voices): void;
  /** The person that a window's voice is at a frame of the recording; -1 where nobody can tell. */
  personAt(window: number, voice: number, frame: number): number;
}

export interface ToldPieces {
  readonly pieces: readonly Piece[];
  /** Of each piece the person. */
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
      const { firstFrame, endFrame } = pieces[placed.piece] as Piece;
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
        for (let person = 0; person < voices.count; person += 1) {
          const like = likeness(voices, person, embeddings, index);
          if ((others & (1 << person)) === 0 && like > most) [best, most] = [person, like];
        }
        if (best !== -1) known.set(keyOf(window, voice), best);
      }
    },
    personAt,
  };
}

/** Where a window's sets are wanted, in samples of the recording. */
function stretchesOf(sets: Uint8Array, first: number, wanted: (set: number) => boolean): Stretches {
  const stretches: (readonly [number, number])[] = [];
  for (let from = 0, to = 0; from < sets.length; from = to + 1) {
    for (to = from; to < sets.length && wanted(sets[to] as number);) to += 1;
    if (to > from) stretches.push([frameSample(first + from), frameSample(first + to)]);
  }
  return stretches;
}
