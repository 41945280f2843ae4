import type { Strings } from '../en/index.ts';

export const groups: Strings['groups'] = {
  clean: 'Säubern',
  write: 'Aufschreiben',
  cut: 'Schneiden',
  together: 'Zusammensetzen',
};

export const front: Strings['front'] = {
  title: 'Aufnahmen säubern, schneiden und aufschreiben',
  description:
    'Entfernt Rauschen, stellt die Lautheit ein, schneidet und verschriftlicht gesprochene Aufnahmen. Die ersten ' +
    'Minuten kostenlos und ohne Konto.',
  claim: 'Säubern, schneiden, aufschreiben.',
  lead:
    'Earshot bearbeitet gesprochene Aufnahmen: Podcasts, Interviews, Besprechungen, Vorlesungen. Datei ablegen, ' +
    'Werkzeug wählen und den Unterschied hören, bevor Sie ihn behalten.',
  free: 'Ohne Konto kostenlos: die ersten Minuten einer Datei, einige Male am Tag mit jedem Werkzeug.',
  toolsTitle: '{n} Werkzeuge',
  prices: 'Preise in Credits: 1 Credit ist 1 US-Cent. Bezahlt wird nur, was gelingt.',
  notInstalled: 'Hier nicht installiert',
  own: 'Auf einer eigenen Maschine',
  own1:
    'Ein Befehl startet den Dienst, seine Datenbank und diese Seiten. Die Sprachmodelle gehören dazu: Nichts, ' +
    'was Sie aufnehmen, verlässt die Maschine.',
  own2: 'Dieselben Werkzeuge gibt es auf der Kommandozeile, als REST-API und als Bibliothek für Node.',
  guide: 'Zur Anleitung',
  useIt: 'benutzen: der erste Teil einer Datei, ohne Konto',
  withKey: 'mit API-Schlüssel: ganze Dateien',
};
