// The files of this worker's run.
import type { FileTree } from './tree.ts';

let tree: FileTree | null = null;

export function useFiles(files: FileTree): void {
  tree = files;
}

export function files(): FileTree {
  if (tree === null) throw new TypeError('Expected a run before its files are asked for');
  return tree;
}
