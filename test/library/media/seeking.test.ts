// A part that is read by itself is that part of the whole, to the sample, also where a container's times only count
// about.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ffmpeg, needFfmpeg, readAll, scratch } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { voice } from '../../fixtures/media/signals.ts';
import { allMarks, findMarks, markedSound, marksDiffer } from '../../fixtures/sounds/marks.ts';
import { slow } from '../../fixtures/rounds.ts';

const at = scratch();
const rate = 44_100;
const wav = (): string => writeWav(at('voice.wav'), [voice(4 * rate, rate, 3)], rate);

function expectExact(path: string, places: readonly number[] = [1.7, 3.1]): void {
  const { planes, format } = readAll(path);
  const whole = planes[0] as Float32Array;
  for (const from of places) {
    const part = readAll(path, { from, to: from + 0.3 }).planes[0] as Float32Array;
    const first = Math.round(from * format.sampleRate);
    const off = part.reduce((most, sample, i) => Math.max(most, Math.abs(sample - (whole[first + i] ?? 0))), 0);
    expect(off, `${path} from ${from}`).toBeLessThan(0.005);
  }
}

it.for([
  ['wav', 'packed samples', '-c:a', 'adpcm_ms'],
  ['ac3', 'raw AC-3', '-c:a', 'ac3'],
  ['mpg', 'programme stream', '-c:a', 'ac3'],
  ['ogg', 'Vorbis that starts late', '-c:a', 'libvorbis'],
  ['oga', 'FLAC that starts late', '-c:a', 'flac'],
] as const)('%s: %s', ([extension, , ...codec], context) => {
  needFfmpeg(context);
  ffmpeg('-itsoffset', extension.startsWith('og') ? '0.972' : '0', '-i', wav(), ...codec, at(`one.${extension}`));
  expectExact(at(`one.${extension}`));
});

it.for([24_000, 32_000, 44_100])(
  'ogg: Vorbis of %i Hz, from packets that are shorter than the one before',
  slow,
  (hz, context) => {
    needFfmpeg(context);
    ffmpeg('-i', writeWav(at('marks.wav'), [markedSound(hz)], hz), '-c:a', 'libvorbis', at('marks.ogg'));
    expectExact(
      at('marks.ogg'),
      Array.from({ length: 27 }, (_, n) => 1 + 0.1 * n),
    );
  },
);

it('mp4: Opus in fragments, which do not state what is decoded before the sound', slow, (context) => {
  needFfmpeg(context);
  ffmpeg('-i', wav(), '-c:a', 'libopus', '-movflags', 'frag_keyframe+empty_moov', at('opus.mp4'));
  expectExact(at('opus.mp4'));
});

it('flac: behind bytes that are none', slow, (context) => {
  needFfmpeg(context);
  ffmpeg('-i', wav(), at('plain.flac'));
  writeFileSync(at('behind.flac'), Buffer.concat([Buffer.alloc(3000), readFileSync(at('plain.flac'))]));
  expectExact(at('behind.flac'));
});

it('sound whose rate changes has no gaps in it', slow, (context) => {
  needFfmpeg(context);
  const parts = [32_000, 44_100].map((hz) => {
    const path = at(`${hz}.mpg`);
    ffmpeg('-i', writeWav(at('marks.wav'), [markedSound(hz)], hz), '-c:a', 'mp2', path);
    return readFileSync(path);
  });
  writeFileSync(at('changes.mpg'), Buffer.concat(parts));
  const { planes, format } = readAll(at('changes.mpg'));
  const marks = findMarks(planes[0] as Float32Array, format.sampleRate);
  const places = [0, 4].flatMap((later) => allMarks.map((mark) => ({ ...mark, seconds: mark.seconds + later })));
  expect(marksDiffer(marks, places, 0.06)).toBeNull();
});
