// Cutting ranges out of a 720p H.264 video: ours (groups copied, seams encoded) beside Debian's ffmpeg, which encodes
// all of it. node bench/tools/video-cut.ts [--quick] [--seconds N] [--ranges N] [--all: ours without copying, too]
// [--peer-seconds N: the peer on the first N seconds, scaled]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compose } from '../../src/library/pcm/compose.ts';
import { complementRanges, timeMap, type EditList } from '../../src/library/edit/edit-list.ts';
import { renderEdits } from '../../src/library/edit/render-sound.ts';
import { openAudio } from '../../src/library/media/read/decode.ts';
import { openVideoEdit } from '../../src/library/media/video/video-edit.ts';
import { allocatorEnvironment } from '../../src/library/runtime/process/spawn.ts';
import { probe } from '../../src/library/media/read/probe.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    seconds: { type: 'string' },
    ranges: { type: 'string' },
    'peer-seconds': { type: 'string' },
    child: { type: 'boolean' },
    all: { type: 'boolean' },
  },
});
const seconds = Number(values.seconds ?? (values.quick ? 300 : 3600));
const ranges = Number(values.ranges ?? (values.quick ? 10 : 50));
const folder = fileURLToPath(new URL('../.media/', import.meta.url));
const self = fileURLToPath(import.meta.url);
const outOf = (who: string): string => join(folder, `video-cut-${seconds}s-${who}.mp4`);

