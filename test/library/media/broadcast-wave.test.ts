// Broadcast metadata and marks of WAV files through the tools that write WAV: what is there is read from the bytes
// here.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { probe } from '../../../src/library/media/read/probe.ts';
import { readMarks } from '../../../src/library/media/wave/markers.ts';
import { setTags } from '../../../src/library/media/write/set-tags.ts';
import { adjustLoudness } from '../../../src/library/tools/adjust_loudness/tool.ts';
import { convertAudio } from '../../../src/library/tools/convert_audio/tool.ts';
import { cutAudio } from '../../../src/library/tools/cut_audio/tool.ts';
import { joinAudio } from '../../../src/library/tools/join_audio/tool.ts';
import { removeNoise } from '../../../src/library/tools/remove_noise/tool.ts';
import { ffprobe, hasFfmpeg, readAll, scratch } from '../../fixtures/media/media.ts';
import { type ToolRun, runTool } from '../../fixtures/media/run-context.ts';
import { slow } from '../../fixtures/rounds.ts';

const at = scratch();
const rate = 48_000;
const seconds = 4;
/** Ten o'clock. */
const reference = 36_000 * rate;

const u32 = (...values: number[]): Buffer => {
  const data = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) data.writeUInt32LE(value, 4 * index);
  return data;
};
const chunk = (id: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(id, 'latin1'), u32(body.length), body, Buffer.alloc(body.length % 2)]);
};

function extension(version: number): Buffer {
  const body = Buffer.alloc(602);
  body.write('sSCENE=12A', 0);
  body.write('RECORDER', 256);
  body.write('REF1', 288);
  body.write('2026-11-28', 320);
  body.write('10:00:00', 330);
  body.writeBigUInt64LE(BigInt(reference), 338);
  body.writeUInt16LE(version, 346);
  body.fill(7, 348, 412);
  for (const [field, value] of [-2300, 500, -100, -2000, -2100].entries()) body.writeInt16LE(value, 412 + 2 * field);
  return Buffer.concat([body, Buffer.from('A=PCM,F=48000,W=16,M=mono,T=RECORDER\r\n')]);
}

const ixml = (stamp = reference, changed = ''): string =>
  `<?xml version="1.0" encoding="UTF-8"?><BWFXML><SCENE>12A é</SCENE><SPEED>` +
  `<FILE_SAMPLE_RATE>48000</FILE_SAMPLE_RATE><AUDIO_BIT_DEPTH>16</AUDIO_BIT_DEPTH>` +
  `<TIMESTAMP_SAMPLE_RATE>48000</TIMESTAMP_SAMPLE_RATE>` +
  `<TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI>0</TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI>` +
  `<TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO>${stamp}</TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO></SPEED>${changed}</BWFXML>`;

const marks: [frame: number, label: string][] = [
  [0.5 * rate, 'One'],
  [1.5 * rate, 'Two'],
  [3 * rate, 'Three'],
];

type Kind = 'RIFF' | 'RF64' | 'BW64' | 'riff';

/** A file of chunks; Wave64 names them by GUIDs, and its sizes have eight bytes and count the head. */
function container(kind: Kind, chunks: [id: string, body: Buffer][]): Buffer {
  if (kind === 'riff') {
    const tail = Buffer.from('f3acd3118cd100c04f8edb8a', 'hex');
    const parts = chunks.map(([id, body]) => {
      const size = Buffer.alloc(8);
      size.writeBigUInt64LE(BigInt(24 + body.length));
      const name = id === 'LIST' ? 'list' : id;
      return Buffer.concat([Buffer.from(name), tail, size, body, Buffer.alloc((8 - (body.length % 8)) % 8)]);
    });
    const all = Buffer.concat([Buffer.from('wave'), tail, ...parts]);
    const size = Buffer.alloc(8);
    size.writeBigUInt64LE(BigInt(all.length + 24));
    return Buffer.concat([Buffer.from('riff'), Buffer.from('2e91cf11a5d628db04c10000', 'hex'), size, all]);
  }
  const sound = chunks.find(([id]) => id === 'data')?.[1].length ?? 0;
  const sizes = Buffer.alloc(28);
  sizes.writeBigUInt64LE(BigInt(sound), 8);
  const parts = chunks.map(([id, body]) => chunk(id, body));
  const body = Buffer.concat([Buffer.from('WAVE'), ...(kind === 'RIFF' ? [] : [chunk('ds64', sizes)]), ...parts]);
  const whole = Buffer.concat([Buffer.from(kind), u32(kind === 'RIFF' ? body.length : 0xffff_ffff), body]);
  if (kind !== 'RIFF') {
    whole.writeBigUInt64LE(BigInt(body.length), 20);
    whole.writeUInt32LE(0xffff_ffff, whole.indexOf('data') + 4);
  }
  return whole;
}

