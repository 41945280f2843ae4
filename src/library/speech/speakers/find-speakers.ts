import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import type { StartPass } from '../../core/passes.ts';
import { searchFolders } from '../../models/folders.ts';
import type { SpeechSound } from '../speech-sound.ts';
import { listen, type ListeningOptions, listenTo } from './listening.ts';
import { hasSpeakerNetworks, readSpeakerNetworks } from './networks.ts';
import { cutPieces, outlineOf, type Piece, piecesInWindows, takeoversOf } from './pieces.ts';
import { finePieces, sureShare, tellApart } from './second-hearing.ts';
import { frameSample } from './segmentation.ts';
import type { SpeakerTurn } from './speaker-turn.ts';
import { addUp, turnsOf } from './timeline.ts';
import { findVoices } from './voices.ts';
import { type Stretches, windowPeople } from './window-people.ts';

export interface FindSpeakersOptions extends ListeningOptions {
  /** Where the two networks are looked for first; default: see `searchFolders`. */
  readonly modelsDir: string | undefined;
  /** Begins each part as a pass of its own, instead of one fraction of all. Default: `onProgress` hears all. */
  readonly pass?: StartPass | undefined;
}

/** The parts in their order; the last one is there where several people speak. */
export const speakerPasses = ['telling speakers apart', 'comparing voices', 'comparing again'] as const;

/** Can `findSpeakers` work here? */
export const canFindSpeakers = (modelsDir: string | undefined): Promise<boolean> =>
  hasSpeakerNetworks(searchFolders(modelsDir));

/** How much of the work the windows are, the pieces, and those that are heard again. */
const shares = { windows: 0.55, pieces: 0.2, again: 0.2, hidden: 0.05 };
/** Pieces by which people are found are about so long: long enough to tell, too short to hide a change. */
const pieceSeconds = 2;

/**
 * Finds who speaks when. At most eight people are told apart, numbered in the order in which they are first heard.
 * Method: segmentation of overlapping windows (Plaquet and Bredin, "Powerset multi-class cross entropy loss for neural
 * speaker diarization", 2023) tells how many speak and where another voice takes over; what lies between is cut into
 * pieces, each with an embedding (CAM++: Wang et al. 2023), which average linkage gathers into people; then the recording
 * is told apart once more in shorter pieces (Viterbi). The result does not depend on the number of cores.
 * Memory: about 0.2 MB a minute beside the networks' 250 MB a core; nothing of the sound itself.
 * @returns in order of their starts; turns of different people may overlap
 * @throws EarshotError tool_unavailable without the two networks; AbortError
 */
export async function findSpeakers(sound: SpeechSound, options: FindSpeakersOptions): Promise<SpeakerTurn[]> {
  const networks = await readSpeakerNetworks(searchFolders(options.modelsDir));
  let before = 0;
  const [windowsPass, piecesPass, againPass] = speakerPasses;
  const during = (share: number, stage: string, after: readonly string[] = [], maybe: readonly string[] = []) => {
    const from = before;
    before += share;
    const whole = (fraction: number): void => options.onProgress(from + share * fraction);
    return { ...options, onProgress: options.pass ? options.pass(stage, after, maybe) : whole };
  };
  /** What is between here and the next network takes a second at ten hours. */
  const rest = async (): Promise<void> => {
    await turn();
    throwIfAborted(options.signal);
  };
  const hear = (pieces: readonly Piece[], how: ListeningOptions): Promise<Float32Array> =>
    listenTo(sound, networks, pieces.map(stretchesOf), how);

  const heard = await listen(sound, networks, during(shares.windows, windowsPass, [piecesPass], [againPass]));
  await rest();
  const outline = outlineOf(heard);
  const pieces = cutPieces(outline, takeoversOf(outline, sureShare), pieceSeconds);
  const embeddings = await hear(pieces, during(shares.pieces, piecesPass, [], [againPass]));
  await rest();
  const voices = await findVoices({ pieces, embeddings, inWindows: piecesInWindows(heard, pieces) }, options);

  const fine = finePieces(outline);
  // Nothing needs to be told apart where one person speaks.
  const again = voices.count > 1 ? await hear(fine.pieces, during(shares.again, againPass)) : null;
  const people = again ? tellApart(fine, again, voices) : new Uint8Array(fine.pieces.length);
  await rest();
  const told = { pieces: fine.pieces, people, inWindows: piecesInWindows(heard, fine.pieces) };
  const inWindows = windowPeople(heard, told);
  if (voices.count > 1)
    inWindows.judge(await listenTo(sound, networks, inWindows.toHear, during(shares.hidden, againPass)), voices);
  const speaking = addUp(heard, outline, told, inWindows, voices.count);
  if (!options.pass) options.onProgress(1);
  return turnsOf(speaking, voices.count, sound.durationSeconds);
}

const stretchesOf = ({ firstFrame, endFrame }: Piece): Stretches => [[frameSample(firstFrame), frameSample(endFrame)]];