function ffmpeg(...args: string[]): string {
  const ran = spawnSync('ffmpeg', ['-nostdin', '-hide_banner', '-nostats', ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (ran.error)
    throw new Error(`This bench compares with Debian's ffmpeg: apt-get install ffmpeg (${ran.error.message})`);
  if (ran.status !== 0) throw new Error(`ffmpeg ${args.join(' ')} failed:\n${ran.stderr.slice(-2000)}`);
  return ran.stderr;
}

/**
 * Five minutes of moving test picture (with its running number) and noise at 30 a second, keyframes at x264's own
 * distance; longer ones repeat it.
 */
function source(): string {
  mkdirSync(folder, { recursive: true });
  const base = join(folder, 'video-cut-300s.mp4');
  if (!existsSync(base)) {
    process.stderr.write(`making ${base} ...\n`);
    const partial = `${base}.making.mp4`;
    ffmpeg(
      '-v',
      'error',
      '-y',
      '-f',
      'lavfi',
      '-i',
      'testsrc2=s=1280x720:r=30:d=300,noise=alls=6:allf=t',
      '-f',
      'lavfi',
      '-i',
      'aevalsrc=0.3*sin(2*PI*140*t+3*sin(2*PI*3*t))*lt(mod(t\\,4)\\,3):s=48000:d=300,aformat=channel_layouts=stereo',
      '-c:v',
      'libx264',
      '-preset',
      'veryfast',
      '-crf',
      '23',
      '-pix_fmt',
      'yuv420p',
      '-c:a',
      'aac',
      '-b:a',
      '160k',
      partial,
    );
    renameSync(partial, base);
  }
  if (seconds <= 300) return base;
  const path = join(folder, `video-cut-${seconds}s.mp4`);
  if (!existsSync(path)) {
    const partial = `${path}.making.mp4`;
    ffmpeg(
      '-v',
      'error',
      '-y',
      '-stream_loop',
      String(Math.ceil(seconds / 300) - 1),
      '-i',
      base,
      '-c',
      'copy',
      '-t',
      String(seconds),
      partial,
    );
    renameSync(partial, path);
  }
  return path;
}

/** Ranges of 1 to 15 s at even distances, shifted by a fixed random. */
function editList(rate: number, frames: number): EditList {
  let state = 12345;
  const random = (): number => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
  const step = seconds / ranges;
  const longest = Math.min(15, step * 0.4);
  const removed = Array.from({ length: ranges }, (_, n) => {
    const start = Math.round((n * step + random() * step * 0.5) * rate);
    return { start, end: start + Math.round((1 + random() * (longest - 1)) * rate) };
  });
  return {
    sampleRate: rate,
    sourceFrames: frames,
    keeps: complementRanges(removed, frames),
    crossfadeFrames: Math.round(0.01 * rate),
  };
}

async function ours(all: boolean): Promise<void> {
  const path = source();
  const began = performance.now();
  const audio = openAudio(probe(path));
  const edits = editList(audio.format.sampleRate, audio.expectedFrames ?? 0);
  const map = timeMap(edits);
  const pipeline = compose([renderEdits(edits)], audio.format);
  const rate = edits.sampleRate;
  const sink = await openVideoEdit(outOf(all ? 'all' : 'ours'), probe(path), audio.format, {
    keeps: edits.keeps.map((keep) => ({ startSeconds: keep.start / rate, endSeconds: keep.end / rate })),
    mapTime: map.toOutput,
    bitrateKbps: 160,
    encodeAll: all,
  });
  const opened = performance.now() - began;
  let longest = 0;
  for (let block = audio.next(); block; block = audio.next()) {
    const at = performance.now();
    pipeline.process(block, (out) => sink.write(out));
    longest = Math.max(longest, performance.now() - at);
    await turn();
  }
  pipeline.flush((out) => sink.write(out));
  await sink.finish();
  audio.close();
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  console.log(
    JSON.stringify({
      wall: (performance.now() - began) / 1000,
      cpu: (userCPUTime + systemCPUTime) / 1e6,
      rss: maxRSS / 1024,
      openMs: opened,
      longestMs: longest,
      ...sink.pictures(),
    }),
  );
}

interface Row {
  who: string;
  wall: number;
  cpu: number;
  rss: number;
  bytes: number;
  note: string;
}

function runOurs(all: boolean): Row {
  const ran = spawnSync(
    process.execPath,
    [self, '--child', '--seconds', String(seconds), '--ranges', String(ranges), ...(all ? ['--all'] : [])],
    { encoding: 'utf8', env: { ...allocatorEnvironment, ...process.env } },
  );
  if (ran.status !== 0) throw new Error(ran.stderr);
  const said = JSON.parse(ran.stdout) as {
    wall: number;
    cpu: number;
    rss: number;
    openMs: number;
    longestMs: number;
    copied: number;
    encoded: number;
  };
  return {
    who: all ? 'earshot, all encoded' : 'earshot',
    ...said,
    bytes: statSync(outOf(all ? 'all' : 'ours')).size,
    note:
      `${said.copied} copied, ${said.encoded} encoded; ` +
      `opened in ${Math.round(said.openMs)} ms, longest write ${Math.round(said.longestMs)} ms`,
  };
}

function peer(): Row {
  const path = source();
  const audio = openAudio(probe(path));
  const edits = editList(audio.format.sampleRate, audio.expectedFrames ?? 0);
  audio.close();
  const within = edits.keeps
    .map(
      (keep) =>
        `gte(t,${(keep.start / edits.sampleRate).toFixed(6)})*lt(t,${(keep.end / edits.sampleRate).toFixed(6)})`,
    )
    .join('+');
  const script = join(folder, 'video-cut.filter');
  writeFileSync(
    script,
    `[0:v]select='${within}',setpts=N/FRAME_RATE/TB[v];[0:a]aselect='${within}',asetpts=N/SR/TB[a]`,
  );
  const part = Math.min(seconds, Number(values['peer-seconds'] ?? seconds));
  const scale = seconds / part;
  const began = performance.now();
  const said = ffmpeg(
    '-benchmark',
    '-v',
    'info',
    '-y',
    '-t',
    String(part),
    '-i',
    path,
    '-filter_complex_script',
    script,
    '-map',
    '[v]',
    '-map',
    '[a]',
    '-c:v',
    'libx264',
    '-preset',
    'veryfast',
    '-crf',
    '18',
    '-c:a',
    'aac',
    '-b:a',
    '160k',
    outOf('ffmpeg'),
  );
  const wall = (scale * (performance.now() - began)) / 1000;
  const read = (pattern: RegExp): number => Number(pattern.exec(said)?.[1] ?? 0);
  return {
    who: 'ffmpeg 5.1 select',
    wall,
    cpu: scale * (read(/utime=([\d.]+)s/) + read(/stime=([\d.]+)s/)),
    rss: read(/maxrss=(\d+)/) / 1024,
    bytes: scale * statSync(outOf('ffmpeg')).size,
    note:
      'all encoded, x264 veryfast crf ' +
      `18${scale === 1 ? '' : `; figures are those of the first ${part} s, times ${scale}`}`,
  };
}

/** Likeness of the first minute to the source's own pictures, dB. */
function psnr(who: string): string {
  const audio = openAudio(probe(source()));
  const edits = editList(audio.format.sampleRate, audio.expectedFrames ?? 0);
  audio.close();
  const within = edits.keeps
    .map(
      (keep) =>
        `gte(t,${(keep.start / edits.sampleRate).toFixed(6)})*lt(t,${(keep.end / edits.sampleRate).toFixed(6)})`,
    )
    .join('+');
  // Pictures are compared by number; the filter would hold back whichever file runs ahead by its clock.
  const count = (name: string): string => `select='lt(n,1500)',settb=1/30,setpts=N[${name}]`;
  const said = ffmpeg(
    '-v',
    'info',
    '-t',
    '80',
    '-i',
    source(),
    '-t',
    '60',
    '-i',
    outOf(who),
    '-filter_complex',
    `[0:v]select='${within}',${count('a')};[1:v]${count('b')};[a][b]psnr=shortest=1`,
    '-f',
    'null',
    '-',
  );
  return /average:(\S+) min:(\S+)/.exec(said)?.slice(1, 3).join(' / ') ?? '?';
}

if (values.child) {
  await ours(values.all ?? false);
} else {
  source();
  const rows = [runOurs(false), ...(values.all || values.quick ? [runOurs(true)] : []), peer()];
  const slowest = rows.at(-1) as Row;
  const names: Record<string, string> = { earshot: 'ours', 'earshot, all encoded': 'all' };
  console.log(`\n${seconds} s of 720p30 H.264, ${ranges} ranges removed\n`);
  console.log(
    '| who | wall s | times faster | CPU s | times less CPU | peak MB | output MB | PSNR to source, mean / worst | ' +
      'pictures |\n|---|---|---|---|---|---|---|---|---|',
  );
  for (const row of rows) {
    // Two whole files side by side take long; a minute of the short one says the same.
    const likeness = seconds <= 300 ? psnr(names[row.who] ?? 'ffmpeg') : '-';
    console.log(
      `| ${row.who} | ${row.wall.toFixed(1)} | ${(slowest.wall / row.wall).toFixed(1)} | ${row.cpu.toFixed(1)} | ` +
        `${(slowest.cpu / row.cpu).toFixed(1)} | ${Math.round(row.rss)} | ${(row.bytes / 1e6).toFixed(1)} | ` +
        `${likeness} | ${row.note} |`,
    );
  }
}
