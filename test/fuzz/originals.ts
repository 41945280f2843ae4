// One small file of every kind that can be read here, for others to damage.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputFormatIds } from '../../src/library/media/formats.ts';
import { ffmpeg, hasFfmpeg, readAll, writeAll } from '../fixtures/media/media.ts';
import { amrBytes, writeWav } from '../fixtures/media/pcm-files.ts';
import { makeAvi, makeVideo } from '../fixtures/media/videos.ts';
import { seeded } from '../fixtures/random.ts';
import { recording } from '../fixtures/recordings.ts';

/** @returns paths, in an order that depends on the machine's ffmpeg alone */
export async function makeOriginals(folder: string): Promise<string[]> {
  const at = (name: string): string => join(folder, name);
  const rate = 22_050;
  const sound = readAll(recording('jfk.wav'), { from: 1, to: 2.2, channels: 2, rate }).planes;
  const files: string[] = outputFormatIds.map(
    (format) => writeAll(at(`own.${format}`), sound, rate, { format, tags: { title: 'fuzz', artist: 'x' } }).path,
  );
  files.push(writeWav(at('float.wav'), sound, rate, 'f64'));
  writeFileSync(at('own.amr'), amrBytes(60, seeded(1)));
  files.push(at('own.amr'), await makeAvi(at('own.avi'), sound, rate));
  if (!hasFfmpeg) {
    console.log('fuzz without mp4, mov, mkv, webm, ts, mpg, flv, wmv, caf, ac3, wv, au: ffmpeg is not installed');
    return files;
  }
  for (const extension of ['mp4', 'mov', 'mkv', 'webm', 'ts', 'mpg', 'flv', 'wmv'])
    files.push(
      makeVideo(at(`film.${extension}`), sound, rate, extension === 'mpg' ? { output: ['-ar', '44100'] } : {}),
    );
  for (const extension of ['caf', 'ac3', 'wv', 'au', 'w64', 'mka']) {
    ffmpeg('-i', at('own.wav'), at(`other.${extension}`));
    files.push(at(`other.${extension}`));
  }
  return files;
}
