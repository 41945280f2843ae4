// Who speaks when, beside sherpa-onnx with the same networks: diarization error (collar 0.25 s, overlap counted) on AMI
// clips and on conversations built by script, each scored by our scorer and by pyannote.metrics.
//     node bench/speech/speakers.ts [--sets 1,2,3] [--no-peers] [--words]
// With --words, beside it: of the words of transcripts, in the reference under one voice, the share with another label,
// and the same by the turns at the middles of those words.
// Settings were found on sets 11 and 12 (as 1 and 2) and 13 and 14 (as 3 and 4).
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packageFolder } from '../../src/library/models/folders.ts';
import { createFanOut } from '../../src/library/runtime/job/fan-out.ts';
import { openSpeech } from '../../src/library/speech/speech-sound.ts';
import { findSpeakers } from '../../src/library/speech/speakers/find-speakers.ts';
import { transcribe } from '../../src/library/speech/transcribe/transcribe.ts';
import { type Case, conversations, meetings } from './conversation-cases.ts';
import { diarizationError, type NamedTurn } from './diarization-error.ts';
import { pythonWith } from './python.ts';
import { wordLabels } from './word-labels.ts';

const samples = fileURLToPath(new URL('../../../shared/samples/', import.meta.url));
const collarSeconds = 0.25;
/** Of sherpa-onnx: its default, and what is best on these sets. */
const peerThresholds = [0.5, 0.8];
const { signal } = new AbortController();

interface Labelled {
  readonly cpuSeconds: number;
  readonly turns: readonly NamedTurn[];
}

async function ours(cases: readonly Case[]): Promise<Labelled[]> {
  const fanOut = createFanOut(cpus().length, signal);
  const labelled: Labelled[] = [];
  for (const { path } of cases) {
    const sound = openSpeech(path);
    const before = process.cpuUsage();
    const turns = await findSpeakers(sound, {
      modelsDir: undefined,
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
      `  ${name.padEnd(12)} DER ${error.rate.toFixed(3)}  people ${people(turns)} of ${people(reference)}  missed / ` +
        `false alarm / confused ${seconds.map((x) => x.toFixed(1)).join(' / ')} of ${error.speechSeconds.toFixed(0)} s`,
    );
  }
  for (const [group, { wrong, speech, counts, cases: all }] of sums)
    console.log(`  ${group}: DER ${(wrong / speech).toFixed(3)}, count right in ${counts} of ${all}`);
  const heard = cases.reduce((sum, { seconds }) => sum + seconds, 0);
  const cpu = labelled.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  console.log(`  ${(heard / cpu).toFixed(1)} times real time a core (CPU seconds, networks loaded once)`);
}

async function reportWords(cases: readonly Case[]): Promise<void> {
  const fanOut = createFanOut(cpus().length, signal);
  const sum = { words: 0, wrong: 0, wrongByTurns: 0 };
  console.log('\nEarshot, labels of words beside the turns at the same words');
  for (const { name, path, reference } of cases) {
    const sound = openSpeech(path);
    const { transcript } = await transcribe(sound, {
      language: 'en',
      verbatim: true,
      speakerLabels: true,
      modelsDir: undefined,
      fanOut,
      signal,
      pass: () => () => undefined,
    });
    sound.close();
    const { words, wrong, wrongByTurns } = wordLabels(reference, transcript);
    sum.words += words;
    sum.wrong += wrong;
    sum.wrongByTurns += wrongByTurns;
    console.log(
      `  ${name.padEnd(12)} ${wrong} of ${words} words wrong, by the turns ${wrongByTurns.toFixed(1)}; ` +
        `people ${transcript.speakerCount}`,
    );
  }
  const share = (count: number): string => (count / sum.words).toFixed(3);
  console.log(`  all: ${share(sum.wrong)} of the words, by the turns ${share(sum.wrongByTurns)}`);
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
  options: {
    sets: { type: 'string', default: '1,2,3' },
    'no-peers': { type: 'boolean', default: false },
    words: { type: 'boolean', default: false },
  },
});
if (!existsSync(samples)) throw new Error(`The recordings of this bench are not here: ${samples}`);
const folder = mkdtempSync(join(tmpdir(), 'earshot-speakers-'));
try {
  const sets = values.sets.split(',').map(Number);
  const cases = [...meetings(samples, folder), ...sets.flatMap((set) => conversations(samples, folder, set))];
  const all = [await ours(cases)];
  report('Earshot', cases, all[0] as Labelled[]);
  console.log(
    `  peak memory of the process ${Math.round(process.resourceUsage().maxRSS / 1024)} MB on ${cpus().length} cores`,
  );
  if (values.words) await reportWords(cases);
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
