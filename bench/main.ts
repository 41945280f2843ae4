// `npm run bench`: each piece of work beside its named peer in the same run, medians and ratios. `-- --quick` takes 10-minute files.
import { spawnSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { benchFile, type BenchFormat, ffmpeg } from './media.ts';

interface Figure {
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly peakMb: number;
}

const quick = process.argv.includes('--quick');
const withoutLong = process.argv.includes('--no-10h');
const seconds = quick ? 600 : 3600;
const runs = quick ? 3 : 5;
const formats: readonly BenchFormat[] = ['wav', 'flac', 'mp3', 'm4a', 'opus'];
const worker = fileURLToPath(new URL('worker.ts', import.meta.url));

function ours(work: string, path: string, options: object = {}): Figure {
  const ran = spawnSync(process.execPath, [worker, work, path, JSON.stringify(options)], { encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`${work} ${path} failed: ${ran.stderr}`);
  return JSON.parse(ran.stdout) as Figure;
}

/** ffmpeg's own accounting of its process, which it prints with -benchmark; several commands add up. */
function peer(...commands: readonly (readonly string[])[]): Figure {
  let total: Figure = { cpuSeconds: 0, wallSeconds: 0, peakMb: 0 };
  for (const args of commands) {
    const { stderr } = ffmpeg(['-benchmark', '-nostats', ...args]);
    const [, utime, stime, rtime] = /utime=([\d.]+)s stime=([\d.]+)s rtime=([\d.]+)s/.exec(stderr) ?? [];
    const rss = /maxrss=(\d+)ki?B/i.exec(stderr)?.[1];
    total = { cpuSeconds: total.cpuSeconds + Number(utime) + Number(stime), wallSeconds: total.wallSeconds + Number(rtime), peakMb: Math.max(total.peakMb, Number(rss) / 1024) };
  }
  return total;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

/** Alternates the two, so that a change of the machine's speed meets both. */
function compare(name: string, peerName: string, mine: () => Figure, theirs: () => Figure): Figure {
  const a: Figure[] = [];
  const b: Figure[] = [];
  for (let run = 0; run < runs; run += 1) {
    a.push(mine());
    b.push(theirs());
  }
  const cpu = median(a.map((figure) => figure.cpuSeconds));
  const peerCpu = median(b.map((figure) => figure.cpuSeconds));
  const ratio = median(a.map((figure, run) => figure.cpuSeconds / (b[run] as Figure).cpuSeconds));
  const peakMb = Math.max(...a.map((figure) => figure.peakMb));
  const row = [name, peerName, cpu.toFixed(2), peerCpu.toFixed(2), ratio.toFixed(2), (seconds / median(a.map((figure) => figure.wallSeconds))).toFixed(0), peakMb.toFixed(0)];
  console.log(`| ${row.join(' | ')} |`);
  return { cpuSeconds: cpu, wallSeconds: median(a.map((figure) => figure.wallSeconds)), peakMb };
}

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

console.log(`machine: ${cpus().length} x ${cpus()[0]?.model.trim()}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}; media ${seconds} s stereo 44.1 kHz; medians of ${runs}\n`);
console.log('| work | peer | CPU s | peer CPU s | CPU ratio | x real time | peak MB |\n|---|---|---|---|---|---|---|');
const decodeFigures = new Map<BenchFormat, Figure>();
for (const format of formats) {
  const path = benchFile(format, seconds);
  decodeFigures.set(format, compare(`decode ${format}`, 'ffmpeg -threads 1 -f null', () => ours('decode', path), () => peer(['-threads', '1', '-i', path, '-f', 'null', '-'])));
}
for (const format of formats) {
  const path = benchFile(format, seconds);
  const figure = compare(`analyze ${format}`, 'ffmpeg ebur128=peak=true,silencedetect', () => ours('analyze_audio', path), () =>
    peer(['-threads', '1', '-i', path, '-af', 'ebur128=peak=true,silencedetect', '-f', 'null', '-']));
  console.log(`| analyze ${format} / decode ${format} | | | | ${(figure.cpuSeconds / (decodeFigures.get(format) as Figure).cpuSeconds).toFixed(2)} | | |`);
}
for (const [format, codec] of [['wav', ['-c:a', 'pcm_s16le']], ['flac', ['-c:a', 'flac']], ['mp3', ['-c:a', 'libmp3lame', '-b:a', '192k']]] as const) {
  const path = benchFile(format, seconds);
  const out = `/tmp/earshot-bench-peer.${format}`;
  const commands = loudnormPasses(path, out, codec);
  compare(`loudness ${format}`, 'ffmpeg two-pass loudnorm, same codec', () => ours('adjust_loudness', path), () => peer(...commands));
}
compare('peaks wav', 'the same in JavaScript', () => ours('peaks', benchFile('wav', seconds)), () => ours('peaks-js', benchFile('wav', seconds)));

if (!withoutLong) {
  console.log('\n| peak memory, MB | 1 h | 10 h |\n|---|---|---|');
  const short = benchFile('mp3', 3600);
  const long = benchFile('mp3', 36_000);
  for (const [name, work, options] of [['decode mp3', 'decode', {}], ['analyze mp3', 'analyze_audio', { detail: 'full' }], ['loudness mp3 to flac', 'adjust_loudness', { output_format: 'flac' }], ['convert mp3 to wav', 'convert_audio', { format: 'wav' }], ['peaks mp3', 'peaks', {}]] as const) {
    console.log(`| ${name} | ${ours(work, short, options).peakMb.toFixed(0)} | ${ours(work, long, options).peakMb.toFixed(0)} |`);
  }
}
