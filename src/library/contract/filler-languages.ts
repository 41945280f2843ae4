// Made by scripts/write-lists.ts from src/library/speech/languages: `npm run types:write`.

/** Languages with a list of fillers. The interface names all but pt and pl. */
export const fillerLanguages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl', 'ja', 'ko'] as const;
