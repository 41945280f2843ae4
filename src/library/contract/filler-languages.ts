/** Languages with a list of fillers (src/library/speech/fillers/lists). The interface names all but pt and pl. */
export const fillerLanguages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl', 'ja', 'ko'] as const;

export type FillerLanguage = (typeof fillerLanguages)[number];
