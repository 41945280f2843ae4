// `npm run bench`: each piece of work beside its named peer in the same run, medians and ratios. After `--`: `--quick`
// takes 10-minute files, `--runs=5` more runs, `--only=decode,analyze,loudness,peaks,copies,convert,memory` some of the
// parts. With `--quality` it is the table of what cleaning does to speech instead: quality/table.ts.
import { compare, type Figure, machineLine, ours, peer, seconds, tableHead, wanted, withoutLong } from './compare.ts';
import { benchFile, type BenchFormat, ffmpeg } from './media.ts';

// It ends the process.
if (process.argv.includes('--quality')) await import('./quality/table.ts');

const loudnormPasses = (path: string, out: string, codec: readonly string[]): (readonly string[])[] => {
  const target = 'I=-16:TP=-1:LRA=20';
  const { stderr } = ffmpeg(['-nostats', '-i', path, '-af', `loudnorm=${target}:print_format=json`, '-f', 'null', '-']);
  const read = JSON.parse(stderr.slice(stderr.lastIndexOf('{'), stderr.lastIndexOf('}') + 1)) as Record<string, string>;
  const measured = `measured_I=${read['input_i']}:measured_TP=${read['input_tp']}:measured_LRA=${read['input_lra']}:measured_thresh=${read['input_thresh']}:offset=${read['target_offset']}:linear=true`;
  return [
    ['-i', path, '-af', `loudnorm=${target}:print_format=json`, '-f', 'null', '-'],
    ['-v', 'info', '-y', '-i', path, '-af', `loudnorm=${target}:${measured}`, '-ar', '44100', ...codec, out],
  ];
};

const formats: readonly BenchFormat[] = ['wav', 'flac', 'mp3', 'm4a', 'opus'];
console.log(`${machineLine()}\n`);
console.log(tableHead);
const decodeFigures = new Map<BenchFormat, Figure>();
for (const format of wanted('decode') || wanted('analyze') ? formats : []) {
  const path = benchFile(format, seconds);
  decodeFigures.set(
    format,
    compare(
      `decode ${format}`,
      'ffmpeg -threads 1 -f null',
      () => ours('decode', path),
      () => peer(['-threads', '1', '-i', path, '-f', 'null', '-']),
    ),
  );
}
for (const format of wanted('analyze') ? formats : []) {
  const path = benchFile(format, seconds);
  const figure = compare(
    `analyze ${format}`,
    'ffmpeg ebur128=peak=true,silencedetect',
    () => ours('analyze_audio', path),
    () => peer(['-threads', '1', '-i', path, '-af', 'ebur128=peak=true,silencedetect', '-f', 'null', '-']),
  );
  console.log(
    `| analyze ${format} / decode ${format} | | | | ` +
      `${(figure.cpuSeconds / (decodeFigures.get(format) as Figure).cpuSeconds).toFixed(2)} | | |`,
  );
}
for (const [format, codec] of [
  ['wav', ['-c:a', 'pcm_s16le']],
  ['flac', ['-c:a', 'flac']],
  ['mp3', ['-c:a', 'libmp3lame', '-b:a', '192k']],
] as const) {
  if (!wanted('loudness')) break;
  const path = benchFile(format, seconds);
  const out = `/tmp/earshot-bench-peer.${format}`;
  const commands = loudnormPasses(path, out, codec);
  compare(
    `loudness ${format}`,
    'ffmpeg two-pass loudnorm, same codec',
    () => ours('adjust_loudness', path),
    () => peer(...commands),
  );
}
if (wanted('peaks'))
  compare(
    'peaks wav',
    'the same in JavaScript',
    () => ours('peaks', benchFile('wav', seconds)),
    () => ours('peaks-js', benchFile('wav', seconds)),
  );

const cuts = { ranges: [[60, 120]] };
const twoParts = '[0]atrim=0:60[a];[0]atrim=120[b];[a][b]concat=n=2:v=0:a=1';
if (wanted('copies')) {
  const [wav, mp3] = [benchFile('wav', seconds), benchFile('mp3', seconds)];
  compare(
    'cut wav, samples moved',
    'ffmpeg atrim, concat',
    () => ours('cut_audio', wav, cuts),
    () => peer(['-y', '-i', wav, '-filter_complex', twoParts, '/tmp/earshot-bench-peer.wav']),
  );
  compare(
    'cut mp3, packets kept',
    'ffmpeg atrim, concat, encoded',
    () => ours('cut_audio', mp3, { ...cuts, keep_encoding: true }),
    () => peer(['-y', '-i', mp3, '-filter_complex', twoParts, '-b:a', '192k', '/tmp/earshot-bench-peer.mp3']),
  );
}
for (const [from, to] of [
  ['wav', 'wav'],
  ['mp3', 'wav'],
  ['wav', 'flac'],
] as const) {
  if (!wanted('convert')) break;
  const path = benchFile(from, seconds);
  compare(
    `convert ${from} to ${to}`,
    'ffmpeg, same codec',
    () => ours('convert_audio', path, { format: to }),
    () => peer(['-y', '-i', path, `/tmp/earshot-bench-peer.${to}`]),
  );
}

if (!withoutLong && wanted('memory')) {
  console.log('\n| peak memory, MB | 1 h | 10 h |\n|---|---|---|');
  const short = benchFile('mp3', 3600);
  const long = benchFile('mp3', 36_000);
  for (const [name, work, options] of [
    ['decode mp3', 'decode', {}],
    ['analyze mp3', 'analyze_audio', { detail: 'full' }],
    ['loudness mp3 to flac', 'adjust_loudness', { output_format: 'flac' }],
    ['convert mp3 to wav', 'convert_audio', { format: 'wav' }],
    ['peaks mp3', 'peaks', {}],
  ] as const) {
    console.log(
      `| ${name} | ${ours(work, short, options).peakMb.toFixed(0)} | ${ours(work, long, options).peakMb.toFixed(0)} |`,
    );
  }
}