interface Given {
  /** Default: RIFF. */
  readonly kind?: Kind;
  readonly version?: number;
  /** Default: marks have names. */
  readonly nameless?: boolean;
  readonly further?: [id: string, body: Buffer][];
}

function broadcast(name: string, { kind = 'RIFF', version = 2, nameless = false, further = [] }: Given = {}): string {
  const sound = Buffer.alloc(2 * rate * seconds);
  for (let frame = 0; frame < rate * seconds; frame += 1)
    sound.writeInt16LE(Math.round(3000 * Math.sin((2 * Math.PI * 440 * frame) / rate)), 2 * frame);
  const format = Buffer.from([1, 0, 1, 0, 0x80, 0xbb, 0, 0, 0, 0x77, 1, 0, 2, 0, 16, 0]);
  const points = marks.map(([frame], index) => [u32(index + 1, frame), Buffer.from('data'), u32(0, 0, frame)]).flat();
  const labels = marks.map(([, label], index) => chunk('labl', u32(index + 1), Buffer.from(`${label}\0`)));
  // The second one is a region of half a second.
  const region = chunk('ltxt', u32(2, rate / 2), Buffer.from('rgn '), Buffer.alloc(8));
  const info = ['INAMA name', 'ISBJA subject'].map((text) =>
    chunk(text.slice(0, 4), Buffer.from(`${text.slice(4)}\0`)),
  );
  const loops = [u32(0, 0, 20_833, 60, 0, 0, 0, 1, 0), u32(9, 0, 3 * rate, 3 * rate + 99, 0, 0)];
  const path = at(name);
  writeFileSync(
    path,
    container(kind, [
      ['bext', extension(version)],
      ['fmt ', format],
      ['data', sound],
      ['iXML', Buffer.from(ixml())],
      ['cue ', Buffer.concat([u32(marks.length), ...points])],
      ...(nameless ? [] : [['LIST', Buffer.concat([Buffer.from('adtl'), ...labels, region])] as [string, Buffer]]),
      ['smpl', Buffer.concat(loops)],
      ['LIST', Buffer.concat([Buffer.from('INFO'), ...info])],
      ...further,
    ]),
  );
  return path;
}

/** Chunks of a file by their names, of a list by its own. */
function chunksOf(path: string): Map<string, Buffer> {
  const data = readFileSync(path);
  const found = new Map<string, Buffer>();
  expect(data.readUInt32LE(4)).toBe(data.length - 8);
  for (let place = 12; place + 8 <= data.length;) {
    const [id, size] = [data.toString('latin1', place, place + 4), data.readUInt32LE(place + 4)];
    const body = data.subarray(place + 8, place + 8 + size);
    found.set(id === 'LIST' ? body.toString('latin1', 0, 4) : id, id === 'LIST' ? body.subarray(4) : body);
    place += 8 + size + (size % 2);
  }
  return found;
}

/** Marks as [frame, label, frames of its region]. */
function marksOf(path: string): [number, string, number][] {
  const found = chunksOf(path);
  const points = found.get('cue ');
  const list = found.get('adtl') ?? Buffer.alloc(0);
  const said = new Map<number, { label?: string; frames?: number }>();
  for (let place = 0; place + 8 <= list.length;) {
    const [id, size] = [list.toString('latin1', place, place + 4), list.readUInt32LE(place + 4)];
    const number = list.readUInt32LE(place + 8);
    const text = list.subarray(place + 12, place + 8 + size);
    const before = said.get(number) ?? {};
    said.set(
      number,
      id === 'labl'
        ? { ...before, label: text.toString().split('\0')[0] ?? '' }
        : { ...before, frames: text.readUInt32LE(0) },
    );
    place += 8 + size + (size % 2);
  }
  return Array.from({ length: points?.readUInt32LE(0) ?? 0 }, (_, index) => {
    const own = said.get(points?.readUInt32LE(4 + 24 * index) ?? 0) ?? {};
    return [points?.readUInt32LE(24 + 24 * index) ?? -1, own.label ?? '', own.frames ?? 0];
  });
}

const bextOf = (path: string): { reference: number; loudness: number[]; history: string; head: string } => {
  const body = chunksOf(path).get('bext') ?? Buffer.alloc(602);
  return {
    reference: Number(body.readBigUInt64LE(338)),
    loudness: [0, 1, 2, 3, 4].map((field) => body.readInt16LE(412 + 2 * field)),
    history: body.toString('latin1', 602).replace(/\0+$/u, ''),
    head: body.toString('latin1', 0, 338) + body.toString('hex', 346, 412),
  };
};
const saidOf = ({ warnings }: ToolRun): string[] =>
  warnings.filter(({ code }) => code === 'chunks_dropped' || code === 'marks_removed').map(({ message }) => message);

