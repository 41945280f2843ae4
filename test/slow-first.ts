// The order of test files where nothing is remembered of an earlier run, as on a new machine: what takes longest goes
// first, so that no core waits for it at the end. Files that share processes follow each other: a process is only used
// again for the next file in the row.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const slow = [
  'test/chaos/storm.test.ts',
  'test/docs/readme.test.ts',
  'test/cli/serve.test.ts',
  'test/library/speech/recognise/recognise.test.ts',
  'test/library/speech/align/align-script.test.ts',
  'test/library/tools/level-speakers.test.ts',
  'test/library/media/video/cutting.test.ts',
  'test/library/runtime/native-evil.test.ts',
  'test/built/built.test.ts',
  'test/library/media/video/join.test.ts',
  'test/library/runtime/process/warm-pool.test.ts',
  'test/library/tools/loudness.test.ts',
  'test/library/runtime/confinement.test.ts',
  'test/library/media/video/codecs.test.ts',
];

function rank({ moduleId, project }: TestSpecification): number {
  const place = slow.findIndex((name) => moduleId.replaceAll('\\', '/').endsWith(name));
  if (place !== -1) return place;
  return slow.length + project.vitest.projects.indexOf(project);
}

export default class SlowFirst extends BaseSequencer {
  /** `--shard=1/3`: dealt out in order of their length, so that the long ones do not all fall to one shard. */
  override shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index, count } = this.ctx.config.shard ?? { index: 1, count: 1 };
    const dealt = files.toSorted(
      (a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : a.moduleId > b.moduleId ? 1 : 0),
    );
    return Promise.resolve(dealt.filter((_, place) => place % count === index - 1));
  }

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
