// What the table of whole commands compares: each with what people use for the same, on files made by script.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, earshot, ffmpegCommand } from '../compare.ts';
import { type BenchFormat, benchFile, ffmpeg, musicFile, talkFile } from '../media.ts';

export interface Row {
  /** Part of the bench, as in `--only`. */
  readonly part: string;
  readonly work: string;
  readonly peer: string;
  ours(): readonly Command[];
  theirs(): readonly Command[];
}

const checkout = fileURLToPath(new URL('../../earshot', import.meta.url));
const worker = fileURLToPath(new URL('../worker.ts', import.meta.url));
const codecs: Readonly<Record<string, readonly string[]>> = {
  wav: ['-c:a', 'pcm_s16le'],
  flac: ['-c:a', 'flac'],
  mp3: ['-c:a', 'libmp3lame', '-b:a', '192k'],
  m4a: ['-c:a', 'aac', '-b:a', '192k'],
  ogg: ['-c:a', 'libvorbis', '-b:a', '160k'],
  opus: ['-c:a', 'libopus', '-b:a', '128k'],
};

/** Both passes of FFmpeg's filter as its own documentation has it: the second gets what the first has measured. */
function loudnormPasses(path: string, out: string, codec: readonly string[]): readonly Command[] {
  const target = 'I=-16:TP=-1:LRA=20';
  const measure = ['-i', path, '-af', `loudnorm=${target}:print_format=json`, '-f', 'null', '-'];
  const { stderr } = ffmpeg(['-nostats', ...measure]);
  const read = JSON.parse(stderr.slice(stderr.lastIndexOf('{'), stderr.lastIndexOf('}') + 1)) as Record<string, string>;
  const measured =
    `measured_I=${read['input_i']}:measured_TP=${read['input_tp']}:measured_LRA=${read['input_lra']}:` +
    `measured_thresh=${read['input_thresh']}:offset=${read['target_offset']}:linear=true`;
  return [
    ffmpegCommand(...measure),
    ffmpegCommand('-i', path, '-af', `loudnorm=${target}:${measured}`, '-ar', '44100', ...codec, out),
  ];
}

/**
 * @param seconds of the files
 * @param folder for what the commands write
 */
