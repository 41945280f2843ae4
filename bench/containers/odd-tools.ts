// The tools on odd files: what each is asked, and where the words must be afterwards.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine, ToolRun } from '../../src/index.ts';
import type { Transcript } from '../../src/library/contract/transcript.ts';
import { toTranscriptJson } from '../../src/library/speech/transcript/write/json.ts';
import type { OddFile, Place } from './oddities.ts';
import { filmOf, type Spoken, words } from './words.ts';

export interface Ran {
  /** Sound; null: the tool makes none. */
  readonly path: string | null;
  readonly places: readonly Place[];
  /** Where its picture begins, s from the file's zero. */
  readonly pictureStart: number;
  /** When words start by the tool's record; null: it makes none. */
  readonly starts: readonly number[] | null;
  readonly seconds: number | null;
  /** null: they are not counted. */
  readonly pictures: number | null;
  readonly warnings: readonly string[];
  /** What else is wrong. */
  readonly fault: string | null;
}

type To = () => { outputDir: string };
export interface Others {
  readonly folder: string;
  readonly spoken: Spoken;
  /** Sound with the words from its start, silence as long, a film without words. */
  readonly plain: string;
  readonly silence: string;
  readonly film: string;
}

type OddTool = (engine: Engine, file: OddFile, to: To, others: Others) => Promise<Ran>;
type Cuts = readonly (readonly [from: number, to: number])[];

const framesPerSecond = 10;
/** The word that is cut out. */
const cutWord = 3;
const besideSeconds = 0.1;

function shifted(places: readonly Place[], cuts: Cuts): Place[] {
  return places.flatMap((place) => {
    if (cuts.some(([from, to]) => place.seconds > from && place.seconds < to)) return [];
    const gone = cuts.reduce((sum, [from, to]) => sum + (to <= place.seconds ? to - from : 0), 0);
    return [{ ...place, seconds: place.seconds - gone }];
  });
}

async function run(file: OddFile, done: Promise<ToolRun>, changes: Partial<Ran> = {}): Promise<Ran> {
  const { outputs, warnings } = await done;
  return {
    path: outputs[0]?.path ?? null,
    places: file.places,
    pictureStart: file.pictureStart,
    starts: null,
    seconds: null,
    pictures: file.hasPicture ? (filmOf(file.path)?.pictures ?? null) : null,
    warnings: warnings.map(({ code }) => code),
    fault: null,
    ...changes,
  };
}

/** After cuts that take pictures with them. */
function afterCuts(file: OddFile, ran: Ran, cuts: Cuts): Ran {
  const gone = cuts.reduce((sum, [from, to]) => sum + to - from, 0);
  const first = cuts.find(([from, to]) => from <= file.pictureStart && to > file.pictureStart);
  // The next picture behind a cut is shown when it was.
  const pictureStart = first
    ? file.pictureStart +
      Math.ceil((first[1] - file.pictureStart) * framesPerSecond) / framesPerSecond -
      first[1] +
      first[0]
    : file.pictureStart;
  const pictures = ran.pictures === null ? null : ran.pictures - Math.round(gone * framesPerSecond);
  return { ...ran, places: shifted(ran.places, cuts), pictures, pictureStart };
}

async function recorded(file: OddFile, done: Promise<ToolRun>): Promise<Ran> {
  const ran = await run(file, done);
  const { sentences } = JSON.parse(readFileSync(ran.path as string, 'utf8')) as Transcript;
  const starts = sentences.flatMap((sentence) => sentence.words.map(({ startSeconds }) => startSeconds));
  return { ...ran, path: null, pictures: null, starts };
}

/** What is said in a file, as somebody wrote it down: with the fillers. */
function writtenDown(file: OddFile, { folder, spoken }: Others): string {
  const said = [
    ...file.places.map(({ number, seconds }) => ({ ...spoken.pieces[number], text: words[number] as string, seconds })),
    ...file.ums.map((seconds) => ({ ...spoken.um, seconds })),
  ].toSorted((a, b) => a.seconds - b.seconds);
  const all = said.map(({ text, seconds, length = 0 }) => ({
    text,
    startSeconds: seconds,
    endSeconds: seconds + length,
  }));
  const endSeconds = all.at(-1)?.endSeconds ?? 0;
  const text = all.map((word) => word.text).join(' ');
  const path = join(folder, 'written-down.json');
  writeFileSync(
    path,
    toTranscriptJson({
      format: 'earshot-transcript',
      version: 1,
      language: 'en',
      durationSeconds: file.seconds,
      speakerCount: null,
      sentences: [{ startSeconds: all[0]?.startSeconds ?? 0, endSeconds, text, speaker: null, words: all }],
    } as Transcript),
  );
  return path;
}

