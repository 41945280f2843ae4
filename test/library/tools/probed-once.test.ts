// A run looks at a file once: what it holds is found by one probe, and whatever reads its sound takes that.
import { writeFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import type { ToolId } from '../../../src/library/contract/tool-ids.ts';
import { requireTool } from '../../../src/library/tools/registry.ts';
import type { TestInput } from '../../fixtures/media/input-files.ts';
import { needFfmpeg, readAll, scratch, writeAll } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { makeVideo } from '../../fixtures/media/videos.ts';
import { recording } from '../../fixtures/recordings.ts';
import { slow, slower } from '../../fixtures/rounds.ts';
import { speechRun } from '../../fixtures/speech.ts';

const { probed } = vi.hoisted(() => ({ probed: [] as string[] }));
// Every probe reads the chapters, and nothing else does.
vi.mock('../../../src/library/media/chapters/chapters.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../../src/library/media/chapters/chapters.ts')>();
  return {
    ...original,
    readChapters(...given: Parameters<typeof original.readChapters>) {
      probed.push(given[0]);
      return original.readChapters(...given);
    },
  };
});
const at = scratch();
type Kind = 'wav' | 'mp3' | 'mp4';

/** Three seconds of speech with two chapters, as far as the format holds any. */
function speech(kind: Kind, name = 'speech'): string {
  const { planes, format } = readAll(recording('jfk.wav'));
  const said = planes.map((plane) => plane.slice(0, 3 * format.sampleRate));
  const path = at(`${name}.${kind}`);
  if (kind === 'wav') return writeWav(path, said, format.sampleRate);
  const chapters = ['One', 'Two'].map((title, index) => ({
    startSeconds: 1.5 * index,
    endSeconds: 1.5 * (index + 1),
    title,
  }));
  if (kind === 'mp3') return writeAll(path, said, format.sampleRate, { format: 'mp3', chapters }).path;
  const marks = at('chapters.txt');
  const lines = chapters.map(
    ({ title, startSeconds, endSeconds }) =>
      `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${1000 * startSeconds}\nEND=${1000 * endSeconds}\ntitle=${title}\n`,
  );
  writeFileSync(marks, `;FFMETADATA1\n${lines.join('')}`);
  return makeVideo(path, said, format.sampleRate, {
    input: ['-f', 'ffmetadata', '-i', marks],
    output: ['-map_chapters', '2'],
  });
}

const given: Readonly<Record<ToolId, object>> = {
  adjust_loudness: {},
  analyze_audio: {},
  check_audio: {},
  change_speed: {},
  label_audio: { title: 'Ask not' },
  convert_audio: { format: 'flac' },
  cut_audio: { ranges: [[0.5, 1]] },
  remove_silence: {},
  join_audio: {},
  replace_audio: {},
  level_speakers: {},
  mix_tracks: { tracks: [{ role: 'voice' }, { role: 'music' }] },
  remove_noise: {},
  enhance_voice: {},
  transcribe_audio: {},
  align_recordings: {},
  align_script: { text: 'And so, my fellow Americans' },
  remove_fillers: {},
  redact_audio: { words: ['Americans'] },
  burn_captions: {},
};
const everyTool = Object.keys(given) as ToolId[];

function inputsOf(id: ToolId, kind: Kind): Record<string, TestInput[]> {
  const source = speech(kind);
  if (id === 'align_recordings' || id === 'join_audio') return { file_ids: [source, speech('wav', 'other')] };
  if (id === 'mix_tracks') return { tracks: [source, speech('wav', 'other')] };
  if (id === 'burn_captions') {
    const texts = at('captions.srt');
    writeFileSync(texts, '1\n00:00:00,500 --> 00:00:02,000\nAnd so\n');
    return { file_id: [speech('mp4', 'film')], captions_file_id: [texts] };
  }
  if (id === 'replace_audio') return { video_file_id: [speech('mp4', 'film')], audio_file_id: [source] };
  return { file_id: [source], ...(id === 'level_speakers' ? { track_file_ids: [] } : {}) };
}

/** Runs a tool, and counts the looks at each file that it reads or writes. */
async function looks(id: ToolId, kind: Kind): Promise<number[]> {
  const inputs = inputsOf(id, kind);
  probed.length = 0;
  const { fanOut, signal } = speechRun();
  await runTool(requireTool(id) as never, inputs, given[id], at(`${id}-`), signal, undefined, fanOut);
  // Texts are not looked at.
  const media = Object.values(inputs)
    .flat()
    .filter((path) => !String(path).endsWith('.srt'));
  return [...media, ...probed].map((path) => probed.filter((each) => each === path).length);
}

async function expectOneEach(id: ToolId, kind: Kind): Promise<void> {
  const found = await looks(id, kind);
  expect(found).toEqual(found.map(() => 1));
}

it.for(['adjust_loudness', 'convert_audio'] as const)('%s looks once at a WAV', (id) => expectOneEach(id, 'wav'));

it.for(everyTool)('%s looks once at a film with chapters', slow, async (id, context) => {
  needFfmpeg(context);
  await expectOneEach(id, 'mp4');
});

it.for(everyTool)('%s looks once at a WAV and at an MP3', slower, async (id, context) => {
  if (id === 'replace_audio') needFfmpeg(context);
  await expectOneEach(id, 'wav');
  await expectOneEach(id, 'mp3');
});
