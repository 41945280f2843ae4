// What a run may take out of a recording: fillers and repeats, and what its options name besides.
import { type FillerCut, findCuts } from '../../speech/fillers/find-cuts.ts';
import { findSounds, type FoundSound, type KeptSound, type FoundSoundKind } from '../../speech/fillers/find-sounds.ts';
import type { MarkableWord } from '../../speech/fillers/mark-words.ts';
import type { SpeechSound } from '../../speech/speech-sound.ts';
import type { RemoveFillersContext } from './options.ts';

type SoundAction = RemoveFillersContext['options']['breaths'];
/** What is done to a sound. */
export type Action = Exclude<SoundAction, 'keep'>;

export type OfferedCut = (Omit<FillerCut, 'kind'> | FoundSound) & {
  readonly kind: 'filler' | 'repeat' | 'unwritten_filler' | FoundSoundKind;
  readonly action: Action;
};

export interface Offered {
  /** In order of time. */
  readonly cuts: readonly OfferedCut[];
  /** null: the options ask for fillers and repeats only. */
  readonly kept: readonly KeptSound[] | null;
}

type Choice = Pick<
  RemoveFillersContext['options'],
  'fillers' | 'repeats' | 'breaths' | 'mouth_clicks' | 'coughs' | 'stutters'
>;

const actionsOf = ({ breaths, mouth_clicks, coughs, stutters }: Choice): Record<FoundSoundKind, SoundAction> => ({
  breath: breaths,
  mouth_click: mouth_clicks,
  cough: coughs,
  stutter: stutters,
});

/** Are sounds looked for that are no fillers? */
const asksForSounds = (choice: Choice): boolean => Object.values(actionsOf(choice)).some((action) => action !== 'keep');

/** @param words of a verbatim transcript, in order of their start */
export async function offeredCuts(
  sound: SpeechSound,
  words: readonly MarkableWord[],
  choice: Choice,
  how: Parameters<typeof findCuts>[2],
): Promise<Offered> {
  const actions = actionsOf(choice);
  const wantsSounds = asksForSounds(choice);
  const share = wantsSounds ? 0.5 : 1;
  const cuts = await findCuts(sound, words, { ...how, onProgress: (done) => how.onProgress(share * done) });
  const offered = cuts.flatMap((cut): OfferedCut[] => {
    if (cut.kind !== 'false_start')
      return choice.repeats || cut.kind !== 'repeat' ? [{ ...cut, kind: cut.kind, action: choice.fillers }] : [];
    // Words that break off are repeats, unless stutters are named.
    if (actions.stutter !== 'keep') return [{ ...cut, kind: 'stutter', action: actions.stutter }];
    return choice.repeats ? [{ ...cut, kind: 'repeat', action: choice.fillers }] : [];
  });
  if (!wantsSounds) return { cuts: offered, kept: null };
  // All kinds are found, so that ids do not depend on the options.
  const { found, kept } = await findSounds(sound, words, cuts, {
    signal: how.signal,
    onProgress: (done) => how.onProgress(0.5 + 0.5 * done),
  });
  const sounds = found.flatMap((one): OfferedCut[] => {
    const action = actions[one.kind];
    return action === 'keep' ? [] : [{ ...one, action }];
  });
  return {
    cuts: [...offered, ...sounds].toSorted((a, b) => a.startSeconds - b.startSeconds),
    kept: kept.filter(({ kind }) => actions[kind] !== 'keep'),
  };
}
