import type { Chapter } from '../facts.ts';
export function readChapters(_path: string, _demuxer: string): Chapter[] { return []; }
