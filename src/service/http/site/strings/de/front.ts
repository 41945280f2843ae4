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
  sample: 'Keine Datei zur Hand? Nehmen Sie unser Beispiel',
  editor: 'Ton schneiden, indem man Wörter löscht',
  example: '{seconds} Sekunden Gespräch, vorher und nachher',
  exampleHelp: 'B spielt ohne das Rauschen und die {n} Füllwörter, so laut wie A.',
  exampleCut: {
    one: 'B spielt ohne das Rauschen und {n} markierte Stelle, so laut wie A.',
    other: 'B spielt ohne das Rauschen und die {n} markierten Stellen, so laut wie A.',
  },
  exampleWhole: 'B spielt ohne das Rauschen, so laut wie A.',
  exampleFailed: 'Das Beispiel ließ sich nicht laden. Noch einmal auf Abspielen drücken.',
  exampleWords: 'Ein Wort antippen schneidet es aus B heraus oder behält es.',
  exampleEdit: 'Im Editor öffnen',
  figures: 'Jedes Ergebnis wird gemessen',
  figuresHelp: 'Das sind die Werte der Aufnahme oben, aus den Dateien gelesen, die Sie hören.',
  floor: 'Grundrauschen vor und nach dem Entrauschen, beide Male bei −16 LUFS.',
  loudness: 'Lautheit der Aufnahme und des Ergebnisses. Das Ziel war −16 LUFS; der True Peak liegt bei {peak} dBTP.',
  removed: 'Kürzer ohne die {n} gefundenen Füllwörter.',
  toolsTitle: '{n} Werkzeuge und ein Editor',
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