const history = 'A=PCM,F=48000,W=16,M=mono,T=RECORDER\r\nA=PCM,F=48000,W=16,M=mono,T=Earshot\r\n';
const allMarks = [
  [0.5 * rate, 'One', 0],
  [1.5 * rate, 'Two', rate / 2],
  [3 * rate, 'Three', 0],
];
const unstated = Array.from({ length: 5 }, () => 0x7fff);

it('a cut moves the time reference, iXML, marks, regions and loops, and says which marks are gone', async () => {
  const source = broadcast('cut.wav');
  const run = await runTool(cutAudio, source, { ranges: [[0, 1.75]], crossfade_ms: 0 }, at('cut-'));
  const bext = bextOf(run.path);
  expect(bext.reference).toBe(reference + 1.75 * rate);
  expect(bext.head).toBe(bextOf(source).head);
  expect(bext.history).toBe(history);
  expect(bext.loudness).toEqual(unstated);
  expect(chunksOf(run.path).get('iXML')?.toString()).toBe(ixml(reference + 1.75 * rate));
  expect(marksOf(run.path)).toEqual([
    [0, 'Two', rate / 4],
    [1.25 * rate, 'Three', 0],
  ]);
  const loops = chunksOf(run.path).get('smpl');
  expect([loops?.readUInt32LE(28), loops?.readUInt32LE(44), loops?.readUInt32LE(48)]).toEqual([
    1,
    1.25 * rate,
    1.25 * rate + 99,
  ]);
  expect(saidOf(run)).toEqual(['Marks in what was cut are not in the output: One']);
  expect(probe(run.path).chapters.map(({ title }) => title)).toEqual(['Two', 'Three']);
  if (hasFfmpeg) expect(ffprobe(run.path).format.tags?.['time_reference']).toBe(String(reference + 1.75 * rate));
});

it('another sample rate scales what counts samples', async () => {
  const { path } = await runTool(
    convertAudio,
    broadcast('rate.wav'),
    { format: 'wav', sample_rate: 24_000 },
    at('rate-'),
  );
  expect(bextOf(path).reference).toBe(reference / 2);
  expect(bextOf(path).history.endsWith('A=PCM,F=24000,W=16,M=mono,T=Earshot\r\n')).toBe(true);
  expect(marksOf(path)).toEqual(
    allMarks.map(([frame, label, frames]) => [Number(frame) / 2, label, Number(frames) / 2]),
  );
  const text = chunksOf(path).get('iXML')?.toString() ?? '';
  expect(text).toContain(`<TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO>${reference / 2}</`);
  expect(text).toContain('<FILE_SAMPLE_RATE>24000</');
  expect(text).toContain('<TIMESTAMP_SAMPLE_RATE>24000</');
});

it('loudness states what it measured in version 2, and leaves version 1 as it is', async () => {
  const { path, result } = await runTool(adjustLoudness, broadcast('loud.wav'), {}, at('loud-'));
  const { integratedLufs, truePeakDbtp } = result['output'] as { integratedLufs: number; truePeakDbtp: number };
  const { loudness, reference: moved } = bextOf(path);
  expect(moved).toBe(reference);
  expect((loudness[0] as number) / 100).toBeCloseTo(integratedLufs, 1);
  expect((loudness[2] as number) / 100).toBeCloseTo(truePeakDbtp, 1);
  expect(marksOf(path)).toEqual(allMarks);
  const first = await runTool(adjustLoudness, broadcast('first.wav', { version: 1 }), {}, at('loud-'));
  expect(bextOf(first.path).loudness).toEqual([-2300, 500, -100, -2000, -2100]);
});

it(
  'noise removal, conversion and other tags keep all; what FFmpeg took for tags is not there twice',
  slow,
  async () => {
    const source = broadcast('keep.wav', { further: [['abcd', u32(1)]] });
    for (const run of [
      await runTool(removeNoise, source, {}, at('keep-')),
      await runTool(convertAudio, source, { format: 'wav' }, at('keep-')),
    ]) {
      expect(bextOf(run.path)).toMatchObject({ reference, history, head: bextOf(source).head });
      expect(marksOf(run.path)).toEqual(allMarks);
      expect(chunksOf(run.path).get('iXML')?.toString()).toBe(ixml());
      expect(saidOf(run)).toEqual(['Not in the output are parts of the WAV file: abcd']);
      expect([...chunksOf(run.path).keys()]).toEqual(expect.arrayContaining(['INFO', 'smpl']));
      expect(chunksOf(run.path).has('id3 ')).toBe(false);
      expect(chunksOf(run.path).get('INFO')?.includes('A subject')).toBe(true);
    }
    const tagged = at('tagged.wav');
    await setTags(source, tagged, { tags: { title: 'Other' } }, { signal: new AbortController().signal });
    expect(bextOf(tagged)).toEqual(bextOf(source));
    expect(marksOf(tagged)).toEqual(allMarks);
  },
);

