import { packagePath } from '../running-files.ts';

/** A short recording to try things with: a voice with um, uh, a pause and noise. See docs/samples/README.md. */
export const samplePath = packagePath('docs/samples/talk.opus');
