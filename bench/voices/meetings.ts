// Voices known again in meetings: people who were told apart by the speaker labels, named by prints of other clips.
//   npm run bench:voices:meetings -- MEETINGS [--strangers READERS] [--most 60] [--least 5]
// MEETINGS has clips (WAV) and one .rttm of who speaks when, as AMI's: a print of each person in each clip, of what
// that person says alone there, is known in all other clips. READERS has a folder with recordings for each stranger;
// their prints are known everywhere. --least: so many seconds of a person make a print. A name is right where the
// person spoke most of what its speaker said.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { KnownVoice, VoicePrint } from '../../src/library/contract/voice-print.ts';
import type { TimeRange } from '../../src/library/core/time-range.ts';
import { probe } from '../../src/library/media/read/probe.ts';
import { createFanOut } from '../../src/library/runtime/job/fan-out.ts';
import { findSpeakers } from '../../src/library/speech/speakers/find-speakers.ts';
import type { SpeakerTurn } from '../../src/library/speech/speakers/speaker-turn.ts';
import { extractSpeech, type SpeechSound } from '../../src/library/speech/speech-sound.ts';
import { knowVoices } from '../../src/library/speech/voices/known-voices.ts';
import { makeVoicePrint } from '../../src/library/speech/voices/voice-print.ts';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    strangers: { type: 'string' },
    most: { type: 'string', default: '60' },
    least: { type: 'string', default: '5' },
  },
});
const [meetings] = positionals;
if (meetings === undefined) throw new Error('Expected a folder with clips of meetings and their .rttm');
const work = mkdtempSync(join(tmpdir(), 'earshot-meetings-'));
const { signal } = new AbortController();
const listening = { fanOut: createFanOut(1, signal), signal, onProgress: () => undefined, modelsDir: undefined };
let folders = 0;
function folder(): string {
  const path = join(work, `${(folders += 1)}`);
  mkdirSync(path);
  return path;
}
const open = (path: string): Promise<SpeechSound> => extractSpeech(probe(path), folder(), listening);

interface Turn extends TimeRange {
  readonly clip: string;
  readonly person: string;
}

const turns: Turn[] = readdirSync(meetings)
  .filter((name) => name.endsWith('.rttm'))
  .flatMap((name) => readFileSync(join(meetings, name), 'utf8').split('\n'))
  .filter((line) => line.startsWith('SPEAKER'))
  .map((line) => {
    const [, clip = '', , start, length, , , person = ''] = line.split(' ');
    return { clip, person, startSeconds: Number(start), endSeconds: Number(start) + Number(length) };
  });

/** What of a turn is spoken by no one else. */
function alone(turn: Turn): TimeRange[] {
  let rest: TimeRange[] = [turn];
  for (const other of turns) {
    if (other.clip !== turn.clip || other.person === turn.person) continue;
    rest = rest.flatMap(({ startSeconds, endSeconds }) => [
      { startSeconds, endSeconds: Math.min(endSeconds, other.startSeconds) },
      { startSeconds: Math.max(startSeconds, other.endSeconds), endSeconds },
    ]);
    rest = rest.filter((one) => one.endSeconds - one.startSeconds > 0.3);
  }
  return rest;
}

async function printOf(path: string, ranges?: readonly TimeRange[]): Promise<VoicePrint | null> {
  const sound = await open(path);
  try {
    return await makeVoicePrint(sound, { ...listening, workDir: folder(), ranges, leastSeconds: Number(given.least) });
  } catch (thrown) {
    console.log(`no print of ${path}: ${(thrown as Error).message}`);
    return null;
  } finally {
    sound.close();
  }
}

const clips = new Map(
  readdirSync(meetings)
    .filter((name) => /\.(?:wav|flac)$/.test(name))
    .map((name) => [[...new Set(turns.map(({ clip }) => clip))].find((clip) => name.includes(clip)) ?? name, name]),
);
const known: { readonly clip: string | null; readonly voice: KnownVoice }[] = [];
for (const [clip, name] of clips)
  for (const person of new Set(turns.filter((turn) => turn.clip === clip).map((turn) => turn.person))) {
    const own = turns.filter((turn) => turn.clip === clip && turn.person === person).flatMap(alone);
    const print = await printOf(join(meetings, name), own);
    if (print !== null) known.push({ clip, voice: { name: person, print } });
  }
if (given.strangers !== undefined)
  for (const reader of readdirSync(given.strangers).toSorted().slice(0, Number(given.most))) {
    const [file] = readdirSync(join(given.strangers, reader)).toSorted();
    const print = file === undefined ? null : await printOf(join(given.strangers, reader, file));
    if (print !== null) known.push({ clip: null, voice: { name: reader, print } });
  }
const people = new Set(turns.map(({ person }) => person));
const strangers = known.filter(({ voice }) => !people.has(voice.name)).length;
console.log(`${known.length - strangers} prints of people in the meetings, ${strangers} of strangers`);

/** Who speaks most in the turns of a speaker. */
function spokenBy(clip: string, own: readonly SpeakerTurn[]): string {
  const seconds = new Map<string, number>();
  for (const turn of turns.filter((one) => one.clip === clip))
    for (const { startSeconds, endSeconds } of own) {
      const both = Math.min(endSeconds, turn.endSeconds) - Math.max(startSeconds, turn.startSeconds);
      if (both > 0) seconds.set(turn.person, (seconds.get(turn.person) ?? 0) + both);
    }
  return [...seconds].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 'no one';
}

console.log('\n| clip | speaker is | print is known | named | likeness, next |\n|---|---|---|---|---|');
let [right, wrong, missed, unknown] = [0, 0, 0, 0];
for (const [clip, name] of clips) {
  const sound = await open(join(meetings, name));
  const told = await findSpeakers(sound, listening);
  const voices = known.filter((one) => one.clip !== clip).map(({ voice }) => voice);
  const byName = [...new Map(voices.map((voice) => [voice.name, voice])).values()];
  const named = await knowVoices(sound, told, byName, { ...listening, onOtherModel: () => undefined });
  sound.close();
  for (const { speaker, name: said, likeness, runnerUp } of named.decisions) {
    const is = spokenBy(
      clip,
      named.turns.filter((turn) => turn.speaker === speaker),
    );
    const isKnown = byName.some((voice) => voice.name === is);
    if (said !== null && said === is) right += 1;
    else if (said !== null) wrong += 1;
    else if (isKnown) missed += 1;
    else unknown += 1;
    console.log(
      `| ${basename(name, extname(name))} | ${is} | ${isKnown ? 'yes' : 'no'} | ${said ?? 'no'} | ` +
        `${likeness ?? '-'}, ${runnerUp ?? '-'} |`,
    );
  }
}
console.log(
  `\nnamed rightly ${right}, by a wrong name ${wrong}, known and not named ${missed}, strangers not named ${unknown}`,
);
rmSync(work, { recursive: true });
process.exit(0);
