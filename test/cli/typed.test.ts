// Flags, values and commands of other programs, in words of ours.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { readTyped, untilEnd } from '../../src/cli/tool/typed-values.ts';
import { asTyped } from '../../src/cli/tool/as-typed.ts';
import { filesAsMeant } from '../../src/cli/tool/typed-files.ts';
import { requireTool } from '../../src/library/tools/registry.ts';
import { earshot, useFolder } from './support.ts';

const program = await createProgram({ signal: new AbortController().signal, finish: () => undefined });
const meant = (line: string): string => asTyped(line.split(' '), program).join(' ');

it('the list of commands shows of each what the command itself takes', async () => {
  const { stdout } = await earshot('.', ['--help']);
  // The commands that the list knows by their heads, and the same ones defined.
  const linesOf = (help: string): string[] => help.split('\n').filter((line) => /^ {2}[a-z]/.test(line));
  const defined = linesOf(program.helpInformation());
  expect(defined.length).toBeGreaterThan(40);
  expect(linesOf(stdout)).toEqual(defined);
});

describe('what is typed', () => {
  it.each([
    ['loudness talk.wav -19', 'loudness talk.wav --target -19'],
    ['loudness talk.wav -t -19', 'loudness talk.wav --target -19'],
    ['normalize talk.wav --lufs=-19', 'loudness talk.wav --target -19'],
    ['loudness talk.wav -ext mp3', 'loudness talk.wav --output-format mp3'],
    ['loudness --out 2 talk.wav', 'loudness talk.wav --fade-out-seconds 2'],
    ['loudness --out x.mp3 talk.wav', 'loudness talk.wav --output x.mp3'],
    ['loudness a.wav b.wav --out-dir out', 'loudness a.wav b.wav --output out/'],
    [
      'convert -i talk.wav -b:a 96k -ar 16k -ac 1',
      'convert talk.wav --bitrate-kbps 96k --sample-rate 16k --channels 1',
    ],
    ['convert talk.wav -f flac --stereo', 'convert talk.wav --format flac --channels stereo'],
    ['resample talk.flac 16000', 'convert talk.flac --sample-rate 16000 --format flac'],
    ['resample talk.flac 16000 -o x.wav', 'convert talk.flac --output x.wav --sample-rate 16000'],
    ['gain talk.wav +3dB', 'loudness talk.wav --gain-db +3dB'],
    ['gain talk.wav 3', 'loudness talk.wav --gain-db 3'],
    ['volume talk.wav -3', 'loudness talk.wav --gain-db -3'],
    ['amplify talk.wav 3dB', 'loudness talk.wav --gain-db 3dB'],
    ['gain talk.wav --gain-db 2', 'loudness talk.wav --gain-db 2'],
    ['fade talk.wav --in 1 --out 0:02', 'loudness talk.wav --fade-in-seconds 1 --fade-out-seconds 0:02 --gain-db 0'],
    ['fade --help', 'loudness --help'],
    ['fade talk.wav --in 1 -t -16', 'loudness talk.wav --fade-in-seconds 1 --target -16'],
    ['transcribe talk.wav -f srt -l en', 'transcribe talk.wav --formats srt --language en'],
    ['translate talk.wav', 'transcribe talk.wav --translate'],
    ['cut talk.wav -ss 1:00 -t 30', 'cut talk.wav --ranges 60-90 --mode keep'],
    ['cut talk.wav -ss 2 -to 4', 'cut talk.wav --ranges 2-4 --mode keep'],
    ['cut talk.wav -ss 2', 'cut talk.wav --ranges 2-end --mode keep'],
    ['cut talk.wav --remove 2-8', 'cut talk.wav --ranges 2-8 --mode remove'],
    ['trim talk.wav 0:02 0:08', 'cut talk.wav --mode keep --ranges 0:02-0:08'],
    ['trim talk.wav 2-8', 'cut talk.wav --mode keep --ranges 2-8'],
    ['trim talk.wav --start 2', 'cut talk.wav --mode keep --ranges 2-end'],
    ['trim talk.wav --ranges 2-8 --mode remove', 'cut talk.wav --ranges 2-8 --mode remove'],
    ['split talk.wav --at 5', 'cut talk.wav --at 5 --mode keep --pieces separate'],
    ['join a.wav b.wav --crossfade 1.5', 'join a.wav b.wav --crossfade-ms 1500'],
    ['join a.wav b.wav --crossfade 300ms', 'join a.wav b.wav --crossfade-ms 300'],
    ['waveform a/talk.wav', 'peaks a/talk.wav --png a/talk.waveform.png'],
    ['spectrogram talk.wav -o x.png', 'peaks talk.wav --spectrogram x.png'],
    // What is ours stays as it is.
    ['transcribe a.wav -o -', 'transcribe a.wav --output -'],
    ['level-speakers --tracks a.wav b.wav -y', 'level-speakers --tracks a.wav b.wav --overwrite'],
    ['tags a.mp3 --set composer=Bach --title One', 'tags a.mp3 --set composer=Bach --title One'],
    ['loudness -- -19', 'loudness -- -19'],
    ['models list', 'models list'],
    ['nonsense a.wav', 'nonsense a.wav'],
  ])('%s', (line, words) => expect(meant(line)).toBe(words));

  it.each([
    ['deess talk.wav', /^There is no command deess/],
    ['convert talk.wav 5', /received 5, and there is no file of that name/],
    ['loudness talk.wav +3dB', /received \+3dB, and there is no file/],
    ['cut talk.wav 2 4', /Expected what is to be done with 2-4/],
    ['cut talk.wav --start 2 --end 4', /Expected what is to be done with 2-4/],
    ['trim talk.wav 1 2 3', /Expected times in pairs/],
    ['split talk.wav 5', /Expected what 5 is/],
    ['gain talk.wav', /Expected a number for gain/],
    ['resample talk.wav', /Expected a number for resample/],
    ['fade talk.wav', /Expected --fade-in-seconds or --fade-out-seconds/],
    ['loudness talk.wav -tp -2', /There is no -tp here/],
    ['cut talk.wav -ss 2 --keep 5-6', /Expected one way to say what is cut but received 2 and 5-6/],
    ['volume talk.wav 0.5', /Expected decibels for volume but received 0\.5/],
    ['amplify talk.wav 2', /Expected decibels for amplify but received 2/],
    ['stretch talk.wav 2', /^There is no command stretch/],
    ['bleep talk.wav 2-4', /received 2-4, and there is no file of that name/],
  ])('%s is refused before any work', (line, message) => {
    expect(() => meant(line)).toThrow(
      expect.objectContaining({ code: 'bad_request', message: expect.stringMatching(message) }),
    );
  });

  it('names the stretch that a word looks like, under the name that was typed', () => {
    expect(() => meant('bleep talk.wav 2-4')).toThrow(
      expect.objectContaining({ nextAction: 'As a stretch: earshot bleep talk.wav --ranges 2-4.' }),
    );
  });

  it.each([
    ['cut talk.wav --keep 2-8 --remove 3-4', /--ranges once but received 2-8 and 3-4/],
    ['cut talk.wav --keep 2-4 --keep 6-8', /--ranges once but received 2-4 and 6-8/],
    ['redact talk.wav --words Taylor --words Miller', /--words once but received Taylor and Miller/],
    ['redact talk.wav --patterns card --patterns=iban', /--patterns once but received card and iban/],
  ])('%s is refused: of two lists the last alone would count', async (line, message) => {
    const typed = await createProgram({ signal: new AbortController().signal, finish: () => undefined });
    const run = typed.parseAsync(asTyped(line.split(' '), typed), { from: 'user' });
    await expect(run).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(message),
      nextAction: expect.stringMatching(/with commas between/),
    });
  });

  it('has values as people write them', () => {
    const { properties = {} } = requireTool('convert').options;
    const read = (typed: object, of = properties): unknown => readTyped({ ...typed }, of);
    expect(read({ bitrate_kbps: '128k', sample_rate: '44.1kHz', channels: '1' })).toEqual({
      bitrate_kbps: 128,
      sample_rate: 44_100,
      channels: 'mono',
    });
    expect(read({ bitrate_kbps: '128000', sample_rate: '16000Hz', channels: 'stereo' })).toEqual({
      bitrate_kbps: 128,
      sample_rate: 16_000,
      channels: 'stereo',
    });
    const { properties: loudness = {} } = requireTool('loudness').options;
    expect(read({ gain_db: '+3dB', fade_in_seconds: '0:02' }, loudness)).toEqual({ gain_db: 3, fade_in_seconds: 2 });
    const { properties: cut = {} } = requireTool('cut').options;
    expect(read({ ranges: '2-end,1:00-1:10' }, cut)).toEqual({
      ranges: [
        [2, untilEnd],
        [60, 70],
      ],
    });
    expect(read({ bitrate_kbps: 'many' })).toEqual({ bitrate_kbps: 'many' });
  });
});

