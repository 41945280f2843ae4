import type { Strings } from '../en/index.ts';

export const prices: Strings['prices'] = {
  title: 'Preise',
  lead: 'Bezahlt wird nach Minuten der Aufnahme, ohne Abonnement. Was nicht gelingt, kostet nichts.',
  length: 'Länge der Aufnahme',
  minutes: 'min',
  reckon: 'Preise anzeigen',
  forLength: 'Für {length}',
  nothing: 'nichts',
  first: 'die ersten {length}',
  how: 'So wird bezahlt',
  credit: '1 Credit ist 1 US-Cent. Gerechnet wird nach Sekunden; ein Lauf kostet mindestens 1 Credit.',
  onlySuccess:
    'Der Preis steht vor dem Start fest und wird so lange zurückgehalten, wie der Auftrag läuft; abgebucht wird nur, ' +
    'was gelingt.',
  least: 'Die kleinste Zahlung ist {least}. Was davon übrig bleibt, gehört Ihnen für weitere Dateien.',
  noAccount: 'Der erste Teil einer Datei ist ohne Konto kostenlos, und auch der Rest lässt sich ohne Konto bezahlen.',
};

export const kept: Strings['kept'] = {
  lead: 'Diese Fristen sind die Einstellungen dieses Dienstes; er löscht von selbst.',
  what: 'Was',
  howLong: 'Wie lange',
  days: { one: '{n} Tag', other: '{n} Tage' },
  afterEnd: '{time} nach dem Ende des Auftrags',
  unused: '{time} ohne Benutzung',
  visitorFiles: 'Dateien und Ergebnisse ohne Konto',
  onDevice: 'Aufnahmen, die Ihr Browser bearbeitet, und ihre Ergebnisse',
  onDeviceHow: 'nie hier: auf Ihrem Gerät, bis Sie die Seite verlassen',
  files: 'Dateien und Ergebnisse eines Kontos',
  edited: 'Eine Aufnahme, die Sie bearbeiten, mit Transkript, Bearbeitung und dem, was ausgegeben wurde',
  afterChange: '{time} nach der letzten Änderung',
  shares: 'Ein Link zum Text einer Bearbeitung, mit seinen Kommentaren',
  sharesHow: 'bis zum Tag, den Sie wählen, höchstens 90 Tage, oder bis Sie ihn zurückziehen',
  jobTexts: 'Optionen, Manuskripte und Berichte von Aufträgen',
  jobRows: 'Dass ein Auftrag lief, seine Länge und sein Preis',
  sessions: 'Dass Sie angemeldet sind',
  webhookLog: 'Was an Webhooks gesendet wurde',
  addresses: 'Netzadressen',
  addressesHow: 'gar nicht: ein Fingerabdruck mit geheimem Schlüssel zählt die kostenlosen Läufe des Tages',
  account: 'Konto, Schlüssel, Passkeys',
  accountHow: 'bis Sie das Konto löschen',
  ledger: 'Zahlungen und was abgebucht wurde',
  ledgerHow: 'so lange das Gesetz es vom Betreiber verlangt',
  deletion:
    'Jede Datei können Sie bei Ihren Dateien sofort löschen, das ganze Konto auf seiner Seite. Was gelöscht ist, ist ' +
    'von der Platte oder aus dem Speicher des Dienstes verschwunden.',
  cookies:
    'Cookies halten fest, dass Sie angemeldet sind, und welche Sprache und Farben Sie gewählt haben. Nichts wird von ' +
    'anderen Servern geladen, und Besuche werden nicht verfolgt.',
};

