import type { Strings } from '../en/index.ts';

export const docs: Strings['docs'] = {
  title: 'Dokumentation',
  lead: 'Anleitungen und die Referenz jedes Werkzeugs, Befehls und Aufrufs, auf Englisch.',
  search: 'Dokumentation durchsuchen',
  find: 'Suchen',
  found: { one: '{n} Stelle für „{query}“', other: '{n} Stellen für „{query}“' },
  nothing: 'Nichts für „{query}“. Versuchen Sie weniger oder andere Wörter.',
  onPage: 'Auf dieser Seite',
  groups: {
    start: 'Anfangen',
    use: 'Benutzen',
    run: 'Einen Dienst betreiben',
    more: 'Hintergrund',
    reference: 'Referenz',
  },
};
