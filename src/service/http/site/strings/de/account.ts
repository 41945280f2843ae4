import type { Strings } from '../en/index.ts';

export const account: Strings['account'] = {
  nav: 'Konto',
  sections: {
    files: 'Dateien',
    jobs: 'Aufträge',
    keys: 'Schlüssel',
    webhooks: 'Webhooks',
    credits: 'Credits',
    account: 'Konto',
    operator: 'Betrieb',
  },
  actions: 'Aktionen',
  older: 'Ältere',
  minutes: '{n} min',
  hours: '{n} h',
  days: '{n} Tage',
  confirm: 'Bestätigen Sie, dass Sie es sind',
  staleForm: 'Diese Seite ist zu alt oder wurde vor der Anmeldung geöffnet',
  staleFormHelp: 'Öffnen Sie die Seite neu und senden Sie das Formular von dort.',
};

export const signIn: Strings['signIn'] = {
  title: 'Anmelden',
  lead:
    'Kein Passwort. Eine Mail mit Link und Code oder ein Passkey auf diesem Gerät. Wenn Sie neu sind, legt dieselbe ' +
    'Mail Ihr Konto an.',
  leadClosed:
    'Kein Passwort. Eine Mail mit Link und Code oder ein Passkey auf diesem Gerät. Neue Konten legt der Betreiber an.',
  email: 'Ihre E-Mail-Adresse',
  send: 'Mail senden',
  how: 'So bekommen Sie einen Link',
  again: 'Bestätigen Sie, dass Sie es sind',
  againLead:
    'Sie haben sich vor einer Weile angemeldet. Melden Sie sich noch einmal an; dann geht es weiter, wo Sie waren.',
  againMail: 'Die Mail geht an {email}.',
  againBack: 'Zurück, ohne etwas zu ändern',
  passkey: 'Passkey verwenden',
  passkeyPlace: 'Passkeys brauchen einen Namen über https, oder localhost. Diese Seite ist unter {host}.',
  passkeyThere: 'Unter {there} öffnen',
  passkeyFailed: 'Dieses Gerät hat nicht geantwortet',
  passkeyFailedHelp:
    'Das Fenster wurde geschlossen, es hat zu lange gedauert, oder kein Passkey passt. Versuchen Sie es noch einmal, ' +
    'oder nehmen Sie eine Mail.',
  noAccount: 'Um die Werkzeuge zu probieren, brauchen Sie kein Konto: Der erste Teil einer Datei ist kostenlos.',
  toTools: 'Zu den Werkzeugen',
  look: 'Sehen Sie in Ihre Mail',
  onItsWay:
    'Eine Mail an {email} ist unterwegs. Öffnen Sie ihren Link in diesem Browser, oder tippen Sie hier ihren Code ' +
    'ein. Beide gelten einmal, 10 Minuten lang.',
  code: 'Code der Mail',
  codeHelp: 'Sechs Ziffern. Die Mail können Sie auf dem Telefon lesen.',
  sendAgain: 'Noch eine Mail senden',
  otherAddress: 'Andere Adresse',
  tooMany: 'Von hier wurden zu viele Mails angefordert',
  tooManyHelp: 'Nehmen Sie die letzte, die ankam, oder warten Sie {minutes}. Ein Passkey geht immer.',
  notSent: 'Die Mail konnte nicht gesendet werden',
  notSentHelp:
    'Der Mailserver dieses Dienstes hat sie nicht angenommen. Prüfen Sie die Adresse, und versuchen Sie es in ein ' +
    'paar Minuten noch einmal. Ein Passkey geht immer.',
  ask: 'Bitten Sie den Betreiber um einen Link',
  askHelp: 'Hier ist kein Mailserver eingerichtet. Der Betreiber macht einen Link mit:',
  noAddress: 'Das ist keine E-Mail-Adresse',
  noAddressHelp: 'Sie sieht aus wie ann@example.org.',
  ended: 'Sie sind abgemeldet',
  endedHelp:
    'Die Sitzung ist beendet. Was Sie zuletzt gesendet haben, wurde nicht getan. Melden Sie sich an, um ' +
    'weiterzumachen.',
  used: 'Dieser Link gilt nicht mehr',
  usedHelp: 'Links gelten einmal und kurze Zeit. Fordern Sie einen neuen an.',
  byCode: 'Tippen Sie den Code der Mail dort ein, wo Sie sich anmelden',
  byCodeHelp:
    'Der Link gilt nur in dem Browser, der ihn angefordert hat. Sie brauchen ihn dort nicht zu öffnen: Tippen Sie ' +
    'auf der Seite dort die sechs Ziffern der Mail ein. Oder melden Sie sich hier mit einer neuen Mail an.',
  otherBrowser: 'Dieser Link gehört zu einem anderen Browser',
  otherBrowserHelp:
    'Er gilt nur in dem Browser, der ihn zuerst geöffnet hat. Öffnen Sie ihn dort, oder bitten Sie um einen neuen.',
  newLink: 'Neue Mail',
  press:
    'Noch ein Schritt: Drücken Sie die Schaltfläche. Links werden auch von Programmen geöffnet, die Mails prüfen, ' +
    'und die drücken keine.',
};

