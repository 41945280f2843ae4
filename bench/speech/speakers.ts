// Who speaks when, beside sherpa-onnx with the same networks: diarization error (collar 0.25 s, overlap counted) on AMI
// clips and on conversations built by script, each scored by our scorer and by pyannote.metrics.
// `--set 1` (default), `--set 2` (held out: looked at when the settings stood), ...; `--no-peers`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packageFolder } from '../../src/models/folders.ts';
import { createFanOut } from '../../src/runtime/fan-out.ts';
import { openSpeech, speechRate } from '../../src/speech/speech-sound.ts';
import { findSpeakers } from '../../src/speech/speakers/find-speakers.ts';
import { converse, readVoice, type Voice, voiceOf } from '../../test/fixtures/sounds/conversations.ts';
import { diarizationError, type NamedTurn } from './diarization-error.ts';
import { pythonWith } from './python.ts';

const samples = fileURLToPath(new URL('../../../shared/samples/', import.meta.url));
const collarSeconds = 0.25;
/** Of sherpa-onnx: its default, and what is best on these sets. */
const peerThresholds = [0.5, 0.8];
const { signal } = new AbortController();

interface Case {
  readonly name: string;
  readonly path: string;
  readonly seconds: number;
  readonly reference: readonly NamedTurn[];
}

interface Labelled {
  readonly cpuSeconds: number;
  readonly turns: readonly NamedTurn[];
}

function writeCase(folder: string, name: string, sound: Float32Array, reference: readonly NamedTurn[]): Case {
  const path = join(folder, `${name}.f32`);
  writeFileSync(path, new Uint8Array(sound.buffer, sound.byteOffset, sound.byteLength));
  return { name, path, seconds: sound.length / speechRate, reference };
}

function meetings(folder: string): Case[] {
  const lines = readFileSync(join(samples, 'meetings/ami.rttm'), 'utf8').split('\n');
  return ['05', '06', '07', '08'].map((clip) => {
    const reference = lines
      .map((line) => line.split(' '))
      .filter(([kind, file]) => kind === 'SPEAKER' && file === `trn${clip}`)
      .map(([, , , start, length, , , name]) => ({
        startSeconds: Number(start),
        endSeconds: Number(start) + Number(length),
        name: name as string,
      }));
    return writeCase(folder, `ami-${clip}`, readVoice(join(samples, `meetings/ami-trn${clip}.wav`)), reference);
  });
}

/**
 * Who is heard alone in the samples for eight seconds. The last one only serves where eight are wanted: um.flac and
 * uh.flac come from where acoustic_corpus.wav comes from, sound much alike (cosine .45; no other two here have more than
 * .3), and may be the same person.
 */
function voices(): Voice[] {
  const read = (name: string, from?: number, to?: number): Float32Array => readVoice(join(samples, name), from, to);
  return [
    voiceOf('jfk', [read('speech/jfk.wav')]),
    voiceOf(
      'austen',
      ['0870', '0880', '0890'].map((part) => read(`speech/austen-${part}.wav`)),
    ),
    voiceOf('sonnet', [read('speech/sonnet001.mp3')]),
    voiceOf('acoustic', [read('fillers/acoustic_corpus.wav', 1)]),
    voiceOf('clean', [read('noise/clean_speech_48k.wav')]),
    voiceOf('FEE078', [read('meetings/ami-trn05.wav', 9.3, 19.1), read('meetings/ami-trn05.wav', 19.6, 30)]),
    voiceOf('FEE083', [read('meetings/ami-trn06.wav', 13.6, 21.7), read('meetings/ami-trn06.wav', 22.5, 30)]),
    voiceOf('fillers', [read('fillers/um.flac'), read('fillers/uh.flac')]),
  ];
}

/** Eleven conversations of one to eight people, from quiet rooms to 12 dB of noise, with and without interruptions. */
function built(folder: string, set: number): Case[] {
  const everyone = voices();
  return [1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8].map((people, index) => {
    const plan = {
      seed: 100 * set + index,
      people,
      seconds: 60 + 10 * people,
      noiseBelowDb: [null, 20, 12][index % 3] as number | null,
      interrupting: [0, 0.15, 0.3, 0.1][index % 4] as number,
      levelRangeDb: [0, 6][index % 2] as number,
    };
    const { samples: sound, turns } = converse(everyone.slice(0, Math.max(people, 7)), plan);
    return writeCase(folder, `built-${set}-${index + 1}`, sound, turns);
  });
}

async function ours(cases: readonly Case[]): Promise<Labelled[]> {
  const fanOut = createFanOut(cpus().length, signal);
  const labelled: Labelled[] = [];
  for (const { path } of cases) {
    const sound = openSpeech(path);
    const before = process.cpuUsage();
    const turns = await findSpeakers(sound, {
      modelsDir: undefined,
      parallelism: cpus().length,
      fanOut,
      signal,
      onProgress: () => undefined,
    });
    const { user, system } = process.cpuUsage(before);
    sound.close();
    labelled.push({
      cpuSeconds: (user + system) / 1e6,
      turns: turns.map(({ speaker, ...turn }) => ({ ...turn, name: String(speaker) })),
    });
  }
  return labelled;
}

