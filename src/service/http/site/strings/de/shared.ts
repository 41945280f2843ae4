import type { Strings } from '../en/index.ts';

/** A text that others read by a link. */
export const shared: Strings['shared'] = {
  lead: 'Ein Text zum Lesen, {length} Ton. Der Link gilt bis {day}.',
  help: 'Was Sie unter einen Satz schreiben, sehen alle, die diesen Link haben.',
  comments: { one: 'Bisher {n} Kommentar.', other: 'Bisher {n} Kommentare.' },
  comment: 'Kommentieren',
  commentAt: 'zum Satz bei {at}',
  name: 'Ihr Name',
  text: 'Ihr Kommentar',
  seenBy: 'Name und Kommentar bleiben so lange wie der Link. Eine Adresse wird nicht dazu gespeichert.',
  send: 'Senden',
  cancel: 'Abbrechen',
  thanks: 'Ihr Kommentar steht da.',
  pages: 'Teile des Textes',
  page: 'Teil {n} von {all}',
  before: 'Zurück',
  next: 'Weiter',
};