it('join has the first file’s metadata and the marks of all', async () => {
  const inputs = { file_ids: [broadcast('first.wav'), broadcast('second.wav')] };
  const { path } = await runTool(joinAudio, inputs, { crossfade_ms: 0, match_loudness: false }, at('join-'));
  expect(bextOf(path).reference).toBe(reference);
  expect(marksOf(path)).toEqual([
    ...allMarks,
    ...allMarks.map(([frame, label, frames]) => [Number(frame) + seconds * rate, label, frames]),
  ]);
  expect(readAll(path).frames).toBe(2 * seconds * rate);
});

it('elsewhere marks with names are chapters, and what has no place is named', async () => {
  const flac = await runTool(convertAudio, broadcast('to.wav'), { format: 'flac' }, at('flac-'));
  expect(probe(flac.path).chapters.map(({ startSeconds, title }) => [startSeconds, title])).toEqual([
    [0.5, 'One'],
    [1.5, 'Two'],
    [3, 'Three'],
  ]);
  expect(saidOf(flac)).toEqual([
    'Not in the output are parts of the WAV file: iXML, smpl: flac files have no place for them',
  ]);
  const nameless = await runTool(
    convertAudio,
    broadcast('nameless.wav', { nameless: true }),
    { format: 'flac' },
    at('flac-'),
  );
  expect(probe(nameless.path).chapters).toEqual([]);
  expect(saidOf(nameless)[0]).toMatch(/iXML, smpl, 3 cue points without a name: flac/u);
});

it('objects of channels stay with the channels and the times that they are for', async () => {
  const axml = (text: string): [string, Buffer] => ['axml', Buffer.from(text)];
  const chna: [string, Buffer] = ['chna', Buffer.alloc(44, 1)];
  const options = { ranges: [[0, 1]], crossfade_ms: 0 };
  const timeless = broadcast('adm.wav', { further: [axml('<audioChannelFormat/>'), chna] });
  expect([...chunksOf((await runTool(cutAudio, timeless, options, at('adm-'))).path).keys()]).toEqual(
    expect.arrayContaining(['axml', 'chna']),
  );
  const timed = broadcast('timed.wav', { further: [axml('<audioBlockFormat rtime="00:00:01"/>'), chna] });
  const cut = await runTool(cutAudio, timed, options, at('adm-'));
  expect(chunksOf(cut.path).has('axml')).toBe(false);
  expect(saidOf(cut).join(' ')).toContain('axml, chna');
  const mixed = await runTool(convertAudio, timed, { format: 'wav', channels: 'stereo' }, at('adm-'));
  expect(saidOf(mixed).join(' ')).toContain('axml, chna');
});

it('lists without end and chunks that are cut off cost nothing and stop nothing', async () => {
  const labels = Buffer.concat(Array.from({ length: 10_000 }, () => chunk('labl', u32(1), Buffer.from('No end\0'))));
  const found = readMarks([
    { id: 'cue ', body: Buffer.concat([u32(0xffff_ffff), u32(1, 0), Buffer.from('data'), u32(0, 0, 9)]) },
    { id: 'adtl', body: labels },
  ]);
  expect(found).toHaveLength(1);
  expect(found[0]?.texts.length).toBeLessThan(100);
  const cut = at('cut-off.wav');
  writeFileSync(cut, readFileSync(broadcast('whole.wav')).subarray(0, -70));
  const { path } = await runTool(convertAudio, cut, { format: 'wav' }, at('cut-off-'));
  expect(bextOf(path).reference).toBe(reference);
  const open = broadcast('open.wav', { further: [['iXML', Buffer.from('<BWFXML><SYNC_POINT_LIST><SYNC_POINT>')]] });
  expect(saidOf(await runTool(convertAudio, open, { format: 'wav' }, at('open-')))).toEqual([]);
});

it.each(['RF64', 'BW64', 'riff'] as const)('is the same from %s', async (kind) => {
  const source = broadcast(`${kind}.wav`, { kind });
  const run = await runTool(cutAudio, source, { ranges: [[0, 1]], crossfade_ms: 0 }, at('kinds-'));
  expect(readAll(run.path).frames).toBe(3 * rate);
  expect(bextOf(run.path)).toMatchObject({ reference: reference + rate, history });
  expect(marksOf(run.path)).toEqual([
    [0.5 * rate, 'Two', rate / 2],
    [2 * rate, 'Three', 0],
  ]);
});
