import type { Strings } from '../en/index.ts';

export const consent: Strings['consent'] = {
  title: 'Darf ein Programm Ihr Konto verwenden?',
  here: 'Ein Programm auf diesem Rechner möchte Ihr Konto verwenden',
  elsewhere: 'Ein Programm anderswo möchte Ihr Konto verwenden',
  files: 'Ihre Dateien lesen, hochladen und löschen',
  jobs: 'Aufträge starten und Ihre Credits ausgeben',
  not: 'Nicht: Schlüssel machen, Credits kaufen oder das Konto ändern',
  name: 'Es nennt sich',
  noName: 'Es nennt keinen Namen',
  goesTo: 'Es geht zurück zu',
  account: 'Ihr Konto',
  allow: 'Erlauben',
  refuse: 'Ablehnen',
  help: 'Sie können das jederzeit zurücknehmen.',
  toAccount: 'Programme, die für Sie handeln',
  unasked: 'Wenn Sie nicht gerade selbst ein Programm verbinden, lehnen Sie ab.',
  gone: 'Diese Frage ist beantwortet, zu alt, oder begann in einem anderen Browser',
  goneHelp: 'Verbinden Sie sich noch einmal aus dem Programm heraus.',
};

export const programs: Strings['programs'] = {
  title: 'Programme, die für Sie handeln',
  program: 'Programm',
  may: 'Darf',
  rights: 'Dateien, Aufträge, Credits',
  since: 'Seit',
  lastUsed: 'Zuletzt verwendet',
  never: 'nie',
  goesTo: 'geht zurück zu {target}',
  noName: 'Ein Programm ohne Namen',
  none: 'Keine. Programme wie Claude oder VS Code fragen hier, wenn Sie sie verbinden.',
  end: 'Zurücknehmen',
  endHelp: 'Das Programm wird ab seiner nächsten Anfrage abgewiesen. Aufträge, die es gestartet hat, laufen weiter.',
  endYes: 'Ja, zurücknehmen',
  keys: 'Ihre eigenen Schlüssel sind unter',
};
