// The formats that a chain's resulting sound may have.
const soundFormats = ['wav', 'mp3', 'm4a', 'flac', 'ogg', 'opus'];

export const isSoundFormat = (extension: string): boolean => soundFormats.includes(extension);
