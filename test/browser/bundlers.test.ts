// @module-tag slow
// `earshot/browser` in apps that bundlers have put together, run in Chromium.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { rolldown } from 'rolldown';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildBrowser } from '../../scripts/build-browser.mjs';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { hasChromium, launchOptions } from '../fixtures/browser/chromium.ts';
import { serveTab } from '../fixtures/browser/tab-server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const app = `import { createEngine } from 'earshot/browser';
globalThis.loudness = async (file) => {
  const run = await createEngine().run('adjust_loudness', file, { target: 'podcast' });
  return { name: run.outputs[0].filename, lufs: run.result.output.integratedLufs };
};`;

describe.skipIf(!hasChromium)('earshot/browser in bundled apps', () => {
  const source = temporaryFolder('earshot-bundled-');
  const wave = join(source, 'speech.wav');
  let browser: Browser;

  beforeAll(async () => {
    await buildWasm();
    const installed = join(source, 'node_modules/earshot');
    mkdirSync(installed, { recursive: true });
    await buildBrowser(join(installed, 'dist'));
    const root = fileURLToPath(new URL('../../', import.meta.url));
    symlinkSync(join(root, 'package.json'), join(installed, 'package.json'));
    writeFileSync(join(source, 'app.js'), app);
    writeFileSync(join(source, 'index.html'), '<!doctype html><script type="module" src="./app.js"></script>');
    const speech = join(root, 'test/recordings/clean_speech_48k.flac');
    execFileSync('ffmpeg', ['-v', 'error', '-i', speech, '-t', '4', wave]);
    browser = await chromium.launch(launchOptions);
  }, 120_000);

  afterAll(() => browser.close());

  /** What the app in a folder answers under the strict policy; what its page complains of. */
  async function runs(folder: string): Promise<unknown> {
    const server = await serveTab(folder, [wave]);
    const page = await browser.newPage();
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', ({ message }) => said.push(message));
    await page.goto(`${server.url}index.html`);
    const answer = await page.evaluate(`(async () => {
      const file = new File([await (await fetch('/in/${basename(wave)}')).blob()], 'speech.wav');
      while (!globalThis.loudness) await new Promise((resolve) => setTimeout(resolve, 10));
      return globalThis.loudness(file);
    })()`);
    await page.close();
    await server.close();
    return { answer, said };
  }

  const expected = { answer: { name: 'speech.loudness.wav', lufs: expect.closeTo(-16, 1) as number }, said: [] };

  it('is built by Vite as docs/browser.md says', async () => {
    const outDir = join(source, 'vite');
    await build({ root: source, configFile: false, logLevel: 'error', worker: { format: 'es' }, build: { outDir } });
    expect(await runs(outDir)).toEqual(expected);
  });

  it('runs beside a bundle whose addresses stay as they are, as of Rolldown and esbuild', async () => {
    const out = join(source, 'plain');
    const bundle = await rolldown({ input: join(source, 'app.js'), platform: 'browser' });
    await bundle.write({ dir: out, format: 'esm' });
    await bundle.close();
    cpSync(join(source, 'node_modules/earshot/dist/browser'), join(out, 'browser'), { recursive: true });
    cpSync(join(source, 'index.html'), join(out, 'index.html'));
    expect(await runs(out)).toEqual(expected);
  });
});