export const keys: Strings['keys'] = {
  title: 'Schlüssel',
  lead:
    'Mit einem Schlüssel verwendet ein Programm Ihr Konto und Ihre Credits. Geben Sie jedem Programm einen eigenen, ' +
    'damit Sie ihn einzeln zurücknehmen können.',
  inUse: { one: '{n} Schlüssel in Gebrauch', other: '{n} Schlüssel in Gebrauch' },
  name: 'Name',
  begins: 'Beginnt mit',
  made: 'Gemacht',
  lastUsed: 'Zuletzt verwendet',
  never: 'nie',
  newName: 'Name des neuen Schlüssels',
  newNameHelp: 'Wo er verwendet wird, etwa „CI“ oder „Laptop“',
  makeFresh:
    'Um einen Schlüssel zu machen, melden Sie sich erst noch einmal an: Er gilt weiter, wenn diese Sitzung zu Ende ' +
    'ist.',
  make: 'Schlüssel machen',
  once: 'Ihr neuer Schlüssel „{name}“. Kopieren Sie ihn jetzt: Er wird nicht noch einmal gezeigt.',
  onceHelp:
    'Wir behalten einen Fingerabdruck, nicht den Schlüssel. Wenn Sie ihn verlieren, widerrufen Sie ihn und machen ' +
    'einen neuen.',
  copy: 'Kopieren',
  revoke: 'Widerrufen',
  revokeHelp: 'Programme mit diesem Schlüssel werden ab sofort abgewiesen. Das lässt sich nicht rückgängig machen.',
  revokeYes: 'Schlüssel widerrufen',
  none: 'Noch keine Schlüssel',
  noneHelp: 'Machen Sie einen für das erste Programm, das Ihr Konto verwenden soll.',
  tryIt: 'Ausprobieren',
};

