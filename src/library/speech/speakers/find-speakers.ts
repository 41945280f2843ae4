import { setImmediate as turn } from 'node:timers/promises';
import type { SpeakerBounds } from '../../contract/speaker-bounds.ts';
import { throwIfAborted } from '../../core/abort.ts';
import { type FinishedParts, noFinishedParts } from '../../core/progress/finished-parts.ts';
import type { StartPass } from '../../core/progress/passes.ts';
import { searchFolders } from '../../models/folders.ts';
import type { SpeechSound } from '../speech-sound.ts';
import { listen, type ListeningOptions, listenTo } from './listening.ts';
import { hasSpeakerNetworks, readSpeakerNetworks } from './networks.ts';
import { heardParts } from './resumed-speakers.ts';
import { cutPieces, outlineOf, type VoicePiece, piecesInWindows, takeoversOf } from './pieces.ts';
import { finePieces, sureShare, tellApart } from './second-hearing.ts';
import { frameSample } from './segmentation.ts';
import type { SpeakerTurn } from './speaker-turn.ts';
import { addUp, turnsOf } from './timeline.ts';
import { findVoices, peopleIn } from './voices.ts';
import { type Stretches, windowPeople } from './window-people.ts';
import type { RunStage } from '../../core/progress/stages.ts';

export interface FindSpeakersOptions extends ListeningOptions {
  /** Folder that is searched first for the two networks; default: see `searchFolders`. */
  readonly modelsDir: string | undefined;
  /** Starts each part as its own pass, instead of one fraction of all. Default: `onProgress` gets the fraction. */
  readonly pass?: StartPass | undefined;
  /** How many people speak. Default: found out. */
  readonly bounds?: SpeakerBounds | undefined;
  /** Of an interrupted run; what is heard is added. Default: nothing is remembered. */
  readonly finished?: FinishedParts | undefined;
}

/** The parts in order; the last one runs only for several speakers. */
export const speakerPasses = ['telling speakers apart', 'comparing voices', 'comparing again'] as const;

/** Are the networks for `findSpeakers` installed? */
export const canFindSpeakers = (modelsDir: string | undefined): Promise<boolean> =>
  hasSpeakerNetworks(searchFolders(modelsDir));

/** Shares of the work: the windows, the pieces, and the second hearing. */
const shares = { windows: 0.55, pieces: 0.2, again: 0.2, hidden: 0.05 };
/** Approximate length of pieces for clustering: long enough to identify, too short to hide a change. */
const pieceSeconds = 2;

/**
 * Finds who speaks when. At most eight speakers are distinguished, numbered in the order of their first speech; of
 * more people those with the least to say share a number. Method: segmentation of overlapping windows (Plaquet and
 * Bredin, "Powerset multi-class cross entropy loss for neural speaker diarization", 2023) gives the number of speakers
 * and the changes between voices; the stretches between are cut into pieces, each with an embedding (CAM++: Wang et
 * al. 2023), which average linkage groups into speakers; then shorter pieces are assigned once more (Viterbi). The
 * result does not depend on the number of cores. Memory: about 0.2 MB a minute besides the networks' 250 MB per core;
 * no sound is kept.
 * @returns in order of their starts; turns of different speakers may overlap
 * @throws EarshotError tool_unavailable without the two networks; AbortError
 */
export async function findSpeakers(sound: SpeechSound, options: FindSpeakersOptions): Promise<SpeakerTurn[]> {
  const networks = await readSpeakerNetworks(searchFolders(options.modelsDir));
  const { finished = noFinishedParts, bounds = null } = options;
  const kept = heardParts({ networks: networks.key, bounds: bounds === null ? null : { ...bounds } }, finished);
  const known = kept.turns();
  if (known !== null) {
    if (!options.pass) options.onProgress(1);
    return known;
  }
  let before = 0;
  const [windowsPass, piecesPass, againPass] = speakerPasses;
  const during = (share: number, stage: RunStage, after: readonly RunStage[] = [], maybe: readonly RunStage[] = []) => {
    const from = before;
    before += share;
    const whole = (fraction: number): void => options.onProgress(from + share * fraction);
    return { ...options, onProgress: options.pass ? options.pass(stage, after, maybe) : whole };
  };
  /** The work between two networks takes a second at ten hours. */
  const rest = async (): Promise<void> => {
    await turn();
    throwIfAborted(options.signal);
  };
  const hear = (pieces: readonly VoicePiece[], how: ListeningOptions): Promise<Float32Array> =>
    listenTo(sound, networks, pieces.map(stretchesOf), how);

  const heard = await listen(sound, networks, kept, during(shares.windows, windowsPass, [piecesPass], [againPass]));
  await rest();
  const outline = outlineOf(heard);
  const pieces = cutPieces(outline, takeoversOf(outline, sureShare), pieceSeconds);
  const embeddings = await hear(pieces, during(shares.pieces, piecesPass, [], [againPass]));
  await rest();
  const voices = await findVoices({ pieces, embeddings, inWindows: piecesInWindows(heard, pieces) }, options);

  const fine = finePieces(outline);
  // Not needed for a single speaker.
  const again = voices.count > 1 ? await hear(fine.pieces, during(shares.again, againPass)) : null;
  const people = again ? tellApart(fine, again, voices) : new Uint8Array(fine.pieces.length);
  await rest();
  const told = { pieces: fine.pieces, people, inWindows: piecesInWindows(heard, fine.pieces) };
  const inWindows = windowPeople(heard, told);
  if (voices.count > 1)
    inWindows.judge(await listenTo(sound, networks, inWindows.toHear, during(shares.hidden, againPass)), voices);
  const speaking = addUp(heard, outline, told, inWindows, peopleIn(voices));
  if (!options.pass) options.onProgress(1);
  const turns = turnsOf(speaking, peopleIn(voices), sound.durationSeconds);
  kept.addTurns(turns);
  return turns;
}

const stretchesOf = ({ firstFrame, endFrame }: VoicePiece): Stretches => [
  [frameSample(firstFrame), frameSample(endFrame)],
];
