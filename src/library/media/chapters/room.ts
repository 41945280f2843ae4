/** Key of the tag that keeps room for the chapters in a file's head, until they replace it. */
export const roomTag = 'EARSHOT_CHAPTER_ROOM';
