import type { Strings } from '../en/index.ts';

export const files: Strings['files'] = {
  title: 'Dateien',
  lead:
    'Hochgeladenes und Ergebnisse werden {hours} Stunden nach ihrer Entstehung gelöscht. Laden Sie herunter, was Sie ' +
    'behalten wollen.',
  leadEdited:
    'Hochgeladenes und Ergebnisse werden {hours} Stunden nach ihrer Entstehung gelöscht, eine Aufnahme, die Sie ' +
    'bearbeiten, mit allen ihren Dateien {days} Tage nach der letzten Änderung. Laden Sie herunter, was Sie behalten ' +
    'wollen.',
  which: 'Welche Dateien',
  kinds: { all: 'Alle', original: 'Hochgeladene', output: 'Ergebnisse' },
  none: 'Keine Dateien hier',
  noneHelp: 'Hochgeladene Dateien und Ergebnisse Ihrer Aufträge bleiben {hours} Stunden hier.',
  toTools: 'Zu den Werkzeugen',
  result: 'Ergebnis',
  goes: 'noch {time}',
  states: {
    awaiting_upload: 'Noch nicht hochgeladen',
    processing: 'Wird geprüft',
    ready: 'Bereit',
    invalid: 'Nicht lesbar',
    deleted: 'Gelöscht',
  },
  used: { one: '{n} Datei, {size}', other: '{n} Dateien, {size}' },
  search: 'In Ihren Dateien suchen',
  drop: 'Aufnahmen irgendwo auf dieser Seite ablegen, um sie hier zu behalten.',
  notSent: '{name} wurde nicht gesendet.',
  select: '{name} auswählen',
  selected: 'Ausgewählte:',
  archive: 'Als ZIP laden',
  noneSelected: 'Es ist nichts ausgewählt',
  noneSelectedHelp: 'Kreuzen Sie die gemeinten Dateien an und drücken Sie noch einmal.',
  deleteSelected: 'Ausgewählte löschen',
  deleteYesSelected: 'Dateien löschen',
  rename: 'Umbenennen',
  newName: 'Neuer Name für {name}',
  madeOf: 'aus {name}',
  edit: 'Schneiden',
  download: 'Herunterladen',
  delete: 'Löschen',
  deleteHelp: 'Sie ist sofort weg, auch für Aufträge. Das lässt sich nicht rückgängig machen.',
  deleteYes: 'Datei löschen',
};
