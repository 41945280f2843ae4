// The tools on odd files: where the marks must be afterwards, and what must be said.
import { spawnSync } from 'node:child_process';
import type { Engine } from '../../src/index.ts';
import { decodeByFfmpeg, onFileClock } from '../../test/fixtures/media/media.ts';
import { findMarks, type Mark } from '../../test/fixtures/sounds/marks.ts';
import type { OddFile, OddKind } from './oddities.ts';

/** What is said of damage and of levels: each must be true. */
const claims = new Set(
  (
    'truncated damaged_sound read_error clock_jump broken_samples sound_missing over_full_scale opposite_channels ' +
    'damaged_picture'
  ).split(' '),
);
/** Of each kind, what must be said by any tool, and what may. */
const expected: Readonly<Record<OddKind, { readonly must: readonly string[]; readonly may: readonly string[] }>> = {
  'late sound': { must: [], may: [] },
  gap: { must: ['sound_missing'], may: [] },
  'back step': { must: [], may: [] },
  hole: { must: [], may: ['sound_missing', 'damaged_sound'] },
  chain: { must: [], may: [] },
  'padded samples': { must: [], may: [] },
  'opposite channels': { must: [], may: ['opposite_channels'] },
  'over full scale': { must: [], may: ['over_full_scale'] },
};

interface Ran {
  readonly path: string | null;
  readonly marks: readonly Mark[];
  readonly seconds: number | null;
  readonly pictures: number | null;
  readonly warnings: readonly string[];
}

type To = () => { outputDir: string };
interface Others {
  /** Sound with the same marks from its start, silence as long, a film without marks. */
  readonly plain: string;
  readonly silence: string;
  readonly film: string;
}

const framesPerSecond = 10;
const cut = [2.15, 2.75] as const;

const shifted = (marks: readonly Mark[], cuts: readonly (readonly [number, number])[]): Mark[] =>
  marks.flatMap((mark) => {
    if (cuts.some(([from, to]) => mark.seconds > from && mark.seconds < to)) return [];
    const gone = cuts.reduce((sum, [from, to]) => sum + (to <= mark.seconds ? to - from : 0), 0);
    return [{ ...mark, seconds: mark.seconds - gone }];
  });

const run = async (file: OddFile, done: ReturnType<Engine['run']>, changes: Partial<Ran> = {}): Promise<Ran> => {
  const { outputs, warnings } = await done;
  return {
    path: outputs[0]?.path ?? null,
    marks: file.marks,
    seconds: null,
    pictures: file.hasPicture ? picturesOf(file.path) : null,
    warnings: warnings.map(({ code }) => code),
    ...changes,
  };
};

type OddTool = (engine: Engine, file: OddFile, to: To, others: Others) => Promise<Ran> | null;