export function rowsOf(seconds: number, folder: string): readonly Row[] {
  const file = (format: BenchFormat): string => benchFile(format, seconds);
  const [mine, peers] = [
    (name: string) => join(folder, `ours.${name}`),
    (name: string) => join(folder, `peer.${name}`),
  ];
  const analysed = (format: BenchFormat): Row => ({
    part: 'analyze',
    work: `media-info of ${format}`,
    peer: 'ffmpeg ebur128=peak=true,silencedetect',
    ours: () => [earshot('media-info', file(format))],
    theirs: () => [ffmpegCommand('-i', file(format), '-af', 'ebur128=peak=true,silencedetect', '-f', 'null', '-')],
  });
  const louder = (format: 'wav' | 'flac' | 'mp3' | 'm4a'): Row => ({
    part: 'loudness',
    work: `loudness of wav to ${format}`,
    peer: 'ffmpeg two-pass loudnorm, same codec',
    ours: () => [earshot('loudness', file('wav'), '--output-format', format, '-y', '-o', mine(format))],
    theirs: () => loudnormPasses(file('wav'), peers(format), codecs[format] ?? []),
  });
  const converted = (from: BenchFormat, to: string): Row => ({
    part: 'convert',
    work: `convert ${from} to ${to}`,
    peer: 'ffmpeg, same codec',
    ours: () => [earshot('convert', file(from), '--format', to, '-y', '-o', mine(to))],
    theirs: () => [ffmpegCommand('-i', file(from), ...(codecs[to] ?? []), peers(to))],
  });
  const twoParts = '[0]atrim=0:60[a];[0]atrim=120[b];[a][b]concat=n=2:v=0:a=1';
  const cut = (format: BenchFormat, work: string, ...flags: string[]): Row => ({
    part: 'copies',
    work,
    peer: 'ffmpeg atrim, concat',
    ours: () => [earshot('cut', file(format), '--ranges', '60-120', ...flags, '-y', '-o', mine(format))],
    theirs: () => [
      ffmpegCommand('-i', file(format), '-filter_complex', twoParts, ...(codecs[format] ?? []), peers(format)),
    ],
  });
  const resampled = ['convert', file('wav'), '--format', 'wav', '--sample-rate', '48000', '-y', '-o', mine('wav')];
  const second = (): string => benchFile('wav', 1);
  return [
    ...(['wav', 'flac', 'mp3', 'm4a', 'ogg', 'opus'] as const).map(analysed),
    ...(['m4a', 'mp3', 'flac', 'wav'] as const).map(louder),
    ...['m4a', 'mp3', 'opus', 'ogg', 'flac', 'wav'].map((to) => converted('wav', to)),
    converted('mp3', 'wav'),
    {
      part: 'resample',
      work: '44.1 to 48 kHz',
      peer: 'ffmpeg, swresample as it comes',
      ours: () => [earshot(...resampled)],
      theirs: () => [ffmpegCommand('-i', file('wav'), '-ar', '48000', peers('wav'))],
    },
    {
      part: 'resample',
      work: '44.1 to 48 kHz',
      peer: 'sox rate -v',
      ours: () => [earshot(...resampled)],
      theirs: () => [['sox', '-D', file('wav'), peers('wav'), 'rate', '-v', '48000']],
    },
    cut('wav', 'cut of a wav'),
    cut('flac', 'cut of a flac'),
    cut('flac', 'cut of a flac, packets kept', '--keep-encoding'),
    cut('mp3', 'cut of an mp3, packets kept', '--keep-encoding'),
    {
      part: 'copies',
      work: 'remove-silence of a wav',
      peer: 'ffmpeg silenceremove',
      ours: () => [earshot('remove-silence', file('wav'), '-y', '-o', mine('wav'))],
      theirs: () => [
        ffmpegCommand(
          '-i',
          file('wav'),
          '-af',
          'silenceremove=stop_periods=-1:stop_duration=0.7:stop_threshold=-30dB',
          peers('wav'),
        ),
      ],
    },
    {
      part: 'mix',
      work: 'mix of a voice and music, ducked, at -16 LUFS',
      peer: 'ffmpeg sidechaincompress, amix, loudnorm',
      ours: () => [
        earshot(
          'mix',
          file('wav'),
          musicFile(seconds),
          '--tracks',
          '[{"role":"voice"},{"role":"music"}]',
          '--duck',
          '-y',

          '-o',
          mine('wav'),
        ),
      ],
      theirs: () => [
        ffmpegCommand(
          '-i',
          file('wav'),
          '-i',
          musicFile(seconds),
          '-filter_complex',
          '[0]asplit[v][k];[1][k]sidechaincompress[m];[v][m]amix=normalize=0,loudnorm=I=-16:TP=-1',
          '-ar',
          '44100',
          peers('wav'),
        ),
      ],
    },
    {
      part: 'peaks',
      work: 'peaks of a wav, drawn',
      peer: 'ffmpeg showwavespic',
      ours: () => [earshot('peaks', file('wav'), '-y', '--png', mine('png'))],
      theirs: () => [
        ffmpegCommand('-i', file('wav'), '-filter_complex', 'showwavespic', '-frames:v', '1', peers('png')),
      ],
    },
    {
      part: 'noise',
      work: 'remove-noise of a voice, 48 kHz',
      peer: 'the plain network, on one core',
      ours: () => [earshot('remove-noise', talkFile(seconds), '-y', '-o', mine('wav'))],
      theirs: () => [[process.execPath, worker, 'plain-network', talkFile(seconds)]],
    },
    {
      part: 'start',
      work: '`./earshot --version` in a checkout',
      peer: 'node -e 0',
      ours: () => [[checkout, '--version']],
      theirs: () => [[process.execPath, '-e', '0']],
    },
    {
      part: 'start',
      work: '`./earshot --help`',
      peer: 'node -e 0',
      ours: () => [[checkout, '--help']],
      theirs: () => [[process.execPath, '-e', '0']],
    },
    {
      part: 'start',
      work: '`./earshot media-info` of a second',
      peer: 'ffmpeg ebur128=peak=true',
      ours: () => [[checkout, 'media-info', second()]],
      theirs: () => [ffmpegCommand('-i', second(), '-af', 'ebur128=peak=true', '-f', 'null', '-')],
    },
  ];
}