export const legal: Strings['legal'] = {
  draft: 'Das ist ein Entwurf',
  draftHelp:
    'Der Betreiber dieses Dienstes hat noch keinen eigenen Text veröffentlicht. Der Entwurf sagt, was die Software ' +
    'tut; eine Rechtsberatung ist er nicht.',
  privacy: {
    title: 'Datenschutz',
    parts: [
      [
        'Was Sie senden',
        'Aufnahmen werden auf den Maschinen des Betreibers verarbeitet. Die Software gibt sie an keinen anderen Dienst ' +
          'weiter, trainiert nichts damit und löscht sie nach den Fristen, die unten verlinkt sind.',
      ],
      [
        'Was über Sie bekannt ist',
        'Ohne Konto: nur ein Fingerabdruck der Netzadresse, der die kostenlosen Läufe des Tages zählt. Mit Konto: Ihre ' +
          'E-Mail-Adresse, falls angegeben, Ihre Passkeys und was Sie gekauft haben.',
      ],
      [
        'Cookies',
        'Einer hält Sie angemeldet, zwei merken sich Sprache und Farben. Andere gibt es nicht, und keine Seite lädt ' +
          'etwas von anderen Servern.',
      ],
      [
        'Zahlungen',
        'Der Zahlungsdienst des Betreibers erfährt den Betrag und was Sie dort eingeben. Kartendaten erreichen diesen ' +
          'Dienst nie.',
      ],
      [
        'Ihre Rechte',
        'Dateien und Konto löschen Sie jederzeit selbst. Für eine Kopie Ihrer Daten, eine Berichtigung oder Fragen ' +
          'schreiben Sie dem Betreiber.',
      ],
    ],
  },
  terms: {
    title: 'Bedingungen',
    parts: [
      [
        'Worum es geht',
        'Der Dienst bearbeitet Aufnahmen, die Sie senden, so wie es auf der Seite des Werkzeugs steht. Sie brauchen ' +
          'das Recht, das zu bearbeiten, was Sie senden.',
      ],
      [
        'Was es kostet',
        'Preise werden vor jedem Start gezeigt. Ein Auftrag, der scheitert oder abgebrochen wird, kostet nichts. ' +
          'Credits verfallen nicht, solange das Konto besteht.',
      ],
      [
        'Was nicht versprochen wird',
        'Texte, Schnittstellen und Messwerte können falsch sein: Hören Sie nach, bevor Sie etwas veröffentlichen. Dateien ' +
          'werden nach kurzer Zeit gelöscht; behalten Sie Ihre Originale.',
      ],
      [
        'Was nicht erlaubt ist',
        'Angriffe auf den Dienst oder durch ihn auf andere, und Aufnahmen, deren Besitz strafbar ist.',
      ],
    ],
  },
  imprint: {
    title: 'Impressum',
    parts: [['Betreiber', 'Der Betreiber dieses Dienstes hat Name und Anschrift noch nicht angegeben.']],
  },
};