export const credits: Strings['credits'] = {
  title: 'Credits',
  lead:
    '1 Credit ist 1 US-Cent. Der Preis wird beim Start eines Auftrags zurückgehalten und nur abgezogen, wenn er ' +
    'gelingt.',
  available: 'Verfügbar',
  held: 'Zurückgehalten für laufende Aufträge',
  heldHelp: 'wird frei, wenn sie scheitern',
  buy: 'Credits kaufen',
  amount: 'Betrag',
  amountHelp: '{amount} sind {credits} Credits.',
  toPayment: 'Zur Zahlung',
  cardsElsewhere: 'Kartendaten werden beim Zahlungsdienst eingegeben und kommen nie hierher.',
  cannotBuy: 'Hier werden keine Credits verkauft',
  cannotBuyHelp: 'Bitten Sie den Betreiber dieses Dienstes um Credits.',
  cameBack: 'Sie sind zurückgekommen, ohne zu zahlen',
  cameBackHelp: 'Es wurde nichts abgebucht.',
  cardComing: 'Die Karte wird gespeichert',
  cardComingHelp: 'Der Zahlungsdienst meldet es gleich. Öffnen Sie diese Seite noch einmal.',
  refill: 'Automatisches Aufladen',
  refillStates: { off: 'Aus', on: 'An', noCard: 'Wartet auf eine Karte', failed: 'Wartet auf Sie' },
  whenBelow: 'Wenn weniger als',
  buyEach: 'Kaufen',
  cap: 'Höchstens im Monat',
  capHelp: '{spent} von {cap} in diesem Monat gekauft (UTC).',
  capReached:
    'Die Grenze ist erreicht: {spent} von {cap} in diesem Monat gekauft (UTC). Im nächsten geht es von selbst weiter.',
  unit: 'Credits',
  save: 'Speichern',
  saveAndCard: 'Speichern und Karte angeben',
  turnOff: 'Ausschalten',
  card: 'Karte: {brand}, Endziffern {last4}.',
  otherCard: 'Andere Karte verwenden',
  forget: 'Karte vergessen',
  forgetHelp: 'Das automatische Aufladen wird ausgeschaltet, und der Zahlungsdienst vergisst die Karte.',
  forgetYes: 'Vergessen',
  retry: 'Noch einmal versuchen',
  causes: {
    declined: 'Das letzte Aufladen wurde abgelehnt',
    expired: 'Die Karte ist abgelaufen',
    confirm: 'Ihre Bank möchte eine Bestätigung',
  },
  causesHelp: {
    declined:
      'Ihre Bank hat die Karte mit den Endziffern {last4} am {time} abgelehnt. Es wurde nichts abgebucht. Das ' +
      'Aufladen wartet, bis Sie eine andere Karte verwenden oder es noch einmal versuchen.',
    expired:
      'Die Karte mit den Endziffern {last4} konnte am {time} nicht belastet werden. Es wurde nichts abgebucht. Geben ' +
      'Sie die neue an.',
    confirm:
      'Am {time} wollte Ihre Bank eine Bestätigung, die nur Sie geben können, für die Karte mit den Endziffern ' +
      '{last4}. Kaufen Sie einmal Credits, dann gelingt späteres Aufladen meist; oder verwenden Sie eine andere ' +
      'Karte.',
  },
  ledger: 'Buchungen',
  receipts: 'Belege zum Drucken',
  noEntries: 'Noch nichts.',
  time: 'Zeit',
  what: 'Was',
  for: 'Wofür',
  creditsHead: 'Credits',
  balance: 'Stand',
  kinds: {
    grant: 'Gutgeschrieben',
    purchase: 'Gekauft',
    adjustment: 'Berichtigt',
    reserve: 'Zurückgehalten',
    release: 'Freigegeben',
    charge: 'Abgezogen',
  },
  returns: { refund: 'Erstattung', disputed: 'Rückbuchung', disputeOver: 'Rückbuchung beendet' },
  prices: 'Preise',
  freeDay: 'Kostenlose Läufe zählen nach Tagen in UTC: Heute ist {day}. Hier und in der API sind es dieselben.',
  tool: 'Werkzeug',
  perMinute: 'Credits je Minute',
  freePart: 'Kostenlos ohne Credits',
  leftToday: 'Heute übrig',
  wholeFile: 'ganze Datei',
  firstMinutes: 'die ersten {n} min',
  freeUses: '{part}, {n} am Tag',
  noFree: 'nichts',
};

export const receipts: Strings['receipts'] = {
  title: 'Belege',
  lead: 'Einer für jede Zahlung. Öffnen und drucken Sie ihn, oder speichern Sie ihn im Druckfenster als PDF.',
  one: 'Was aus einer Zahlung wurde.',
  number: 'Nummer',
  date: 'Bezahlt',
  for: 'Wofür',
  state: 'Stand',
  amount: 'Betrag',
  open: 'Öffnen',
  none: 'Keine Belege',
  noneHelp: 'Sie kommen mit der ersten Zahlung.',
  states: {
    open: 'Noch nicht bestätigt',
    paid: 'Bezahlt',
    refunded: 'Zurückgezahlt',
    closed: 'Nicht bezahlt',
    failed: 'Abgelehnt',
    disputed: 'Bestritten',
  },
  receipt: 'Beleg',
  payment: 'Zahlung',
  print: 'Drucken',
  from: 'Von',
  to: 'An',
  toHelp: 'Name, Anschrift und USt-IdNr., wie sie gedruckt werden sollen. Im Konto gespeichert, für alle Belege.',
  operator: 'Der Betreiber dieses Dienstes',
  what: 'Was',
  count: 'Anzahl',
  each: 'Je',
  creditsFor: 'Credits für Audiobearbeitung',
  refunded: 'Zurückgezahlt',
  total: 'Bezahlt',
  use: 'Credits werden verbraucht, wenn ein Auftrag gelingt; wofür, zeigen die Buchungen des Kontos.',
  added: '{credits} sind dazugekommen.',
  have: 'Sie haben {credits}.',
  moved: 'Credits, die diese Zahlung bewegt hat',
  toCredits: 'Zu den Credits',
  waiting: 'Die Bank prüft noch',
  waitingHelp: 'Das dauert bis zu einer Minute. Die Credits kommen von selbst; Sie können diese Seite schließen.',
  notPaid: 'Noch nicht bezahlt',
  notPaidHelp:
    '{amount} sind nicht bezahlt, und es wurde nichts abgebucht. Setzen Sie die Zahlung fort, oder lassen Sie sie: ' +
    'Sie endet von selbst.',
  goOn: 'Zurück zur Zahlung',
  byOperator: 'Der Betreiber bestätigt diese Zahlung',
  byOperatorHelp:
    'Zahlen Sie {amount} wie unten beschrieben und nennen Sie {id}. Die Credits kommen, sobald der Betreiber sie ' +
    'bestätigt hat.',
  closed: 'Sie sind zurückgekommen, ohne zu zahlen',
  declined: 'Ihre Bank hat diese Zahlung abgelehnt',
  closedHelp: 'Es wurde nichts abgebucht, und es kamen keine Credits dazu.',
};

