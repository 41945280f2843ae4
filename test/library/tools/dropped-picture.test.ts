// A film turned into a sound file loses its picture: the plan says so before anybody pays, with the format that was
// asked for, and only then.
import { describe, expect, it } from 'vitest';
import type { InputFacts } from '../../../src/library/contract/tool-inputs.ts';
import { requireTool } from '../../../src/library/tools/registry.ts';

const sound: InputFacts = { format: 'wav', durationSeconds: 10, hasAudio: true, hasVideo: false };
const film: InputFacts = { format: 'mp4', durationSeconds: 10, hasAudio: true, hasVideo: true };

function notesOf(id: string, inputs: Record<string, readonly InputFacts[]>, options: unknown): readonly string[] {
  const tool = requireTool(id);
  return tool.plan(inputs, tool.parseOptions(options)).notes ?? [];
}
const dropped = expect.stringMatching(/^The picture is dropped: mp3 holds sound only$/) as string;

describe.each([
  ['adjust_loudness', 'output_format'],
  ['convert_audio', 'format'],
  ['enhance_voice', 'output_format'],
  ['remove_noise', 'output_format'],
])('%s', (id, option) => {
  it('says that the picture goes, where there is one and the format holds none', () => {
    expect(notesOf(id, { file_id: [film] }, { [option]: 'mp3' })).toEqual([dropped]);
    expect(notesOf(id, { file_id: [sound] }, { [option]: 'mp3' })).toEqual([]);
  });
});

it.each(['adjust_loudness', 'enhance_voice', 'remove_noise'])('%s keeps it otherwise and says nothing', (id) => {
  expect(notesOf(id, { file_id: [film] }, { output_format: 'same' })).toEqual([]);
});

it('level_speakers: of one recording or of any track', () => {
  expect(notesOf('level_speakers', { file_id: [film] }, { output_format: 'mp3' })).toEqual([dropped]);
  expect(notesOf('level_speakers', { track_file_ids: [sound, film] }, { output_format: 'mp3' })).toEqual([dropped]);
  expect(notesOf('level_speakers', { track_file_ids: [sound, sound] }, { output_format: 'mp3' })).toEqual([]);
  expect(notesOf('level_speakers', { file_id: [film] }, { output_format: 'same' })).toEqual([]);
});

it('mix_tracks: of the first track, the only one whose picture could stay', () => {
  const later = "Only the first track's picture can be kept";
  expect(notesOf('mix_tracks', { tracks: [film, sound] }, { output_format: 'mp3' })).toEqual([dropped]);
  expect(notesOf('mix_tracks', { tracks: [film, film] }, { output_format: 'same' })).toEqual([later]);
  expect(notesOf('mix_tracks', { tracks: [sound, film] }, { output_format: 'mp3' })).toEqual([later]);
  expect(notesOf('mix_tracks', { tracks: [sound, sound] }, { output_format: 'mp3' })).toEqual([]);
});

it('join_audio: unless every file is a video and the format stays', () => {
  const goes = [
    'The picture is dropped: pictures are kept only when every file is a video and the output format is same',
  ];
  expect(notesOf('join_audio', { file_ids: [film, film] }, { output_format: 'mp3' })).toEqual(goes);
  expect(notesOf('join_audio', { file_ids: [film, sound] }, { output_format: 'same' })).toEqual(goes);
  expect(notesOf('join_audio', { file_ids: [sound, sound] }, { output_format: 'mp3' })).toEqual([]);
  expect(notesOf('join_audio', { file_ids: [film, film] }, { output_format: 'same' })).toEqual([
    expect.stringMatching(/^The output has the format of the first video/),
  ]);
});