export const help: Strings['help'] = {
  title: 'Hilfe',
  lead: 'Wie man hier etwas tut. Für Programme, Befehle und eigene Maschinen gibt es die Dokumentation.',
  search: 'Hilfe durchsuchen',
  buying: 'Credits kauft man auf der Seite der Credits; die Karte wird beim Zahlungsdienst eingegeben.',
  notSold: 'Credits werden hier nicht verkauft: Der Betreiber dieses Dienstes gibt sie aus.',
  articles: [
    {
      title: 'Eine Aufnahme besser klingen lassen',
      text:
        '„Rauschen entfernen“ öffnen, Datei ablegen, Knopf drücken. Sie hören vorher und nachher gleich laut, mit ' +
        'gemessenen Werten. Für eine ferne oder hallige Stimme gibt es „Stimme verbessern“. Die Lautheit wird dabei ' +
        'auf −16 LUFS gebracht, wie Podcasts es wollen.',
      to: '/tools/remove-noise',
      toName: 'Rauschen entfernen',
    },
    {
      title: 'Schneiden, indem man Wörter löscht',
      text:
        'Den Editor öffnen und eine Aufnahme wählen. Sie wird zuerst verschriftlicht; dann Wörter markieren und Entf ' +
        'drücken, und sie sind aus dem Ton verschwunden. Bis zum Ausgeben ist nichts endgültig. Füllwörter und lange ' +
        'Pausen werden vorgeschlagen.',
      to: '/edit',
      toName: 'Editor',
    },
    {
      title: 'Untertitel für einen Film',
      text:
        '„Verschriftlichen“ öffnen und den Film ablegen. Das Ergebnis hat Dateien für Untertitel (SRT und VTT) und ' +
        'den Text. Lesen Sie Namen nach, bevor Sie etwas veröffentlichen; Wörter lassen sich im Editor berichtigen.',
      to: '/tools/transcribe',
      toName: 'Verschriftlichen',
    },
    {
      title: 'Mehrere Aufnahmen zusammensetzen',
      text:
        '„Aneinanderhängen“ spielt sie nacheinander, in Ihrer Reihenfolge. „Spuren mischen“ spielt sie gleichzeitig, ' +
        'mit Musik, die unter Stimmen zurücktritt.',
      to: '/tools/join',
      toName: 'Aneinanderhängen',
    },
    {
      title: 'Viele Dateien auf einmal',
      text:
        'Auf der Seite eines Werkzeugs, das eine Datei nimmt, mehrere wählen oder ablegen: Jede bekommt einen eigenen ' +
        'Lauf mit denselben Optionen. Sie sehen, welche fertig ist, und laden jede herunter.',
      to: '/tools',
      toName: 'Werkzeuge',
    },
    {
      title: 'Ohne etwas hochzuladen',
      text:
        'Die Seiten von elf Werkzeugen, etwa „Lautheit einstellen“, „Schneiden“ und „Pausen entfernen“, bieten „Auf ' +
        'diesem Gerät“ an: Ihr Browser macht die Arbeit, ganze Aufnahmen sind kostenlos, und nichts wird gesendet. Er ' +
        'liest, was er abspielen kann, und schreibt WAV; läuft es auf unserem Server, sagt die Seite, warum. Eine Seite, ' +
        'die Sie besucht haben, geht auch ohne Verbindung.',
      to: '/tools/loudness',
      toName: 'Lautheit einstellen',
    },
    {
      title: 'Was kostenlos ist, und was etwas kostet',
      text:
        'Ohne Konto ist der erste Teil einer Datei mit jedem Werkzeug einige Male am Tag kostenlos; neue Läufe gibt es ' +
        'um 0:00 UTC. Ganze Dateien kosten Credits nach Minuten. Die Seite nennt den Preis vor dem Start, und was ' +
        'nicht gelingt, kostet nichts.',
      to: '/prices',
      toName: 'Preise',
    },
    {
      title: 'Eine lange oder große Datei',
      text:
        '{limits} Wer angemeldet ist, kann größere senden: Das Hochladen geht nach einer Unterbrechung oder einer ' +
        'geschlossenen Seite weiter, und während der Auftrag läuft, darf die Seite zu sein. WAV vorher in FLAC ' +
        'umzuwandeln halbiert die Datei ohne Verlust.',
      to: '/sign-in',
      toName: 'Anmelden',
    },
    {
      title: 'Wo ist mein Ergebnis?',
      text:
        'Ohne Konto unter der Adresse der Seite, die es zeigte, eine Stunde lang. Mit Konto {hours} Stunden lang bei ' +
        'Ihren Dateien, länger, wenn Sie es bearbeiten, und Ihre Aufträge führen hin.',
      to: '/files',
      toName: 'Dateien',
    },
    {
      title: 'Eine Datei wird abgelehnt',
      text:
        'Dateien müssen Ton enthalten, der sich dekodieren lässt: Fast alle Audio- und Videoformate gehen. ' +
        'Kopiergeschützte und unvollständige Dateien sind nicht lesbar; spielen Sie die Datei zuerst auf Ihrem Gerät ' +
        'ab. Die Meldung nennt die Datei und sagt, was zu tun ist.',
      to: '/tools/convert',
      toName: 'Umwandeln',
    },
    {
      title: 'Anmelden ohne Passwort',
      text:
        'E-Mail-Adresse eingeben und den Link der Mail öffnen, oder ihre sechs Ziffern eingeben. Auf dem eigenen ' +
        'Gerät lohnt sich ein Passkey auf der Kontoseite: Dann genügt die Bildschirmsperre.',
      to: '/sign-in',
      toName: 'Anmelden',
    },
    {
      title: 'Zahlungen und Belege',
      text:
        '{buying} Zu jeder Zahlung gibt es einen Beleg, der auf eine Seite passt. Wer die Kasse verlassen hat, hat ' +
        'nichts bezahlt.',
      to: '/receipts',
      toName: 'Belege',
    },
    {
      title: 'Alles löschen',
      text:
        'Eine Datei bei Ihren Dateien, das ganze Konto auf seiner Seite. Beides wirkt sofort. Was Sie nicht löschen, ' +
        'verschwindet von selbst.',
      to: '/kept',
      toName: 'Was wie lange aufbewahrt wird',
    },
  ],
};
