import type { Strings } from '../en/index.ts';

export const pay: Strings['pay'] = {
  finish: 'Ganze Datei bearbeiten',
  tool: 'Werkzeug',
  files: { one: 'Datei', other: 'Dateien' },
  gone: 'gelöscht',
  length: 'Länge',
  filePrice: 'Preis der ganzen Datei',
  youPay: 'zahlen Sie',
  stays:
    'Die kleinste Zahlung ist {pay}. Davon sind {price} für diese Datei; {left} bleiben Ihnen, als {credits} für ' +
    'andere Dateien.',
  button: '{amount} zahlen',
  noSignUp:
    'Ohne Anmeldung. Die ganze Datei wird bearbeitet, sobald die Zahlung bestätigt ist. Sie bleibt bis {time} hier, ' +
    'und länger, solange eine Zahlung läuft.',
  paidTitle: 'Diese Datei ist bezahlt',
  paidHelp: 'Das Ergebnis ist unter dem Link des Laufs und auf der Seite der Zahlung.',
  nothing: 'Für diese Datei ist nichts zu zahlen',
  nothingHelp: 'Sie ist schon ganz bearbeitet.',
  show: 'Zahlung zeigen',
  noLink: 'Diesen Link gibt es nicht, oder er ist abgelaufen',
  noLinkHelp:
    'Prüfen Sie, ob der Link vollständig ist. Links für den Rest einer Datei enden mit der Datei, nach einer Stunde.',
  onward: 'Der Zahlungsdienst ist unter {host}.',
  onwardLink: 'Zur Zahlung',
  account: 'Konto',
  credits: 'Credits',
  creditsOf: '{credits} ({amount})',
  payment: 'Zahlung',
  amount: 'Betrag',
  paidAt: 'Bezahlt',
  refunded: 'Erstattet',
  outcomes: {
    job_started: 'Die ganze Datei wird bearbeitet',
    credits: 'Die Credits sind auf dem Konto',
    file_gone: 'Die Datei war schon gelöscht, als die Zahlung ankam',
    too_little: 'Die Zahlung war kleiner als der Preis',
    already_finished: 'Diese Datei war schon bezahlt',
  },
  kept: 'Die ganze Zahlung ist als Credits auf dem Konto, oder der Betreiber erstattet sie.',
  disputed: 'Die Bank bestreitet diese Zahlung',
  disputedHelp: 'Ihre übrigen Credits sind gesperrt, bis die Bank entschieden hat.',
  wasRefunded: 'Diese Zahlung wurde erstattet',
  wasRefundedHelp: 'Ihre Credits wurden vom Konto abgezogen.',
  progress: '{percent} % fertig. Diese Seite erneuert sich selbst.',
  done: 'Die ganze Datei ist fertig',
  doneHelp: 'Abgezogen wurden {price}; {left} sind noch auf dem Konto.',
  download: '{name} herunterladen',
  keptUntil: 'Bleibt bis {time}.',
  failed: 'Die ganze Datei konnte nicht bearbeitet werden',
  failedHelp: 'Dafür wurde nichts berechnet. Die Credits sind auf dem Konto, oder der Betreiber erstattet sie.',
  keyTitle: 'Die Credits verwenden',
  keyHelp:
    'Programme verwenden die Credits dieses Kontos mit einem API-Schlüssel. Er wird nur einmal angelegt und gezeigt.',
  keyButton: 'API-Schlüssel anlegen',
  keyShown: 'Ihr API-Schlüssel, nur jetzt zu sehen',
};
