import { formatClock, formatSeconds, withUnit } from '../../library/core/readable.ts';
import type { JsonObject, JsonValue } from '../../library/core/json.ts';
import { shortPath } from '../../library/core/files/short-path.ts';
import type { MediaFacts } from '../../library/media/facts.ts';
import type { StreamedRun, ToolRun } from '../../library/runtime/engine/engine-types.ts';
import { findTool } from '../../library/tools/registry.ts';
import type { OutputFile } from '../../library/runtime/files/work-folder.ts';
import type { CheckAudioResult } from '../../library/tools/check_audio/result.ts';
import { checkReport } from './check-report.ts';
import { table } from './values.ts';

type Row = readonly [label: string, value: string];

/** The text after a run has ended. */
export function describeRun(subject: string, run: ToolRun<string>): string {
  if (run.tool === 'analyze_audio') return analysisReport(subject, run.result);
  if (run.tool === 'check_audio') return checkReport(subject, run.result as unknown as CheckAudioResult);
  const files = run.outputs.map(({ path, ...facts }) => fileFacts(shortPath(path), facts));
  // What only finds something out has a text of its own.
  if (files.length === 0) return `${subject}\n${runFacts(run.tool, run.result)}`;
  return `${subject} -> ${files.join(', ')}${behind(runFacts(run.tool, run.result))}`;
}

/** The same when the only output went to standard output. */
export function describeStreamedRun(subject: string, run: StreamedRun<string>): string {
  const [output] = run.outputs;
  return (
    `${subject} -> ` +
    `${output === undefined ? 'standard output' : fileFacts('standard output', output)}${behind(runFacts(run.tool, run.result))}`
  );
}

/** Follows the files of a run; may be empty. */
export const runFacts = (tool: string, result: JsonObject): string => findTool(tool)?.inWords(result) ?? '';

const behind = (facts: string): string => (facts === '' ? '' : `: ${facts}`);

function fileFacts(name: string, { sizeBytes, durationSeconds }: Omit<OutputFile, 'path'>): string {
  const length = durationSeconds === null ? '' : `, ${formatSeconds(durationSeconds)}`;
  return `${name} (${formatBytes(sizeBytes)}${length})`;
}

function analysisReport(subject: string, result: JsonObject): string {
  const loudness = object(result['loudness']);
  const levels = object(result['levels']);
  const silences = object(result['silences']);
  const stretches = (silences['stretches'] ?? []) as JsonObject[];
  const rows: Row[] = [
    ...mediaRows(result, ''),
    ['Integrated loudness', withUnit(loudness['integratedLufs'], 'LUFS')],
    ['Loudness range', withUnit(loudness['loudnessRangeLu'], 'LU')],
    [
      'Loudest moment',
      `${withUnit(loudness['maxMomentaryLufs'], 'LUFS')} (0.4 s), ` +
        `${withUnit(loudness['maxShortTermLufs'], 'LUFS')} (3 s)`,
    ],
    ['True peak', withUnit(loudness['truePeakDbtp'], 'dBTP')],
    ['Sample peak', withUnit(levels['samplePeakDbfs'], 'dBFS')],
    ['RMS', withUnit(levels['rmsDbfs'], 'dBFS')],
    ['Crest factor', withUnit(levels['crestFactorDb'], 'dB')],
    ['Noise floor', withUnit(levels['noiseFloorDbfs'], 'dBFS')],
    ['Clipped samples', text(levels['clippedSamples'])],
    ['Bandwidth', withUnit(levels['bandwidthHz'], 'Hz', 0)],
    ...(levels['stereoCorrelation'] === null || levels['stereoCorrelation'] === undefined
      ? []
      : [['Stereo correlation', text(levels['stereoCorrelation'])] as const]),
    [
      'Silence',
      `${text(silences['count'])} stretches, ${withUnit(silences['totalSeconds'], 's')} in all (below ` +
        `${withUnit(silences['thresholdDbfs'], 'dBFS')})`,
    ],
    ...stretches.map(({ startSeconds, endSeconds }): Row => [
      '',
      `${formatClock(Number(startSeconds))} to ${formatClock(Number(endSeconds))}`,
    ]),
    ...(silences['count'] === silences['listed']
      ? []
      : [['', `and ${Number(silences['count']) - Number(silences['listed'])} more: --detail full`] as const]),
    ...acxRows(object(result['acx'])),
    ...(result['suggestions'] as readonly JsonObject[]).map(({ tool, change, forSpeech }, index): Row => [
      index === 0 ? 'Suggested' : '',
      `${text(tool)}: ${text(change)}${forSpeech === true ? ' (if it is speech)' : ''}`,
    ]),
  ];
  return `${subject}\n${table(rows)}`;
}

