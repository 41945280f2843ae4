// Odd files through all tools: late sound, gaps, clocks that step back, holes, chains, padded samples, opposite
// channels, samples over full scale, each with twelve known words. Prints a table of kind, container and tool: "ok", or
// what is wrong by ffmpeg's reading: words that are more than 20 ms off, pictures that are missing, warnings that are
// false or missing.
//   npm run bench:containers -- --odd [--only="late sound,mp4"] [--tools=cut_audio]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EarshotError, type Engine } from '../../src/index.ts';
import { ffmpeg } from '../../test/fixtures/media/media.ts';
import { wavBytes } from '../../test/fixtures/media/pcm-files.ts';
import { oddFault } from './odd-judge.ts';
import { oddTools } from './odd-tools.ts';
import { oddFiles } from './oddities.ts';
import { speak } from './words.ts';

const rate = 48_000;

export async function benchOdd(
  engine: Engine,
  folder: string,
  only: readonly string[] | null,
  tools: readonly string[] | null,
): Promise<void> {
  const chosen = tools ?? Object.keys(oddTools);
  const [plain, silence, film] = ['plain.wav', 'silence.wav', 'film.mp4'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const spoken = speak(folder);
  const plane = spoken.content.planeOf({ rate, channels: 1, seconds: spoken.seconds, second: 'same', level: 0.5 });
  writeFileSync(plain, wavBytes([plane, plane], rate));
  writeFileSync(silence, wavBytes([new Float32Array(4 * rate)], rate));
  ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=10:d=20', '-i', silence, '-pix_fmt', 'yuv420p', film);
  let runs = 0;
  const to = (): { outputDir: string } => {
    const outputDir = join(folder, `odd-out-${(runs += 1)}`);
    mkdirSync(outputDir);
    return { outputDir };
  };
  let [passed, failed] = [0, 0];
  console.log(`| Kind | Container | ${chosen.join(' | ')} |\n|---|---|${chosen.map(() => '---|').join('')}`);
  for (const file of oddFiles(folder, spoken, only)) {
    const cells: string[] = [];
    for (const name of chosen) {
      let fault: string | null;
      try {
        const ran = await oddTools[name]?.(engine, file, to, { folder, spoken, plain, silence, film });
        fault = ran ? oddFault(name, ran, file, spoken) : 'no such tool';
      } catch (thrown) {
        if (!(thrown instanceof EarshotError)) throw thrown;
        fault = `${thrown.code}: ${thrown.message}`;
      }
      if (fault === null) passed += 1;
      else failed += 1;
      cells.push(fault ?? 'ok');
    }
    console.log(`| ${file.kind} | ${file.container} | ${cells.join(' | ')} |`);
  }
  console.log(`\n${passed} of ${passed + failed} are as promised`);
  if (passed + failed === 0)
    console.error(`Expected --only of kinds or containers but none is called ${String(only)}, as in "late sound,mp4"`);
  if (failed > 0 || passed === 0) process.exitCode = 1;
}
