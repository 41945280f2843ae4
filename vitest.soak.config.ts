// `npm run test:soak`: the tests that try less in `npm test` with all that they can try (test/fixtures/rounds.ts), and
// what only runs at night.
import { defineConfig } from 'vitest/config';
import { nightly } from './vitest.built.config.ts';
import sources from './vitest.config.ts';

const { projects: _, ...usual } = sources.test ?? {};

export default defineConfig({
  test: {
    ...usual,
    include: [
      ...nightly,
      'test/chaos/storm.test.ts',
      'test/service/http/site/by-hand.test.ts',
      'test/service/http/site/editor/editor.test.ts',
      'test/service/http/try/crowd.test.ts',
      'test/library/media/fuzz.test.ts',
      'test/library/media/video/cutting.test.ts',
      'test/library/speech/align/align-script.test.ts',
      'test/library/tools/{enhance-voice,every-tool}.test.ts',
      'test/library/dsp/{denoise,residual-music,watched-denoise}.test.ts',
    ],
    env: { EARSHOT_TEST_SOAK: '1' },
  },
});
