import type { Chapter } from '../facts.ts';
export function withChapterRoom(_muxer: string, _chapters: readonly Chapter[], tags: Record<string, string>): Record<string, string> { return tags; }
export function writeChapters(_path: string, _muxer: string, _chapters: readonly Chapter[]): void {}
