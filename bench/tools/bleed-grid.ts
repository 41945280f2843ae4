// The grid of bench/tools/bleed.ts: conversations in rooms, by their levels alone, without files.
import { levelTogether } from '../../src/library/dsp/gain/level-together.ts';
import { findSpeech } from '../../src/library/dsp/voicing/speech-activity.ts';
import { meterSpeechLevels, type SpeechLevels } from '../../src/library/dsp/voicing/speech-levels.ts';
import { recording } from '../../test/fixtures/recordings.ts';
import { readVoice } from '../../test/fixtures/sounds/conversations.ts';
import { type RoomPlan, roomRate, roomTracks } from '../../test/fixtures/sounds/room-tracks.ts';

/** Constants were set with one half of the voices and rooms, and judged with the other. */
const halves = {
  tune: {
    room: [6, 5, 2.8],
    roomSeconds: [0.2, 0.5, 0.8, 1.2],
    bleedDb: [-6, -10, -14, -20, -26],
    softer: [0, -6, -3, -9],
    seed: 3,
    voices: () => [
      readVoice(recording('jfk.wav')),
      readVoice(recording('acoustic_corpus.wav'), 0, 13),
      readVoice(recording('clean_speech_48k.wav')),
      readVoice(recording('acoustic_corpus.wav'), 13),
    ],
  },
  judge: {
    room: [7.3, 4.4, 3.1],
    roomSeconds: [0.2, 0.4, 0.7, 1],
    bleedDb: [-6, -12, -18, -26],
    softer: [0, -8, -4, -6],
    seed: 11,
    voices: () => [
      readVoice(recording('austen-0870.wav')),
      readVoice(recording('um.flac')),
      readVoice(recording('sonnet001.mp3'), 0, 25),
      readVoice(recording('sonnet001.mp3'), 25),
    ],
  },
} as const;

function levelsOf(plane: Float32Array, tones: boolean): SpeechLevels {
  const meter = meterSpeechLevels({ tones, peaks: false });
  meter.open({ sampleRate: roomRate, channels: 1, layout: 'mono' });
  meter.process({ planes: [plane], frames: plane.length }, () => undefined);
  meter.flush(() => undefined);
  return meter.result();
}

/** Energy of one voice on a track over that of the others, with the track's gains, dB. */
function overOthers(parts: readonly Float32Array[], own: number, gainsDb: Float32Array): number {
  const powers = parts.map((part) =>
    part.reduce((sum, energy, hop) => sum + energy * 10 ** ((gainsDb[Math.min(hop, gainsDb.length - 1)] ?? 0) / 10), 0),
  );
  const all = powers.reduce((sum, power) => sum + power, 0);
  const alone = powers[own] ?? 0;
  return 10 * Math.log10(alone / (all - alone));
}

/** Of each track: own voice over the others, before and after, dB; and the tracks that are left alone, from 1. */
export function ownOverOthers(
  voices: readonly Float32Array[],
  plan: RoomPlan,
): { readonly before: readonly number[]; readonly after: readonly number[]; readonly left: readonly number[] } {
  const made = roomTracks(voices, plan);
  const levels = made.tracks.map((track) => levelsOf(track, true));
  const gains = levelTogether(levels.map((each) => ({ energy: each.energy, activity: findSpeech(each) }))).tracks;
  const parts = made.parts.map((heard) => heard.map((part) => levelsOf(part, false).energy));
  return {
    before: parts.map((heard, own) => overOthers(heard, own, new Float32Array(1))),
    after: parts.map((heard, own) => overOthers(heard, own, gains[own]?.curve.gainsDb ?? new Float32Array(1))),
    left: gains.flatMap((gain, own) => (gain.left === null ? [] : [own + 1])),
  };
}

/** Prints the table of one half, every second set-up with softer voices; `quick` keeps every twelfth. */
export function printGrid(half: keyof typeof halves, quick: boolean): void {
  const { room, roomSeconds, bleedDb, softer, seed, voices } = halves[half];
  const read = voices();
  const cases = [2, 3, 4].flatMap((count) =>
    roomSeconds.flatMap((seconds) =>
      [1, 2, 3].flatMap((metres) => bleedDb.map((db) => ({ count, roomSeconds: seconds, metres, bleedDb: db }))),
    ),
  );
  let [tracks, worse] = [0, 0];
  console.log(
    '| microphones | room, s | metres | bleed, dB | own minus bleed, before | after | left alone |\n' +
      `|${'---|'.repeat(7)}`,
  );
  for (const [index, { count, ...plan }] of cases.entries()) {
    if (quick && index % 12 !== 5) continue;
    const { before, after, left } = ownOverOthers(read.slice(0, count), {
      ...plan,
      room,
      seed,
      seconds: 40,
      ...(index % 2 === 1 ? { voicesDb: softer } : {}),
    });
    tracks += count;
    worse += after.filter((db, own) => db < (before[own] ?? 0) - 0.05).length;
    const shown = (values: readonly number[]): string => values.map((db) => db.toFixed(1)).join(' ');
    console.log(
      `| ${count} | ${plan.roomSeconds} | ${plan.metres} | ${plan.bleedDb} | ${shown(before)} | ${shown(after)} | ` +
        `${left.join(' ')} |`,
    );
  }
  console.log(`${half}: ${worse} of ${tracks} tracks are worse than their input`);
}
