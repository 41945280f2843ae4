import type { MailStrings } from './mail-strings.ts';

export const de: MailStrings = {
  signIn: {
    subject: 'Bei Earshot anmelden',
    asked: (time, device) =>
      `Sie oder jemand mit Ihrer Adresse haben um ${time}${device === '' ? '' : ` mit ${device}`} eine Anmeldung ` +
      'angefordert.',
    button: 'Anmelden',
    orCode: 'Lesen Sie das auf einem anderen Gerät? Dann tippen Sie diesen Code dort ein, wo Sie sich anmelden:',
    once: (minutes) =>
      `Link und Code gelten einmal, ${minutes} Minuten lang, in dem Browser, der sie angefordert hat. Sagen Sie den ` +
      'Code niemandem: Wir fragen nie danach.',
    copy: 'Wenn die Schaltfläche nichts tut, kopieren Sie diese Adresse:',
    notYou: 'Waren Sie es nicht? Dann tun Sie nichts. Ohne diese Mail kommt niemand hinein.',
    why: (host) => `Gesendet, weil bei ${host} eine Anmeldung angefordert wurde.`,
  },
  noAccount: {
    subject: 'Kein Konto bei Earshot',
    none: 'Zu dieser Adresse gibt es kein Konto, und neue legt hier der Betreiber des Dienstes an. Fragen Sie ihn.',
    notYou: 'Waren Sie es nicht? Dann tun Sie nichts.',
  },
  addressChanged: {
    subject: 'Die Adresse Ihres Kontos wurde geändert',
    changed: (time, address) =>
      'Anmeldemails und Belege Ihres Earshot-Kontos kommen nicht mehr ' +
      `hierher${address === '' ? '' : `, sondern an ${address}`}. Geändert wurde das am ${time}.`,
    notYou: 'Waren Sie es nicht? Dann machen Sie es rückgängig:',
    button: 'Änderung rückgängig machen',
    undo: (until) =>
      `Das geht bis ${until}. Das Konto hat dann wieder diese Adresse, alle Browser und Programme sind abgemeldet, ` +
      'und Passkeys und Schlüssel aus der Woche vor der Änderung und seither sind entfernt.',
    you: 'Waren Sie es? Dann ist nichts zu tun.',
    signInThere: (until) =>
      `Waren Sie es? Dann melden Sie sich mit der neuen Adresse an. Ab ${until} kann diese ein eigenes Konto haben.`,
    why: (host) => `Gesendet, weil ein Konto bei ${host} diese Adresse hatte.`,
  },
  addressRestored: {
    subject: 'Die Änderung der Adresse wurde rückgängig gemacht',
    back: 'Ihr Earshot-Konto hat wieder diese Adresse.',
    taken: (address) =>
      `Das Earshot-Konto mit dieser Adresse hat wieder ${address}: Dort wurde ein Link verwendet, der dorthin ging.`,
    ended: (since) =>
      `Alle Browser und Programme wurden abgemeldet, und Passkeys und Schlüssel seit ${since} wurden entfernt.`,
    button: 'Anmelden',
    look:
      'Sehen Sie Ihre Schlüssel und Aufträge an. Wenn jemand anders Ihre Mails lesen kann, ändern Sie zuerst ' +
      'dort das Passwort.',
    operator: 'Waren Sie es nicht? Dann wenden Sie sich sofort an den Betreiber des Dienstes.',
    why: (host) => `Gesendet, weil ein Konto bei ${host} diese Adresse hat oder hatte.`,
  },
  notices: {
    kinds: {
      device: {
        subject: 'Neue Anmeldung bei Ihrem Konto',
        first: 'Ein Browser, den Ihr Konto nicht kennt, hat sich angemeldet.',
      },
      passkey: {
        subject: 'Neuer Passkey Ihres Kontos',
        first: 'Ein Passkey kam dazu. Er kann sich bei Ihrem Konto anmelden.',
      },
      key: {
        subject: 'Neuer Schlüssel Ihres Kontos',
        first: 'Ein Schlüssel wurde gemacht. Er kann Ihr Konto und dessen Credits verwenden.',
      },
      program: {
        subject: 'Ein Programm darf Ihr Konto verwenden',
        first: 'Ein Programm wurde verbunden. Es kann Ihr Konto und dessen Credits verwenden.',
      },
    },
    name: 'Name',
    time: 'Zeit',
    device: 'Von',
    unknown: 'einem Browser, der nichts von sich sagt',
    button: 'Zum Konto',
    notYou:
      'Waren Sie es? Dann ist nichts zu tun. Waren Sie es nicht? Dann melden Sie sich an, nehmen Sie es weg und ' +
      'beenden Sie alle anderen Sitzungen.',
    why: (host) => `Gesendet, weil Sie ein Konto bei ${host} haben.`,
  },
  newAddress: {
    subject: 'Ihre neue Adresse bei Earshot',
    asked: 'Öffnen Sie diesen Link, um Anmeldelinks und Belege ab jetzt an dieser Adresse zu erhalten.',
    button: 'Diese Adresse verwenden',
    once: (minutes) =>
      `Der Link gilt einmal, ${minutes} Minuten lang, in einem Browser, der bei dem Konto angemeldet ist.`,
    why: (host) => `Gesendet, weil ein Konto bei ${host} diese Adresse verwenden möchte.`,
  },
  refillFailed: {
    subject: 'Das automatische Aufladen ist fehlgeschlagen',
    cause: {
      declined: (amount, card, time) =>
        `Ihre Bank hat ${amount} auf der Karte mit den Endziffern ${card} um ${time} abgelehnt. Es wurde nichts ` +
        'abgebucht, und wir versuchen es nicht von selbst noch einmal.',
      expired: (amount, card, time) =>
        `${amount} konnten um ${time} nicht abgebucht werden: Die Karte mit den Endziffern ${card} ist abgelaufen. ` +
        'Es wurde nichts abgebucht, und wir versuchen es nicht von selbst noch einmal.',
      confirm: (amount, card, time) =>
        `Ihre Bank möchte, dass Sie ${amount} auf der Karte mit den Endziffern ${card} bestätigen. Wir haben um ` +
        `${time} gefragt; es wurde nichts abgebucht, und wir versuchen es nicht von selbst noch einmal.`,
    },
    creditsLeft: 'Verbleibende Credits',
    running: 'Laufende Aufträge',
    runningGoOn: 'laufen weiter',
    button: { declined: 'Andere Karte verwenden', expired: 'Neue Karte angeben', confirm: 'Zahlen und bestätigen' },
    orElse:
      'Dort können Sie auch dieselbe Karte noch einmal versuchen, einmalig Credits kaufen oder das automatische ' +
      'Aufladen ausschalten.',
    why: (email, host) => `Gesendet, weil das automatische Aufladen für ${email} bei ${host} eingeschaltet ist.`,
  },
  receipt: {
    subject: (credits, amount) => `${credits} Credits für ${amount}`,
    thanks: 'Vielen Dank. Sie sind auf Ihrem Konto.',
    paid: 'Bezahlt',
    credits: (credits) => `${credits} Credits`,
    each: (amount) => `${amount} (je $0.01)`,
    creditsNow: 'Credits jetzt',
    automatic: 'Gekauft durch automatisches Aufladen.',
    button: 'Beleg zum Drucken',
    why: (host) => `Gesendet zu einer Zahlung bei ${host}.`,
  },
  webhookOff: {
    subject: 'Ein Webhook wurde ausgeschaltet',
    because: {
      failing: (url) =>
        `Einen Tag lang war ${url} bei keinem Versuch zu erreichen. Es wird nichts mehr dorthin gesendet.`,
      gone: (url) => `${url} hat geantwortet, dass es nichts mehr will (410). Es wird nichts mehr dorthin gesendet.`,
    },
    kept: 'Was inzwischen geschieht, wird nicht aufgehoben. Wenn Ihr Server wieder antwortet, schalten Sie ihn ein.',
    button: 'Zum Protokoll',
    why: (host) => `Gesendet, weil ein Konto bei ${host} diesen Webhook hat.`,
  },
  ended: {
    subject: {
      completed: (what) => `Fertig: ${what}`,
      failed: (what) => `Fehlgeschlagen: ${what}`,
      cancelled: (what) => `Abgebrochen: ${what}`,
      test: () => 'Ein Test Ihrer Mails',
    },
    how: {
      completed: 'Die Arbeit ist fertig, und die Ergebnisse liegen bereit.',
      failed: 'Die Arbeit ist fehlgeschlagen. Sehen Sie nach, woran es lag.',
      cancelled: 'Die Arbeit wurde abgebrochen.',
      test: 'Sie haben um einen Test gebeten. Mails zu Ihren langen Arbeiten kommen an diese Adresse.',
    },
    which: 'Welche',
    ordered: 'Bestellt',
    over: 'Beendet',
    error: 'Fehler',
    button: 'Ansehen',
    why: (host) => `Gesendet, weil ein Konto bei ${host} um Mails zu langen Arbeiten gebeten hat.`,
  },
  deleted: {
    subject: 'Ihr Konto ist gelöscht',
    gone:
      'Ihre Dateien, Schlüssel und Sitzungen sind gelöscht, ebenso diese Adresse. Belege bleiben so lange, wie das ' +
      'Gesetz es verlangt.',
    why: (host) => `Gesendet, weil ein Konto bei ${host} gelöscht wurde.`,
  },
};