function acxRows(acx: JsonObject): Row[] {
  const { rms, peak, noiseFloor } = acx as Record<string, JsonObject>;
  const verdict = (passes: JsonValue | undefined): string => (passes === true ? 'pass' : 'fail');
  return [
    ['ACX audiobook', verdict(acx['passes'])],
    [
      '  RMS',
      `${verdict(rms?.['passes'])}: ${withUnit(rms?.['valueDbfs'], 'dB')}, wanted ${text(rms?.['minDbfs'])} to ` +
        text(rms?.['maxDbfs']),
    ],
    [
      '  Peak',
      `${verdict(peak?.['passes'])}: ${withUnit(peak?.['valueDbfs'], 'dB')}, wanted at most ${text(peak?.['maxDbfs'])}`,
    ],
    [
      '  Noise floor',
      `${verdict(noiseFloor?.['passes'])}: ${withUnit(noiseFloor?.['valueDbfs'], 'dB')}, wanted at most ` +
        text(noiseFloor?.['maxDbfs']),
    ],
  ];
}

/** The result of `probe` as text. */
export function probeReport(subject: string, facts: MediaFacts): string {
  const { path: _path, ...rest } = facts;
  return `${subject}\n${table(mediaRows(rest as unknown as JsonObject, ' by its header'))}`;
}

/** The rows that a probe and an analysis share; only the latter counts the length. */
function mediaRows(facts: JsonObject, lengthSource: string): Row[] {
  const audio = facts['audio'] === null ? null : object(facts['audio']);
  const video = facts['video'] === null ? null : object(facts['video']);
  const cover = facts['cover'] === null ? null : object(facts['cover']);
  const chapters = (facts['chapters'] ?? []) as JsonObject[];
  const tags = Object.entries(object(facts['tags']));
  const duration = facts['durationSeconds'];
  return [
    ['Format', `${text(facts['format'])}, ${formatBytes(Number(facts['sizeBytes']))}${bitRate(facts['bitRateBps'])}`],
    ['Length', typeof duration === 'number' ? `${formatClock(duration)}${lengthSource}` : 'unknown'],
    [
      'Audio',
      audio === null
        ? 'none'
        : `${text(audio['codec'])}, ${withUnit(audio['sampleRate'], 'Hz', 0)}, ` +
          `${text(audio['layout'])}${audio['bitsPerSample'] === null ? '' : `, ${text(audio['bitsPerSample'])} bits`}${bitRate(audio['bitRateBps'])}`,
    ],
    ...(video === null
      ? []
      : [
          [
            'Video',
            `${text(video['codec'])}, ${text(video['width'])} x ` +
              `${text(video['height'])}${video['frameRate'] === null ? '' : `, ${withUnit(video['frameRate'], 'frames/s', 2)}`}`,
          ] as const,
        ]),
    ...(cover === null
      ? []
      : [['Cover', `${text(cover['codec'])}, ${text(cover['width'])} x ${text(cover['height'])}`] as const]),
    ...trackRows((facts['streams'] ?? []) as JsonObject[]),
    ...tags.map(([name, value], index): Row => [index === 0 ? 'Tags' : '', `${name}: ${text(value)}`]),
    ...chapters.map(({ startSeconds, title }, index): Row => [
      index === 0 ? 'Chapters' : '',
      `${formatClock(Number(startSeconds))} ${text(title)}`,
    ]),
  ];
}

/** Of a file with more than one sound and one picture: sounds with the numbers that `--track` takes. */
function trackRows(streams: readonly JsonObject[]): Row[] {
  const count = (type: string): number => streams.filter((stream) => stream['type'] === type).length;
  const isUsual =
    count('audio') <= 1 && count('video') <= 1 && count('audio') + count('video') + count('cover') === streams.length;
  if (isUsual && streams.every(({ type, decodable }) => type === 'cover' || decodable === true)) return [];
  return streams.map(({ type, codec, language, decodable, track }, index): Row => {
    const name = typeof track === 'number' ? `sound ${track}` : text(type);
    const words = [language, codec].filter((word) => typeof word === 'string');
    const isLost = decodable === false && (type === 'audio' || type === 'video');
    return [index === 0 ? 'Tracks' : '', `${name} (${words.join(', ')})${isLost ? ': cannot be decoded' : ''}`];
  });
}

function bitRate(bitsPerSecond: JsonValue | undefined): string {
  return typeof bitsPerSecond === 'number' ? `, ${Math.round(bitsPerSecond / 1000)} kbit/s` : '';
}

function object(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null).replace(/^null$/, 'unknown');
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  if (bytes < 1e9) return `${(bytes / 1e6).toFixed(1)} MB`;
  return `${(bytes / 1e9).toFixed(2)} GB`;
}
