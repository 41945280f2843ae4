// Recordings whose speakers are known: AMI clips, and conversations built by script from the samples' voices. Sets of
// conversations differ in their seeds; odd people and short turns are in the lively ones.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { speechRate } from '../../src/library/speech/speech-sound.ts';
import { seeded } from '../../test/fixtures/random.ts';
import { converse, readVoice, type Voice, voiceOf } from '../../test/fixtures/sounds/conversations.ts';
import { resampled, telephone } from '../quality/voice-cases.ts';
import type { NamedTurn } from './diarization-error.ts';

export interface Case {
  readonly name: string;
  /** 16 kHz mono, float32. */
  readonly path: string;
  readonly seconds: number;
  readonly reference: readonly NamedTurn[];
}

function writeCase(folder: string, name: string, sound: Float32Array, reference: readonly NamedTurn[]): Case {
  const path = join(folder, `${name}.f32`);
  writeFileSync(path, new Uint8Array(sound.buffer, sound.byteOffset, sound.byteLength));
  return { name, path, seconds: sound.length / speechRate, reference };
}

export function meetings(samples: string, folder: string): Case[] {
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
 * uh.flac come from where acoustic_corpus.wav comes from, sound much alike (cosine .45; no other two here have more
 * than .3), and may be the same person.
 */
function recordings(samples: string): (readonly [name: string, parts: readonly Float32Array[]])[] {
  const read = (name: string, from?: number, to?: number): Float32Array => readVoice(join(samples, name), from, to);
  return [
    ['jfk', [read('speech/jfk.wav')]],
    ['austen', ['0870', '0880', '0890'].map((part) => read(`speech/austen-${part}.wav`))],
    ['sonnet', [read('speech/sonnet001.mp3')]],
    ['acoustic', [read('fillers/acoustic_corpus.wav', 1)]],
    ['clean', [read('noise/clean_speech_48k.wav')]],
    ['FEE078', [read('meetings/ami-trn05.wav', 9.3, 19.1), read('meetings/ami-trn05.wav', 19.6, 30)]],
    ['FEE083', [read('meetings/ami-trn06.wav', 13.6, 21.7), read('meetings/ami-trn06.wav', 22.5, 30)]],
    ['fillers', [read('fillers/um.flac'), read('fillers/uh.flac')]],
  ];
}

/**
 * Sets 1, 2, 11, 12: one to eight people in turns of 1 to 8 s, from quiet rooms to 12 dB of noise, some interrupting.
 */
function calm(samples: string, folder: string, set: number): Case[] {
  const everyone = recordings(samples).map(([name, parts]) => voiceOf(name, parts));
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
    return writeCase(folder, `set${set}-${index + 1}`, sound, turns);
  });
}

/** A voice played at another speed sounds like another person (Ko et al. 2015). */
const speeds = [0.88, 1, 1.13];

/**
 * Sets 3, 4, 13, 14: one to five people, who may be played slower or faster; the second half in turns of 0.6 to 3 s;
 * every third one with noise at 15 or 20 dB, every fourth one through a telephone.
 */
function lively(samples: string, folder: string, set: number): Case[] {
  const everyone = speeds.map((speed) =>
    recordings(samples)
      .slice(0, 7)
      .map(([name, parts]) =>
        voiceOf(
          `${name}@${speed}`,
          speed === 1 ? parts : parts.map((part) => resampled(part, speechRate, Math.round(speechRate / speed))),
        ),
      ),
  );
  return [1, 2, 3, 4, 5, 1, 2, 3, 4, 5].map((people, index) => {
    const random = seeded(1000 * set + index);
    const voices = (everyone[0] as Voice[]).map(
      (_, voice) => everyone[Math.floor(random() * speeds.length)]?.[voice] as Voice,
    );
    const { samples: sound, turns } = converse(voices, {
      seed: 100 * set + index,
      people,
      seconds: 60 + 12 * people,
      noiseBelowDb: [15, null, 20][index % 3] as number | null,
      interrupting: [0.1, 0.3][index % 2] as number,
      levelRangeDb: [6, 0, 10][index % 3] as number,
      turnSeconds: index < 5 ? [1, 8] : [0.6, 3],
    });
    const heard =
      index % 4 === 3 ? resampled(telephone(resampled(sound, speechRate, 48_000)), 8000, speechRate) : sound;
    return writeCase(folder, `set${set}-${index + 1}`, heard, turns);
  });
}

/** @param set its recipe and its seeds: 1, 2, 11 and 12 are calm, all others lively */
export const conversations = (samples: string, folder: string, set: number): Case[] =>
  ([1, 2, 11, 12].includes(set) ? calm : lively)(samples, folder, set);
