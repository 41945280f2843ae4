// `npm run bench:edit`: cutting, silence removal, joining and swapping beside the ffmpeg commands that people use for
// them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare, machineLine, ours, peer, seconds, tableHead, withoutLong } from '../compare.ts';
import { benchFile, ffmpeg } from '../media.ts';

const folder = mkdtempSync(join(tmpdir(), 'earshot-bench-edit-'));
const out = (name: string): string => join(folder, name);
/** Fifty ranges of four seconds, evenly spread. */
const ranges = Array.from(
  { length: 50 },
  (_, index) => [(index * seconds) / 50 + 3, (index * seconds) / 50 + 7] as const,
);
const dropped = ranges.map(([start, end]) => `between(t,${start},${end})`).join('+');

try {
  console.log(`${machineLine()}\n\n${tableHead}`);
  const wav = benchFile('wav', seconds);
  const flac = benchFile('flac', seconds);
  compare(
    'cut 50 ranges, wav',
    'ffmpeg aselect',
    () => ours('cut_audio', wav, { ranges }),
    () => peer(['-y', '-i', wav, '-af', `aselect='not(${dropped})',asetpts=N/SR/TB`, out('cut.wav')]),
  );
  compare(
    'cut 50 ranges, flac',
    'ffmpeg aselect',
    () => ours('cut_audio', flac, { ranges }),
    () => peer(['-y', '-i', flac, '-af', `aselect='not(${dropped})',asetpts=N/SR/TB`, out('cut.flac')]),
  );
  compare(
    'remove silence, wav',
    'ffmpeg silenceremove',
    () => ours('remove_silence', wav),
    () =>
      peer([
        '-y',
        '-i',
        wav,
        '-af',
        'silenceremove=stop_periods=-1:stop_duration=0.7:stop_threshold=-30dB',
        out('silence.wav'),
      ]),
  );
  compare(
    'join two, wav',
    'ffmpeg concat filter',
    () => ours('join_audio', { file_ids: [wav, wav] }, { match_loudness: false }),
    () => peer(['-y', '-i', wav, '-i', wav, '-filter_complex', '[0:a][1:a]concat=n=2:v=0:a=1', out('join.wav')]),
  );
  const video = out('video.mp4');
  ffmpeg([
    '-v',
    'error',
    '-y',
    '-f',
    'lavfi',
    '-i',
    `testsrc2=size=1280x720:rate=25:duration=${Math.min(seconds, 600)}`,
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-pix_fmt',
    'yuv420p',
    video,
  ]);
  compare(
    'swap soundtrack (10 min of 720p)',
    'ffmpeg -c:v copy -c:a aac',
    () => ours('replace_audio', { video_file_id: [video], audio_file_id: [wav] }),
    () =>
      peer([
        '-y',
        '-i',
        video,
        '-i',
        wav,
        '-map',
        '0:v',
        '-map',
        '1:a',
        '-c:v',
        'copy',
        '-c:a',
        'aac',
        '-b:a',
        '160k',
        '-shortest',
        '-movflags',
        '+faststart',
        out('swap.mp4'),
      ]),
  );
  if (!withoutLong) {
    console.log('\n| peak memory, MB | 1 h | 10 h |\n|---|---|---|');
    const short = benchFile('mp3', 3600);
    const long = benchFile('mp3', 36_000);
    const row = (name: string, measure: (path: string) => number): void =>
      console.log(`| ${name} | ${measure(short).toFixed(0)} | ${measure(long).toFixed(0)} |`);
    row(
      'cut mp3',
      (path) =>
        ours('cut_audio', path, {
          ranges: [
            [10, 20],
            [1000, 1100],
          ],
        }).peakMb,
    );
    row('remove silence mp3', (path) => ours('remove_silence', path).peakMb);
    row(
      'join mp3 to flac',
      (path) => ours('join_audio', { file_ids: [path, short] }, { output_format: 'flac' }).peakMb,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
