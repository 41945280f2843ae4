/** Key of the placeholder tag that reserves space for the chapters at a file's start. */
export const roomTag = 'EARSHOT_CHAPTER_ROOM';