export const jobs: Strings['jobs'] = {
  title: 'Aufträge',
  lead: 'Was läuft, was wartet, was fertig ist. Sie können diese Seite schließen; Aufträge laufen weiter.',
  running: 'Läuft',
  ended: 'Beendet',
  follows: 'Diese Seite folgt von selbst',
  tool: 'Werkzeug',
  state: 'Stand',
  ordered: 'Bestellt',
  length: 'Länge',
  credits: 'Credits',
  free: '0, kostenlos',
  left: 'noch etwa {time}',
  cancel: 'Abbrechen',
  states: { queued: 'Wartet', running: 'Läuft', succeeded: 'Fertig', failed: 'Gescheitert', cancelled: 'Abgebrochen' },
  none: 'Noch keine Aufträge',
};

export const me: Strings['me'] = {
  title: 'Konto',
  lead: 'Wie Sie sich anmelden, wo Sie angemeldet sind, und wie Sie gehen.',
  address: 'Adresse',
  addressFor: 'Anmeldelinks und Belege gehen an',
  addressHelp: 'Eine neue Adresse gilt, sobald ein Link geöffnet wurde, der an sie ging.',
  addressSent: 'Sehen Sie in Ihre Mail',
  addressSentHelp:
    'Ein Link ging an {email}. Öffnen Sie ihn innerhalb von 30 Minuten in einem Browser, der bei diesem Konto ' +
    'angemeldet ist.',
  noAddress: 'Keine.',
  noMail: 'Dieser Dienst sendet keine Mails; Anmeldelinks macht der Betreiber.',
  accountId: 'Konto:',
  change: 'Ändern',
  changeFresh: 'Um Adresse oder Passkeys zu ändern oder das Konto zu löschen, melden Sie sich erst noch einmal an.',
  newAddress: 'Neue Adresse',
  newAddressLead: 'Anmeldelinks und Belege gehen ab jetzt an die neue Adresse.',
  useAddress: 'Diese Adresse verwenden',
  undo: 'Änderung der Adresse rückgängig machen',
  undoLead: '{email} war bis {time} die Adresse eines Kontos hier. Soll das Konto diese Adresse wieder haben?',
  undoHelp:
    'Alle Browser und Programme werden abgemeldet, und Passkeys und Schlüssel aus der Woche vor der Änderung und ' +
    'seither werden entfernt. Möglich bis {until}.',
  undoYes: 'Rückgängig machen',
  undone: 'Das Konto hat diese Adresse wieder',
  undoneHelp:
    'Alle Browser und Programme sind abgemeldet. Melden Sie sich mit {email} an, und sehen Sie Ihre Schlüssel und ' +
    'Aufträge an.',
  passkeys: { one: '{n} Passkey', other: '{n} Passkeys' },
  passkeysCaption: 'Passkeys',
  passkeysHelp:
    'Ein Passkey meldet Sie mit der Sperre Ihres Geräts an. Browser machen sie für Namen über https und für localhost.',
  passkeyName: 'Name des neuen Passkeys',
  addPasskey: 'Passkey hinzufügen',
  passkeyFailedHelp:
    'Der Passkey wurde nicht gemacht: Das Fenster wurde geschlossen, oder es hat zu lange gedauert. Nichts hat sich ' +
    'geändert.',
  remove: 'Entfernen',
  removeHelp:
    'Dieser Passkey meldet nicht mehr an. Wenn er Ihr einziger Weg ist, brauchen Sie nächstes Mal einen Link.',
  removeYes: 'Passkey entfernen',
  sessions: { one: 'An {n} Stelle angemeldet', other: 'An {n} Stellen angemeldet' },
  sessionsCaption: 'Sitzungen',
  where: 'Wo',
  since: 'Seit',
  seen: 'Zuletzt',
  now: 'jetzt',
  thisOne: 'Diese hier',
  someDevice: 'Ein Browser',
  sinceBy: '{time}, {method}',
  methods: { link: 'mit Link', passkey: 'mit Passkey', operator: 'durch den Betreiber' },
  end: 'Beenden',
  endOthers: 'Alle anderen beenden',
  sessionsHelp:
    'Eine Sitzung endet von selbst nach {days} Tagen ohne Gebrauch. Netzwerkadressen werden nicht gespeichert.',
  othersHelp: '„Alle anderen beenden“ nimmt auch zurück, was Sie Programmen erlaubt haben.',
  signOut: 'Abmelden',
  delete: 'Konto löschen',
  deleteHelp:
    'Dateien, Schlüssel und Sitzungen werden sofort gelöscht, laufende Aufträge abgebrochen. Belege bleiben so ' +
    'lange, wie das Gesetz es vom Betreiber verlangt.',
  deleteCredits: '{credits} verfallen; fragen Sie vorher den Betreiber, wenn Sie sie zurückhaben wollen.',
  deleteButton: 'Mein Konto löschen',
  typeName: 'Schreiben Sie {name}, um fortzufahren',
  deleteFresh: 'Melden Sie sich erst noch einmal an; die Schaltfläche ist oben.',
  deleteForGood: 'Danach gibt es keinen Weg zurück.',
  deleteYes: 'Alles löschen',
  wrongName: 'Das ist nicht der Name des Kontos',
  wrongNameHelp: 'Gehen Sie zurück und schreiben Sie ihn wie gezeigt. Es wurde nichts gelöscht.',
  deleted: 'Gelöscht',
  deletedTitle: 'Ihr Konto ist gelöscht',
  deletedHelp:
    'Dateien und Schlüssel sind weg, und dieser Browser ist abgemeldet. Die Werkzeuge arbeiten weiter für die ersten ' +
    'Minuten einer Datei.',
};

