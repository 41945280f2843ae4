// The quick tests over sources of which one is varied, as in vary.ts: held-by.ts starts it.
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import usual from '../../vitest.config.ts';
import { type Varied, variedText } from './varied-text.ts';

const { tags = [], globalSetup = [] } = usual.test ?? {};
const quick = { tagsFilter: ['!slow', '!slower'] };
const varied = JSON.parse(process.env['EARSHOT_VARIED_SOURCE'] ?? '{}') as Partial<Varied>;

export default defineConfig({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  plugins: [
    {
      name: 'vary',
      enforce: 'pre',
      transform: (code, id) =>
        varied.url !== undefined && id === fileURLToPath(varied.url) ? variedText(code, varied as Varied) : null,
    },
  ],
  // A cache would keep a variation for the next run.
  test: {
    fsModuleCache: false,
    tags,
    globalSetup,
    ...quick,
    isolate: false,
    maxWorkers: 1,
    pool: 'forks',
  },
});
