// How many turns of built conversations level_speakers' gains bring within 1.5 LU of the rest, by how long the turns
// are, how much of them is pause, what lies between them and how far their levels lie apart.
//     node bench/tools/level-turns.ts [--samples=FOLDER] [--conversations=12] [--networks]
// Voices are stretches of the samples, at random levels, over noise. "alone" knows only the sound; "labels" is told who
// speaks in every moment, "networks" (slower) by the speaker networks of the house. Loudness is that of the cut turn
// (ITU-R BS.1770 gating) after the gain; neither limiter nor encoder is in it. Then how far the noise of pauses steps,
// with labels, and how much the gain moves while one voice speaks on: over the samples of one voice as they are, and
// over the same without their pauses.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFanOut } from '../../src/library/runtime/job/fan-out.ts';
import { findSpeakers } from '../../src/library/speech/speakers/find-speakers.ts';
import type { SpeakerTurn } from '../../src/library/speech/speakers/speaker-turn.ts';
import { extractSpeech } from '../../src/library/speech/speech-sound.ts';
import { writeWav } from '../../test/fixtures/media/pcm-files.ts';
import { seeded } from '../../test/fixtures/random.ts';
import {
  built,
  farApart,
  heardStep,
  kinds,
  levelsOf,
  missesOf,
  movedOf,
  oneVoiceRecordings,
  pauseSteps,
  seedOf,
  spreadsLu,
  talkingVoices,
  type Voice,
  withoutPauses,
} from './level-talks.ts';
import { probe } from '../../src/library/media/read/probe.ts';

const flag = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const folder = join(flag('samples') ?? fileURLToPath(new URL('../../../shared/samples/', import.meta.url)), 'speech');
const conversations = Number(flag('conversations') ?? 12);
const scratch = mkdtempSync(join(tmpdir(), 'earshot-turns-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const { signal } = new AbortController();
const fanOut = createFanOut(2, signal);

async function byNetworks({ samples, rate }: Voice): Promise<readonly SpeakerTurn[]> {
  const talk = mkdtempSync(join(scratch, 'talk-'));
  const path = writeWav(join(talk, 'talk.wav'), [samples], rate, 'f32');
  const sound = await extractSpeech(probe(path), talk, { signal, onProgress: () => undefined });
  try {
    return await findSpeakers(sound, {
      modelsDir: undefined,
      fanOut,
      signal,
      onProgress: () => undefined,
    });
  } finally {
    sound.close();
  }
}

function printSteps(voices: readonly Voice[]): void {
  console.log('\n| levels within | turns | pauses over 1 s, others: steps over 3 dB in 0.2 s, worst |\n|---|---|---|');
  for (const spreadLu of spreadsLu)
    for (const kind of [...kinds, farApart]) {
      const steps = Array.from({ length: conversations }, (_, index) => {
        const { turns, ...talk } = built(voices, kind, spreadLu, seeded(seedOf(spreadLu, index)));
        return pauseSteps(levelsOf(talk), turns);
      }).flat();
      const cells = [true, false].map((isLong) => {
        const own = steps.filter(({ seconds }) => seconds > 1 === isLong).map(({ db }) => db);
        return `${own.filter((db) => db > heardStep.db).length} of ${own.length}, ${Math.max(0, ...own).toFixed(1)}`;
      });
      console.log(`| ${spreadLu} LU | ${kind[0]} | ${cells.join('; ')} |`);
    }
}

function printMoved(samples: string): void {
  console.log('\n| one voice | as it is: gain moves | without its pauses |\n|---|---|---|');
  const sums = [0, 0];
  for (const [name, voice] of oneVoiceRecordings(samples)) {
    const cells = [voice, withoutPauses(voice)].map((heard, index) => {
      const { movedDb, seconds } = movedOf(heard);
      sums[index]! += movedDb;
      return `${movedDb.toFixed(1)} dB in ${seconds.toFixed(0)} s`;
    });
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
  console.log(`| all | ${sums.map((movedDb) => `${movedDb.toFixed(1)} dB`).join(' | ')} |`);
}

if (existsSync(folder)) {
  const voices = talkingVoices(folder);
  const ways = ['alone', 'labels', ...(process.argv.includes('--networks') ? ['networks'] : [])];
  console.log(`| levels within | turns | ${ways.map((way) => `${way}: over 1.5 LU off, worst`).join(' | ')} |`);
  console.log(`|---|---|${ways.map(() => '---|').join('')}`);
  for (const spreadLu of spreadsLu)
    for (const kind of kinds) {
      const off = ways.map((): number[] => []);
      for (let index = 0; index < conversations; index += 1) {
        const talk = built(voices, kind, spreadLu, seeded(seedOf(spreadLu, index)));
        off[0]!.push(...missesOf(talk, null));
        off[1]!.push(...missesOf(talk, talk.turns));
        if (off[2]) off[2].push(...missesOf(talk, await byNetworks(talk)));
      }
      const cells = off.map(
        (misses) => `${misses.filter((lu) => lu > 1.5).length} of ${misses.length}, ${Math.max(...misses).toFixed(1)}`,
      );
      console.log(`| ${spreadLu} LU | ${kind[0]} | ${cells.join(' | ')} |`);
    }
  printSteps(voices);
  printMoved(join(folder, '..'));
} else console.log(`No recordings in ${folder}: name the samples' folder with --samples=FOLDER`);
process.exit();