/** Tools that take any sound; transcripts, alignment and fillers need speech. null: the tool does not take such a file. */
export const oddTools: Readonly<Record<string, OddTool>> = {
  adjust_loudness: (engine, file, to) => run(file, engine.run('adjust_loudness', file.path, {}, to())),
  convert_audio: (engine, file, to) => {
    const options =
      file.kind === 'opposite channels'
        ? ({ format: 'flac', channels: 'mono' } as const)
        : ({ format: 'flac' } as const);
    return run(file, engine.run('convert_audio', file.path, options, to()), { pictures: null });
  },
  async cut_audio(engine, file, to) {
    const start = (file.marks[0]?.seconds ?? 0) - 0.2;
    const range = [start + cut[0], start + cut[1]] as const;
    const ran = await run(file, engine.run('cut_audio', file.path, { ranges: [range] }, to()));
    const pictures = ran.pictures === null ? null : ran.pictures - Math.round((cut[1] - cut[0]) * framesPerSecond);
    return { ...ran, marks: shifted(file.marks, [range]), pictures };
  },
  async remove_silence(engine, file, to) {
    const done = await engine.run('remove_silence', file.path, { min_pause_seconds: 0.5 }, to());
    const cuts = done.result.cuts;
    return run(file, Promise.resolve(done), { marks: shifted(file.marks, cuts), pictures: null });
  },
  join_audio: (engine, file, to, { plain }) =>
    run(file, engine.run('join_audio', [file.path, plain], { match_loudness: false }, to()), { pictures: null }),
  replace_audio: (engine, file, to, { film }) =>
    run(file, engine.run('replace_audio', { video_file_id: film, audio_file_id: file.path }, {}, to()), {
      pictures: picturesOf(film),
    }),
  async analyze_audio(engine, file, to) {
    const done = await engine.run('analyze_audio', file.path, {}, to());
    return { ...(await run(file, Promise.resolve(done))), path: null, seconds: done.result.durationSeconds };
  },
  level_speakers: (engine, file, to) => run(file, engine.run('level_speakers', { file_id: file.path }, {}, to())),
  mix_tracks: (engine, file, to, { silence }) =>
    run(
      file,
      engine.run('mix_tracks', [file.path, silence], { tracks: [{ role: 'music' }, { role: 'music' }] }, to()),
      {
        pictures: null,
      },
    ),
  remove_noise: (engine, file, to) =>
    run(file, engine.run('remove_noise', file.path, { method: 'steady', noise_reduction: 10 }, to())),
  enhance_voice: (engine, file, to) => run(file, engine.run('enhance_voice', file.path, { noise_reduction: 10 }, to())),
};

function picturesOf(path: string): number {
  const args = ['-v', 'error', '-select_streams', 'v:0', '-count_packets', '-show_entries', 'stream=nb_read_packets'];
  return Number.parseInt(spawnSync('ffprobe', [...args, '-of', 'csv=p=0', path]).stdout.toString(), 10) || 0;
}

function markFault(
  path: string,
  pictures: number,
  marks: readonly Mark[],
  { mayMiss, within }: OddFile,
): string | null {
  const { planes, rate } = decodeByFfmpeg(path, onFileClock(pictures > 0));
  const power = (plane: Float32Array): number => plane.reduce((sum, sample) => sum + sample * sample, 0);
  const loudest = planes.reduce((most, plane) => (power(plane) > power(most) ? plane : most));
  const found = findMarks(loudest, rate);
  let [at, missing, worst] = [0, 0, 0];
  for (const mark of marks) {
    const next = found.findIndex(
      ({ number, seconds }, n) => n >= at && number === mark.number && Math.abs(seconds - mark.seconds) < 0.2,
    );
    if (next === -1) {
      missing += 1;
      continue;
    }
    const off = (found[next] as Mark).seconds - mark.seconds;
    if (Math.abs(off) > Math.abs(worst)) worst = off;
    at = next + 1;
  }
  if (missing > mayMiss) return `${missing} of ${marks.length} marks missing`;
  return Math.abs(worst) > within ? `marks ${(1000 * worst).toFixed(0)} ms off` : null;
}

/** What is wrong, in words; null: nothing. */
export function oddFault(ran: Ran, file: OddFile): string | null {
  const { must, may } = expected[file.kind];
  const faults: string[] = [];
  const unsaid = must.filter((code) => !ran.warnings.includes(code));
  if (unsaid.length > 0) faults.push(`unsaid: ${unsaid.join(', ')}`);
  const untrue = ran.warnings.filter((code) => claims.has(code) && !must.includes(code) && !may.includes(code));
  if (untrue.length > 0) faults.push(`false: ${untrue.join(', ')}`);
  if (ran.path !== null) {
    const pictures = picturesOf(ran.path);
    const marks = markFault(ran.path, pictures, ran.marks, file);
    if (marks !== null) faults.push(marks);
    if (ran.pictures !== null && Math.abs(pictures - ran.pictures) > 1)
      faults.push(`${pictures} pictures instead of ${ran.pictures}`);
  }
  if (ran.seconds !== null && Math.abs(ran.seconds - file.seconds) > 0.15)
    faults.push(`${ran.seconds.toFixed(2)} instead of ${file.seconds.toFixed(2)} s`);
  return faults.length === 0 ? null : faults.join('; ');
}
