import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import { searchFolders } from '../../models/folders.ts';
import type { SpeechSound } from '../speech-sound.ts';
import { listen, type ListeningOptions, listenTo } from './listening.ts';
import { hasSpeakerNetworks, readSpeakerNetworks } from './networks.ts';
import { hearAgain } from './second-hearing.ts';
import type { SpeakerTurn } from './speaker-turn.ts';
import { addUpWindows, turnsOf } from './timeline.ts';
import { assignVoices, findVoices } from './voices.ts';

export interface FindSpeakersOptions extends ListeningOptions {
  /** Where the two networks are looked for first; default: see `searchFolders`. */
  readonly modelsDir: string | undefined;
}

/** Can `findSpeakers` work here? */
export const canFindSpeakers = (modelsDir: string | undefined): Promise<boolean> =>
  hasSpeakerNetworks(searchFolders(modelsDir));

/** How much of the work the windows are. */
const windowsShare = 0.85;

/**
 * Finds who speaks when. At most eight people are told apart, numbered in the order in which they are first heard.
 * Method: segmentation of overlapping windows (Plaquet and Bredin, "Powerset multi-class cross entropy loss for neural
 * speaker diarization", 2023), an embedding of every window's voices (CAM++: Wang et al. 2023), average linkage, an
 * optimal assignment in every window (Bredin, "pyannote.audio 2.1 speaker diarization pipeline", 2023); then every
 * stretch is heard once more by itself. The result does not depend on the number of cores.
 * Memory: about 0.1 MB a minute beside the networks' 250 MB a core; nothing of the sound itself.
 * @returns in order of their starts; turns of different people may overlap
 * @throws EarshotError tool_unavailable without the two networks; AbortError
 */
export async function findSpeakers(sound: SpeechSound, options: FindSpeakersOptions): Promise<SpeakerTurn[]> {
  const { onProgress } = options;
  const networks = await readSpeakerNetworks(searchFolders(options.modelsDir));
  const heard = await listen(sound, networks, {
    ...options,
    onProgress: (fraction) => onProgress(windowsShare * fraction),
  });
  const voices = await findVoices(heard.embeddings, heard.rows, options);
  const people = assignVoices(voices, heard.embeddings, heard.rows);
  // What is between here and the next network takes a second at ten hours.
  await turn();
  throwIfAborted(options.signal);
  const speaking = addUpWindows({ ...heard, people }, voices);
  if (voices.count > 1) {
    const again = hearAgain(speaking, voices);
    await listenTo(sound, networks, again.stretches, again.judge, {
      ...options,
      onProgress: (fraction) => onProgress(windowsShare + (1 - windowsShare) * fraction),
    });
    again.mergePeople();
  }
  onProgress(1);
  return turnsOf(speaking, voices.count, sound.durationSeconds);
}