export const oddTools: Readonly<Record<string, OddTool>> = {
  transcribe_audio: (engine, file, to) => recorded(file, engine.run('transcribe_audio', file.path, {}, to())),
  align_script(engine, file, to) {
    const text = file.places.map(({ number }) => words[number]).join(' ');
    return recorded(file, engine.run('align_script', file.path, { text }, to()));
  },
  async remove_fillers(engine, file, to, others) {
    const inputs = { file_id: file.path, transcript_file_id: writtenDown(file, others) };
    const done = await engine.run('remove_fillers', inputs, { repeats: false }, to());
    const cuts = done.result.cuts.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds] as const);
    const middle = others.spoken.um.length / 2;
    const left = file.ums.filter((um) => !cuts.some(([from, end]) => from < um + middle && end > um + middle));
    const ran = await run(file, Promise.resolve(done), { fault: left.length > 0 ? 'a filler is left' : null });
    return afterCuts(file, ran, cuts);
  },
  adjust_loudness: (engine, file, to) => run(file, engine.run('adjust_loudness', file.path, {}, to())),
  convert_audio(engine, file, to) {
    const options =
      file.kind === 'opposite channels'
        ? ({ format: 'flac', channels: 'mono' } as const)
        : ({ format: 'flac' } as const);
    return run(file, engine.run('convert_audio', file.path, options, to()), { pictures: null });
  },
  async cut_audio(engine, file, to, { spoken }) {
    const start = file.places.find(({ number }) => number === cutWord)?.seconds ?? 0;
    const end = start + (spoken.pieces[cutWord]?.length ?? 0);
    const range = [start - besideSeconds, end + besideSeconds] as const;
    return afterCuts(file, await run(file, engine.run('cut_audio', file.path, { ranges: [range] }, to())), [range]);
  },
  async remove_silence(engine, file, to) {
    const done = await engine.run('remove_silence', file.path, { min_pause_seconds: 0.5 }, to());
    return { ...afterCuts(file, await run(file, Promise.resolve(done)), done.result.cuts), pictures: null };
  },
  join_audio: (engine, file, to, { plain }) =>
    run(file, engine.run('join_audio', [file.path, plain], { match_loudness: false }, to()), { pictures: null }),
  replace_audio(engine, file, to, { film }) {
    // Its picture is the film's, not the one that the words had.
    const { pictures = null, pictureStart = 0 } = filmOf(film) ?? {};
    const done = engine.run('replace_audio', { video_file_id: film, audio_file_id: file.path }, {}, to());
    return run(file, done, { pictures, pictureStart });
  },
  async analyze_audio(engine, file, to) {
    const done = await engine.run('analyze_audio', file.path, {}, to());
    const ran = await run(file, Promise.resolve(done));
    const isTold = file.kind !== 'opposite channels' || JSON.stringify(done.result).includes('opposite');
    const fault = isTold ? null : 'unsaid: opposite channels';
    return { ...ran, path: null, pictures: null, seconds: done.result.durationSeconds, fault };
  },
  level_speakers: (engine, file, to) => run(file, engine.run('level_speakers', { file_id: file.path }, {}, to())),
  mix_tracks(engine, file, to, { silence }) {
    const tracks = { tracks: [{ role: 'music' as const }, { role: 'music' as const }] };
    return run(file, engine.run('mix_tracks', [file.path, silence], tracks, to()), { pictures: null });
  },
  remove_noise: (engine, file, to) =>
    run(file, engine.run('remove_noise', file.path, { method: 'steady', noise_reduction: 10 }, to())),
  enhance_voice: (engine, file, to) => run(file, engine.run('enhance_voice', file.path, { noise_reduction: 10 }, to())),
};

/** What they give is of one channel. */
export const monoTools = new Set(['transcribe_audio', 'align_script', 'convert_audio']);