describe('files', () => {
  const folder = useFolder();
  const before = process.cwd();
  beforeEach(() => {
    const cwd = folder();
    process.chdir(cwd);
    for (const name of ['a.wav', 'b.wav', 'take 1.wav', 'film.mkv']) writeFileSync(join(cwd, name), '');
    mkdirSync('in');
  });
  afterEach(() => {
    process.chdir(before);
    vi.unstubAllEnvs();
  });
  const files = (tool: string, typed: readonly string[], output?: string, hasFormat = false) =>
    filesAsMeant(requireTool(tool), typed, output, hasFormat);

  it.each([
    ['convert', ['a.wav', 'x.mp3'], ['a.wav'], 'x.mp3'],
    ['join', ['a.wav', 'b.wav', 'x.mp3'], ['a.wav', 'b.wav'], 'x.mp3'],
    ['transcribe', ['a.wav', 'x.srt'], ['a.wav'], 'x.srt'],
    ['convert', ['a.wav', 'b.wav'], ['a.wav', 'b.wav'], undefined],
    ['convert', ['gone.wav'], ['gone.wav'], undefined],
    ['convert', ['-', '*.wav', 'in'], ['-', '*.wav', 'in'], undefined],
  ])('%s %j', (tool, typed, inputs, output) => {
    expect(files(tool, typed)).toEqual({ files: inputs, output });
  });

  it('asks what a name of another kind is that is there: a second run must do what the first did', () => {
    writeFileSync('c.mp3', '');
    expect(() => files('convert', ['a.wav', 'c.mp3'])).toThrow(
      expect.objectContaining({
        code: 'bad_request',
        nextAction:
          'To replace it: earshot convert a.wav -o c.mp3 -y. To convert both: earshot convert a.wav c.mp3 --format mp3.',
      }),
    );
    const both = { files: ['a.wav', 'c.mp3'], output: undefined };
    expect(files('convert', ['a.wav', 'c.mp3'], undefined, true)).toEqual(both);
    expect(files('loudness', ['a.wav', 'c.mp3'])).toEqual(both);
  });

  it.each([
    [
      'convert',
      ['a.wav', 'x.wav'],
      undefined,
      /To write it: earshot convert a\.wav -o x\.wav\. Without it: earshot conv/,
    ],
    ['join', ['take 1.wav', 'b.wav', 'x.wav'], undefined, /earshot join 'take 1\.wav' b\.wav -o x\.wav/],
    ['convert', ['a.wav', 'b.wav', 'x.mp3'], undefined, /^Without it: earshot convert a\.wav b\.wav\.$/],
    ['convert', ['a.wav', 'x.mp3'], 'y.mp3', /^Without it: earshot convert a\.wav\.$/],
    ['swap-audio', ['film.mkv', 'x.mp3'], undefined, /^Check the names\.$/],
    ['join', ['a.wav', 'film.mk'], undefined, /^Did you mean film\.mkv\?/],
  ])('%s %j is refused', (tool, typed, output, action) => {
    expect(() => files(tool, typed, output)).toThrow(
      expect.objectContaining({ code: 'bad_request', nextAction: expect.stringMatching(action) }),
    );
  });
});
