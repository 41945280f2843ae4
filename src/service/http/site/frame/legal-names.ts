/** Pages with the operator's texts, which every page's foot leads to: their paths, and their names among the texts. */
export const legalNames = ['privacy', 'terms', 'imprint'] as const;
