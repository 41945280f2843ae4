import type { Strings } from '../en/index.ts';

export const frame: Strings['frame'] = {
  brand: 'Earshot, Startseite',
  skip: 'Zum Inhalt',
  main: 'Hauptnavigation',
  pages: 'Seiten',
  tools: 'Werkzeuge',
  editor: 'Editor',
  docs: 'Dokumentation',
  api: 'API-Referenz',
  kept: 'Was wie lange aufbewahrt wird',
  ownMachine: 'Earshot ist quelloffen. Dieser Dienst läuft auf der eigenen Maschine des Betreibers.',
  theme: 'Farben',
  themes: { system: 'System', light: 'Hell', dark: 'Dunkel' },
  language: 'Sprache',
  change: 'Ändern',
  signIn: 'Anmelden',
  copy: 'Befehl kopieren',
};

export const problem: Strings['problem'] = {
  title: 'Das hat nicht geklappt',
  notFound: 'Diese Seite gibt es nicht',
  notFoundHelp:
    'Vielleicht ist die Adresse vertippt, oder was hier war, ist gelöscht: Dateien nach einem Tag, kostenlose Läufe ' +
    'nach einer Stunde.',
  limited: 'Zu viele Anfragen',
  failed: 'Hier ist etwas schiefgegangen',
  toFront: 'Zur Startseite',
  code: 'Code',
  request: 'Anfrage',
};

export const units: Strings['units'] = {
  seconds: { one: '{n} Sekunde', other: '{n} Sekunden' },
  minutes: { one: '{n} Minute', other: '{n} Minuten' },
  hours: { one: '{n} Stunde', other: '{n} Stunden' },
  credits: { one: '{n} Credit', other: '{n} Credits' },
  creditsPerMinute: { one: '{n} Credit je Minute', other: '{n} Credits je Minute' },
};
