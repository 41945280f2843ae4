// Is music behind a voice told from noise by what a suppressor takes away? Thresholds were set with an eye on
// families A to C, which have instruments, noises and voices of their own. node bench/quality/run.ts --music
import { otherPieces } from '../../test/fixtures/sounds/second-band.ts';
import { pieces } from '../../test/fixtures/sounds/music.ts';
import { musicTaken, watched } from '../../test/fixtures/sounds/watched.ts';
import { mix, noises, rate, sample } from './mixtures.ts';
import { machines } from './machines.ts';
import { otherNoises } from './other-noises.ts';
import { engines, likeMusic } from './passages.ts';
import { spoken } from './voice-decisions.ts';

const seconds = 12;
const frames = seconds * rate;
/** Voice over what is behind it, dB. */
const ratios = [2, 8, 14, 20] as const;

interface Family {
  readonly voices: Readonly<Record<string, Float32Array>>;
  readonly music: Readonly<Record<string, (seconds: number) => Float32Array>>;
  readonly noises: Readonly<Record<string, Float32Array>>;
}

const repeated = (plane: Float32Array): Float32Array =>
  Float32Array.from({ length: frames }, (_, i) => plane[i % plane.length] as number);

const text =
  'The harbour was quiet in the early morning, and only two boats had come back from the night. A man in a yellow coat ' +
  'carried boxes to the road, where a lorry was waiting with its doors open. Nobody spoke, for everybody knew what had ' +
  'to be done.';

function families(): Record<string, Family> {
  const made = (list: Readonly<Record<string, (count: number) => Float32Array>>): Record<string, Float32Array> =>
    Object.fromEntries(Object.entries(list).map(([name, noise]) => [name, noise(frames)]));
  const sonnet = sample('speech/sonnet001.mp3').slice(5 * rate, 5 * rate + frames);
  const [woman, man] = [spoken('en-gb+f3', text), spoken('en-us+m4', text)];
  if (!woman || !man) console.log('espeak-ng is not installed: family B has the voice of sonnet001 alone');
  return {
    A: {
      voices: {
        clean: repeated(sample('noise/clean_speech_48k.wav')),
        austen: repeated(sample('speech/austen-0870.wav')),
      },
      music: pieces,
      noises: { ...made(noises), ...likeMusic() },
    },
    B: {
      voices: {
        sonnet,
        ...(woman && man ? { woman: repeated(woman), man: repeated(man) } : {}),
      },
      music: otherPieces,
      noises: made(otherNoises),
    },
    C: { voices: { sonnet }, music: {}, noises: made(machines) },
  };
}

/** Shares of the seconds that are taken for music behind a voice: high for music, 0 for noise. */
export async function benchMusicUnderVoice(): Promise<void> {
  for (const engine of await engines()) {
    for (const [name, { voices, music, noises: noise }] of Object.entries(families())) {
      const kinds: Record<string, Record<string, Float32Array>> = {
        music: Object.fromEntries(Object.entries(music).map(([piece, play]) => [piece, play(seconds)])),
        noise,
      };
      for (const [kind, sounds] of Object.entries(kinds)) {
        if (Object.keys(sounds).length === 0) continue;
        console.log(
          `\n${engine.id}, family ${name}: ${kind}, share of seconds taken for music, by the voice's level over it\n` +
            `| sound | ${ratios.map((db) => `${db} dB`).join(' | ')} |\n|---|${ratios.map(() => '---').join('|')}|`,
        );
        for (const [title, sound] of Object.entries(sounds)) {
          const shares: string[] = [];
          for (const ratio of ratios) {
            let taken = 0;
            for (const voice of Object.values(voices)) {
              const plane = mix(voice, sound, ratio);
              const { planes } = await watched(engine, [plane]);
              taken += musicTaken(plane, planes[0] as Float32Array).reduce((sum, x) => sum + x, 0);
            }
            shares.push((taken / seconds / Object.keys(voices).length).toFixed(2));
          }
          console.log(`| ${title} | ${shares.join(' | ')} |`);
        }
      }
    }
  }
}
