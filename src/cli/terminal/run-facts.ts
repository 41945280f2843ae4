// A run's engine, target and result in a few words after its file.
import type { VolumeFacts } from '../../library/contract/tool-results.ts';
import type { ToolId } from '../../library/contract/tool-ids.ts';
import type { JsonObject } from '../../library/core/json.ts';
import type { ToolResultById } from '../../library/tools/results.ts';
import { formatSeconds } from './display.ts';
import { cutFacts, languageName, transcriptFacts } from './speech-report.ts';
import { count, withUnit } from './values.ts';

/** Display names of networks and libraries. */
const engineNames: Readonly<Record<string, string>> = {
  deepfilternet3: 'DeepFilterNet3',
  rnnoise: 'RNNoise',
  gtcrn: 'GTCRN',
};
const engineName = (id: string): string => engineNames[id] ?? id;

const channelNames = ['', 'mono', 'stereo'];
const channelName = (channels: number): string => channelNames[channels] ?? `${channels} channels`;

const targetName = (target: string, lufs: number | null): string =>
  target === 'custom' || lufs === null ? target : `${target} (${lufs} LUFS)`;

/** "to -16 LUFS: -16.0 LUFS, true peak -1.2 dBTP". */
function volume({ targetLufs, output }: Partial<VolumeFacts>): string {
  if (targetLufs === undefined || output === undefined) return 'level unchanged';
  return `to ${targetLufs} LUFS: now ${withUnit(output.integratedLufs, 'LUFS')}, true peak ${withUnit(output.truePeakDbtp, 'dBTP')}`;
}

/** Tools without facts to report have no entry. */
const facts: { readonly [Id in ToolId]?: (result: ToolResultById[Id]) => string } = {
  adjust_loudness({ target, targetLufs, targetRmsDbfs, input, output }) {
    const goal =
      targetLufs === null
        ? `${target} (${withUnit(targetRmsDbfs, 'dB RMS')}, now ${withUnit(output.rmsDbfs, 'dB RMS')})`
        : targetName(target, targetLufs);
    const [before, after] = [input, output].map(({ integratedLufs }) => withUnit(integratedLufs, 'LUFS'));
    return `${goal}, ${before} to ${after}, true peak ${withUnit(output.truePeakDbtp, 'dBTP')}`;
  },
  convert_audio: ({ format, sampleRate, channels, bitrateKbps }) =>
    [
      format,
      `${sampleRate} Hz`,
      channelName(channels),
      ...(bitrateKbps === null ? [] : [`${bitrateKbps} kbit/s`]),
    ].join(', '),
  cut_audio: ({ keptRanges, keptSeconds, removedSeconds, text }) =>
    `${count(keptRanges.length, 'stretch', 'stretches')} kept, ${formatSeconds(keptSeconds)}; ${formatSeconds(removedSeconds)} removed` +
    (text === undefined
      ? ''
      : `; ${count(text.removedWords, 'word')} cut out${text.movedWords > 0 ? `, ${text.movedWords} moved` : ''}`),
  remove_silence: ({ pausesShortened, removedSeconds, onsetDbfs }) =>
    `${count(pausesShortened, 'pause')} under ${withUnit(onsetDbfs, 'dBFS')} shortened, ${formatSeconds(removedSeconds)} shorter`,
  join_audio: ({ files, targetLufs }) =>
    `${count(files.length, 'file')}, ${targetLufs === null ? 'loudness unchanged' : `each brought to ${targetLufs} LUFS`}`,
  replace_audio: ({ soundSeconds, silenceBeforeSeconds, silenceAfterSeconds }) =>
    `${formatSeconds(soundSeconds)} of sound` +
    (silenceBeforeSeconds > 0 ? `, ${formatSeconds(silenceBeforeSeconds)} of silence before` : '') +
    (silenceAfterSeconds > 0 ? `, ${formatSeconds(silenceAfterSeconds)} of silence after` : ''),
  level_speakers(result) {
    const goal = targetName(result.target, result.targetLufs);
    if (result.mode === 'tracks') return `${goal}, together ${withUnit(result.sum.integratedLufs, 'LUFS')}`;
    const who = result.speakers === null ? 'by level alone' : count(result.speakers, 'speaker');
    return `${goal}, ${who}, now ${withUnit(result.output.integratedLufs, 'LUFS')}`;
  },
  mix_tracks({ target, targetLufs, musicUnderVoiceLu, tracks, output }) {
    const ducked = musicUnderVoiceLu === null ? '' : `, music ${withUnit(musicUnderVoiceLu, 'LU')} under the voices`;
    return `${count(tracks.length, 'track')} at ${targetName(target, targetLufs)}${ducked}, now ${withUnit(output.integratedLufs, 'LUFS')}`;
  },
  remove_noise: ({ engine, noiseReduction, ...rest }) =>
    `${engineName(engine)}, noise down by ${noiseReduction} %, ${volume(rest)}`,
  enhance_voice: ({ engine, found, ...rest }) =>
    found.voice
      ? `${engineName(engine)}${found.bandwidthRestorer === null ? '' : `, highs by ${engineName(found.bandwidthRestorer)}`}, ${volume(rest)}`
      : `${engineName(engine)}, no voice found`,
  transcribe_audio: (result) => `${result.recogniser.title}, ${transcriptFacts(result)}`,
  align_script({ recogniser, language, words, matchedWords, leftOut, seemsOtherRecording }) {
    const unsaid = leftOut.reduce((sum, passage) => sum + passage.words, 0);
    const tried = count(words - unsaid, 'word');
    return (
      `${recogniser === null ? 'without a recogniser' : recogniser.title}, ${languageName(language)}, ` +
      (seemsOtherRecording ? "the script seems to be another recording's: " : '') +
      (matchedWords === null ? tried : `${matchedWords} of ${tried} found`) +
      (unsaid > 0 ? `, ${unsaid} others left out` : '')
    );
  },
  remove_fillers: (result) =>
    `${result.recogniser === undefined ? 'by the transcript' : engineName(result.recogniser)}, ${cutFacts(result)}`,
};

/** Follows the files of a run; may be empty. */
export function runFacts(tool: string, result: JsonObject): string {
  const describe = facts[tool as ToolId] as ((result: unknown) => string) | undefined;
  return describe?.(result) ?? '';
}