export const operator: Strings['operator'] = {
  title: 'Betrieb',
  lead: 'Wie es dieser Maschine geht. Hier können Sie zusehen; Änderungen macht der Befehl earshot.',
  slots: 'Belegte Plätze für Aufträge',
  of: 'von {n}',
  owners: { one: '{n} Konto oder Besucher', other: '{n} Konten oder Besucher' },
  waiting: 'Wartend',
  longest: 'am längsten seit {time}',
  failed: 'Heute gescheitert',
  processed: 'Heute bearbeiteter Ton',
  processedUnit: 'h:mm:ss, seit Mitternacht UTC',
  load: 'Die letzten 24 Stunden',
  ordered: 'Aufträge je Stunde',
  orderedHelp: '{n} bestellt, {failed} davon fehlgeschlagen; höchstens {most} in einer Stunde',
  waited: 'Längste Wartezeit bis zum Start, je Stunde',
  waitedHelp: 'höchstens {time}',
  fine: 'Aufträge beginnen bald, nachdem sie bestellt wurden.',
  slow: 'Aufträge warten lange auf den Start: Dieser Maschine mehr Plätze geben oder einen weiteren Worker starten.',
  scaling: 'Mehr Maschinen',
  failures: 'Fehlgeschlagene Aufträge',
  noFailures: 'Keine, die noch bekannt sind.',
  failuresHelp: 'Für diese wurde nichts berechnet. Was hinter einem Code steckt und was zu tun ist:',
  operating: 'Betrieb',
  blocked: 'gesperrt',
  accounts: 'Konten',
  account: 'Konto',
  visitor: 'ein Besucher',
  attempts: 'Versuche',
  since: 'Seit',
  findAccount: 'Name, Adresse oder Kennung eines Kontos',
  queue: 'Laufend und wartend',
  asOf: 'Stand {time} UTC',
  idle: 'Nichts läuft und nichts wartet.',
  job: 'Auftrag',
  tool: 'Werkzeug',
  stage: 'Schritt',
  done: 'Fertig',
  free: 'Freies Kontingent heute',
  given: 'Verschenkte Sekunden',
  ofBudget: '{n} von {all}',
  freeRuns: 'Kostenlose Läufe',
  waitingToPay: 'Dateien, die auf eine Zahlung warten',
  storage: 'Speicher',
  files: { one: '{n} Datei', other: '{n} Dateien' },
  uploads: 'Hochgeladenes',
  results: 'Ergebnisse',
  expiring: 'In der nächsten Stunde gelöscht',
  payments: 'Zahlungen',
  paymentCounts: '{open} offen, {paid} bezahlt, {disputed} bestritten',
  noPayments: 'Noch keine Zahlungen.',
};
