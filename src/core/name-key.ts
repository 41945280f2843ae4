/**
 * One key for all spellings of a name that macOS and Windows take for one file: capitals, and accents as characters of
 * their own or not. By capitals, since one of them may have two small forms.
 */
export const nameKey = (name: string): string => name.normalize('NFC').toUpperCase().normalize('NFC');
