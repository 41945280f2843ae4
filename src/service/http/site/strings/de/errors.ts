import type { Strings } from '../en/index.ts';

/** Without those that only programs meet: of them the service's own message is shown. */
export const errors: Strings['errors'] = {
  unauthorized: 'Ihre Sitzung ist zu Ende. Melden Sie sich wieder an: Ihre Auswahl ist noch da.',
  'forbidden.blocked':
    'Der Betreiber dieses Dienstes hat dieses Konto gesperrt. Was lief, wurde abgebrochen; Credits und Dateien sind noch ' +
    'da. Fragen Sie den Betreiber.',
  'forbidden.no_mail':
    'Dieser Dienst verschickt keine E-Mails und kann deshalb keine Adresse prüfen. Fragen Sie den Betreiber.',
  'forbidden.old_sign_in': 'Dafür müssen Sie sich gerade erst angemeldet haben. Melden Sie sich noch einmal an.',
  'forbidden.address_changed':
    'Die Adresse dieses Kontos wurde vor wenigen Tagen geändert. Solange das rückgängig gemacht werden kann, wird es ' +
    'nicht gelöscht.',
  'conflict.former_address':
    'Diese Adresse wurde vor wenigen Tagen durch eine andere ersetzt. Machen Sie das mit dem Link in der Mail an ' +
    'diese Adresse rückgängig, oder warten Sie eine Woche.',
  'not_found.no_undo':
    'Dieser Link gilt nicht mehr: Er wurde benutzt, oder eine Woche ist vergangen. Wenn jemand anders Ihr Konto hat, ' +
    'fragen Sie den Betreiber.',
  'forbidden.wrong_code':
    'Das ist nicht der Code der Mail. Sehen Sie noch einmal nach, oder öffnen Sie den Link der Mail in diesem Browser.',
  'not_found.no_request':
    'Codes werden hier nicht mehr angenommen: zu alt, benutzt oder zu oft versucht. Öffnen Sie den Link der Mail in ' +
    'diesem Browser, oder fordern Sie eine neue an.',
  'bad_request.nothing_sought':
    'Sagen Sie, was herausgenommen wird: Wörter, Nummern, Sprecher, Abschnitte, oder ein Plan.',
  'bad_request.nothing_written': 'Noch ist nichts ausgefüllt. Geben Sie einen Titel an, oder ein anderes der Felder.',
  'bad_request.no_code': 'Der Code hat sechs Ziffern.',
  'conflict.has_key':
    'Dieses Konto hat schon einen Schlüssel. Verwenden Sie ihn, oder bitten Sie den Betreiber um einen neuen.',
  not_found: 'Das gibt es nicht, oder es gehört zu einem anderen Konto.',
  insufficient_balance: 'Sie haben dafür zu wenige Credits.',
  over_spending_cap: 'Der Preis hat sich geändert, seit er gezeigt wurde. Sehen Sie ihn noch einmal an.',
  free_limit_reached: 'Die kostenlosen Läufe von heute sind aufgebraucht. Neue gibt es um 0:00 UTC.',
  free_budget_exhausted: 'Für heute hat dieser Dienst keine kostenlosen Läufe mehr. Neue gibt es um 0:00 UTC.',
  free_disabled: 'Dieses Werkzeug hat hier keine kostenlosen Läufe. Melden Sie sich an, um es zu benutzen.',
  file_not_ready: 'Die Datei ist noch nicht ganz da oder wird noch geprüft.',
  file_invalid: 'Die Datei lässt sich nicht lesen: Sie ist beschädigt oder etwas anderes, als ihr Name sagt.',
  file_expired: 'Die Datei ist abgelaufen oder wurde gelöscht. Laden Sie sie noch einmal hoch.',
  file_too_large: 'Die Datei ist zu groß.',
  file_too_long: 'Die Aufnahme ist zu lang. Teilen Sie sie, und bearbeiten Sie die Teile.',
  unsupported_format:
    'Dieses Format wird nicht gelesen. Wandeln Sie die Datei vorher in WAV, FLAC, MP3, M4A oder MP4 um.',
  wrong_file_type: 'Das Werkzeug nimmt Dateien dieser Art nicht: Gebraucht wird eine andere von Ton, Video oder Text.',
  text_too_long: 'Der Text ist zu lang.',
  no_audio: 'In der Datei ist kein Ton.',
  ranges_outside: 'Ein Abschnitt liegt außerhalb der Aufnahme.',
  fetch_failed: 'Unter dem Link war keine Datei zu bekommen. Ist er öffentlich, und beginnt er mit https?',
  limit_exceeded:
    'Eine Grenze ist erreicht: von dem, was ein Konto haben darf, oder von Speicher und Zeit eines Laufs.',
  upload_limit_reached: 'Es kommen zu viele Dateien zugleich an. Warten Sie, bis eine da ist.',
  rate_limited: 'Das waren zu viele Anfragen in einer Minute. Warten Sie einen Augenblick.',
  job_not_cancellable: 'Das ist schon zu Ende.',
  tool_unavailable: 'Das ist hier oder gerade jetzt nicht zu haben. Versuchen Sie es später noch einmal.',
  internal_error: 'Im Dienst ist ein Fehler aufgetreten. Versuchen Sie es noch einmal.',
  connection: 'Der Dienst ist nicht zu erreichen. Prüfen Sie Ihre Verbindung.',
  unexpected_answer: 'Der Dienst hat anders geantwortet als erwartet. Versuchen Sie es noch einmal.',
  cancelled: 'Abgebrochen. Es wurde nichts berechnet.',
};
