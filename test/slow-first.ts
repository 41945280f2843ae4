// The order of test files where nothing is remembered of an earlier run, as on a new machine: what takes longest goes first,
// so that neither core waits for it at the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const slow = [
  'test/chaos/storm.test.ts',
  'test/http/try/every-tool.test.ts',
  'test/media/video/join.test.ts',
  'test/docs/readme.test.ts',
  'test/runtime/media-checks.test.ts',
  'test/http/try/crowd.test.ts',
  'test/cli/serve.test.ts',
  'test/tools/every-tool.test.ts',
  'test/dsp/watched-denoise.test.ts',
  'test/speech/align/align-script.test.ts',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const place = slow.findIndex((name) => moduleId.replaceAll('\\', '/').endsWith(name));
  return place === -1 ? slow.length : place;
};

export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
