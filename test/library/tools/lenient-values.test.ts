// Arguments as models write them, against the parsers of the tools, which are strict.
import { describe, expect, it } from 'vitest';
import type { ToolId } from '../../../src/library/contract/tool-ids.ts';
import { lenientValues } from '../../../src/library/tools/lenient-values.ts';
import { requireTool } from '../../../src/library/tools/registry.ts';

const read = (id: ToolId, given: Record<string, unknown>): object => {
  const { options, optionRules, parseOptions } = requireTool(id);
  return parseOptions(lenientValues(options.properties ?? {}, given, optionRules));
};

describe('what a model writes is taken', () => {
  it.each<[string, ToolId, Record<string, unknown>, object]>([
    ['a number as text', 'cut_audio', { ranges: [[0, 1]], crossfade_ms: '20' }, { crossfade_ms: 20 }],
    ['a number with its unit', 'cut_audio', { ranges: [[0, 1]], crossfade_ms: '20 ms' }, { crossfade_ms: 20 }],
    [
      'time codes in pairs',
      'cut_audio',
      {
        ranges: [
          ['1:02', '1:03.5'],
          ['0', 1],
        ],
      },
      {
        ranges: [
          [62, 63.5],
          [0, 1],
        ],
      },
    ],
    [
      'a list of ranges as text',
      'cut_audio',
      { ranges: '0:10-0:20, 1:00-1:02' },
      {
        ranges: [
          [10, 20],
          [60, 62],
        ],
      },
    ],
    ['a list as JSON in a text', 'cut_audio', { ranges: '[[1, "0:02"]]' }, { ranges: [[1, 2]] }],
    ['ranges as objects', 'cut_audio', { ranges: [{ start: '0:01', end: 2 }] }, { ranges: [[1, 2]] }],
    ['a loudness for a target', 'adjust_loudness', { target: -19 }, { target: 'custom', custom_lufs: -19 }],
    ['a loudness in words', 'adjust_loudness', { target: '-19 LUFS' }, { target: 'custom', custom_lufs: -19 }],
    ['a loudness of a mix', 'mix_tracks', { target: '-23' }, { target: 'custom', custom_lufs: -23 }],
    ['yes as text', 'remove_noise', { auto_volume: 'false' }, { auto_volume: false }],
    ['a choice in other letters', 'convert_audio', { format: '.FLAC' }, { format: 'flac' }],
    ['a bit rate with k', 'convert_audio', { format: 'mp3', bitrate_kbps: '128k' }, { bitrate_kbps: 128 }],
    ['a rate in kHz', 'convert_audio', { sample_rate: '44.1 kHz' }, { sample_rate: 44_100 }],
    ['a rate as text', 'convert_audio', { sample_rate: '48000' }, { sample_rate: 48_000 }],
    ['a percentage', 'remove_noise', { noise_reduction: '80%' }, { noise_reduction: 80 }],
    ['null for what is left out', 'convert_audio', { format: 'wav', bitrate_kbps: null }, { format: 'wav' }],
    ['a language by its name', 'transcribe_audio', { language: 'German' }, { language: 'de' }],
    [
      'what is in objects of a list',
      'mix_tracks',
      { tracks: [{ role: 'Voice', volume_db: '-3 dB' }, {}] },
      { tracks: [{ role: 'voice', volume_db: -3 }, {}] },
    ],
    ['a pause as a time code', 'remove_silence', { min_pause_seconds: '0:01.5' }, { min_pause_seconds: 1.5 }],
  ])('%s', (_name, id, given, expected) => {
    expect(read(id, given)).toMatchObject(expected);
  });
});

describe('what has no plain meaning is refused as before', () => {
  it.each<[string, ToolId, Record<string, unknown>, RegExp]>([
    ['a word for a number', 'cut_audio', { ranges: [[0, 1]], crossfade_ms: 'short' }, /integer between 0 and 200/],
    ['a time for milliseconds', 'cut_audio', { ranges: [[0, 1]], crossfade_ms: '0:20' }, /integer between 0 and 200/],
    ['a loudness that no target has', 'adjust_loudness', { target: -99 }, /between -30 and -5/],
    ['two loudnesses', 'adjust_loudness', { target: -19, custom_lufs: -16 }, /target/],
    ['an unknown target', 'adjust_loudness', { target: 'loud' }, /one of podcast, streaming/],
    ['an unknown field', 'convert_audio', { volume: '3' }, /volume/],
    ['half a range', 'cut_audio', { ranges: [['0:10']] }, /ranges/],
  ])('%s', (_name, id, given, message) => {
    expect(() => read(id, given)).toThrow(message);
  });
});