function peer<Answer>(python: string, args: readonly string[]): Answer[] {
  const script = fileURLToPath(new URL('speakers_peer.py', import.meta.url));
  const ran = spawnSync(python, [script, ...args], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (ran.status !== 0) throw new Error(`speakers_peer.py ${args[0]} failed:\n${ran.stderr}`);
  return ran.stdout
    .split('\n')
    .filter((line) => line.startsWith('{') || /^[\d.]/.test(line))
    .map((line) => JSON.parse(line) as Answer);
}

const people = (turns: readonly NamedTurn[]): number => new Set(turns.map(({ name }) => name)).size;

interface Sums {
  wrong: number;
  speech: number;
  counts: number;
  cases: number;
}

function report(title: string, cases: readonly Case[], labelled: readonly Labelled[]): void {
  const sums = new Map<string, Sums>();
  console.log(`\n${title}`);
  for (const [index, { name, reference }] of cases.entries()) {
    const { turns } = labelled[index] as Labelled;
    const error = diarizationError(reference, turns, collarSeconds);
    const group = name.replace(/-\d+$/, '');
    const sum = sums.get(group) ?? { wrong: 0, speech: 0, counts: 0, cases: 0 };
    sums.set(group, {
      wrong: sum.wrong + error.missedSeconds + error.falseAlarmSeconds + error.confusionSeconds,
      speech: sum.speech + error.speechSeconds,
      counts: sum.counts + (people(turns) === people(reference) ? 1 : 0),
      cases: sum.cases + 1,
    });
    const seconds = [error.missedSeconds, error.falseAlarmSeconds, error.confusionSeconds];
    console.log(
      `  ${name.padEnd(12)} DER ${error.rate.toFixed(3)}  people ${people(turns)} of ${people(reference)}  ` +
        `missed / nobody's / confused ${seconds.map((x) => x.toFixed(1)).join(' / ')} of ${error.speechSeconds.toFixed(0)} s`,
    );
  }
  for (const [group, { wrong, speech, counts, cases: all }] of sums)
    console.log(`  ${group}: DER ${(wrong / speech).toFixed(3)}, count right in ${counts} of ${all}`);
  const heard = cases.reduce((sum, { seconds }) => sum + seconds, 0);
  const cpu = labelled.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  console.log(`  ${(heard / cpu).toFixed(1)} times real time a core (CPU seconds, networks loaded once)`);
}

function checkScorer(folder: string, cases: readonly Case[], all: readonly (readonly Labelled[])[]): void {
  const python = pythonWith('pyannote-metrics', ['pyannote.metrics==4.2.0']);
  if (python === null) return;
  const scored = all.flatMap((labelled) =>
    cases.map(({ reference }, index) => ({ reference, found: (labelled[index] as Labelled).turns })),
  );
  const file = join(folder, 'scored.json');
  writeFileSync(file, JSON.stringify(scored));
  const theirs = peer<number>(python, ['score', file]);
  if (theirs.length !== scored.length) throw new Error(`pyannote.metrics scored ${theirs.length} of ${scored.length}`);
  const apart = scored.map(({ reference, found }, index) =>
    Math.abs(diarizationError(reference, found, collarSeconds).rate - (theirs[index] as number)),
  );
  console.log(`\npyannote.metrics, ${scored.length} scores: at most ${Math.max(...apart).toExponential(1)} from ours`);
}

const { values } = parseArgs({
  options: { set: { type: 'string', default: '1' }, 'no-peers': { type: 'boolean', default: false } },
});
if (!existsSync(samples)) throw new Error(`The recordings of this bench are not here: ${samples}`);
const folder = mkdtempSync(join(tmpdir(), 'earshot-speakers-'));
try {
  const cases = [...meetings(folder), ...built(folder, Number(values.set))];
  const all = [await ours(cases)];
  report('Earshot', cases, all[0] as Labelled[]);
  console.log(
    `  peak memory of the process ${Math.round(process.resourceUsage().maxRSS / 1024)} MB on ${cpus().length} cores`,
  );
  const models = packageFolder();
  const python = values['no-peers'] ? null : pythonWith('sherpa-onnx', ['sherpa-onnx==2.0.1', 'numpy==2.4.6']);
  if (python !== null && models !== null)
    for (const threshold of peerThresholds) {
      const paths = cases.map(({ path }) => path);
      const labelled = peer<Labelled>(python, ['label', models, String(threshold), ...paths]);
      report(`sherpa-onnx 2.0.1, threshold ${threshold}`, cases, labelled);
      all.push(labelled);
    }
  if (!values['no-peers']) checkScorer(folder, cases, all);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
