import { describe, expect, it } from 'vitest';
import { acceptApiForms, formatByName } from '../../src/cli/tool/flags.ts';
import { requireTool, tools } from '../../src/library/tools/registry.ts';

const accept = (line: string): string => acceptApiForms(line.split(' '), tools).join(' ');

describe('acceptApiForms', () => {
  it.each([
    ['convert a_b.wav --bitrate_kbps 64', 'convert a_b.wav --bitrate-kbps 64'],
    ['convert a.wav --bitrate_kbps=64 -o x_y.mp3', 'convert a.wav --bitrate-kbps=64 -o x_y.mp3'],
    ['join a.wav b.wav --match_loudness false -o c.wav', 'join a.wav b.wav --no-match-loudness -o c.wav'],
    ['join --match-loudness true a.wav b.wav', 'join --match-loudness a.wav b.wav'],
    ['join --match-loudness=false a.wav', 'join --no-match-loudness a.wav'],
    ['join --match-loudness a.wav', 'join --match-loudness a.wav'],
    ['convert -- --my_file.wav false', 'convert -- --my_file.wav false'],
    ['adjust_loudness adjust_loudness.wav', 'loudness adjust_loudness.wav'],
    ['cut a.wav --ranges [[0,1]]', 'cut a.wav --ranges [[0,1]]'],
  ])('%s', (typed, accepted) => {
    expect(accept(typed)).toBe(accepted);
  });
});

describe('formatByName', () => {
  it.each([
    ['convert', {}, 'a.wav', 'b.flac', { format: 'flac' }],
    ['convert', {}, 'a.wav', 'b.WAV', { format: 'wav' }],
    ['convert', { format: 'wav' }, 'a.wav', 'b.flac', {}],
    ['convert', {}, 'a.wav', 'b', {}],
    ['convert', {}, 'a.wav', '/dev/null', {}],
    ['loudness', {}, 'film.mp4', 'b.mp3', { output_format: 'mp3' }],
    // Its own format: a file that stays what it is keeps its bit depth and bit rate.
    ['loudness', {}, 'a.mp3', 'b.mp3', {}],
    ['loudness', {}, 'a.mp4', 'b.mkv', {}],
    // It has a way of its own: --formats.
    ['transcribe', {}, 'a.wav', 'b.srt', {}],
    ['media-info', {}, 'a.wav', 'b.wav', {}],
  ] as const)('%s %j %s -o %s', (tool, typed, input, output, format) => {
    expect(formatByName(requireTool(tool), typed, input, output)).toEqual(format);
  });
});
