// Odd files through the tools: late sound, gaps, clocks that step back, holes, chains, padded samples, opposite channels,
// samples over full scale. Prints a table of kind, container and tool: "ok", or what is wrong by ffmpeg's reading.
//   npm run bench:containers -- --odd [--only="late sound,mp4"] [--tools=cut_audio]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EarshotError, type Engine } from '../../src/index.ts';
import { ffmpeg } from '../../test/fixtures/media/media.ts';
import { wavBytes } from '../../test/fixtures/media/pcm-files.ts';
import { markedSound } from '../../test/fixtures/sounds/marks.ts';
import { oddFault, oddTools } from './odd-tools.ts';
import { oddFiles } from './oddities.ts';

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
  writeFileSync(plain, wavBytes([markedSound(rate), markedSound(rate)], rate));
  writeFileSync(silence, wavBytes([new Float32Array(4 * rate)], rate));
  ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=10:d=10', '-i', silence, '-pix_fmt', 'yuv420p', film);
  let runs = 0;
  const to = (): { outputDir: string } => {
    const outputDir = join(folder, `odd-out-${(runs += 1)}`);
    mkdirSync(outputDir);
    return { outputDir };
  };
  let [passed, failed] = [0, 0];
  console.log(`| Kind | Container | ${chosen.join(' | ')} |\n|---|---|${chosen.map(() => '---|').join('')}`);
  for (const file of oddFiles(folder, only)) {
    const cells: string[] = [];
    for (const name of chosen) {
      let fault: string | null;
      try {
        const ran = await oddTools[name]?.(engine, file, to, { plain, silence, film });
        fault = ran ? oddFault(ran, file) : 'no such tool';
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
