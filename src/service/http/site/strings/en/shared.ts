/** A text that others read by a link. */
export const shared = {
  lead: 'A text to read, {length} of sound. The link is valid until {day}.',
  help: 'What you write under a sentence is seen by all who have this link.',
  comments: { one: '{n} comment so far.', other: '{n} comments so far.' },
  comment: 'Comment',
  commentAt: 'on the sentence at {at}',
  name: 'Your name',
  text: 'Your comment',
  seenBy: 'Your name and your comment are kept as long as the link. No address is kept with them.',
  send: 'Send',
  cancel: 'Cancel',
  thanks: 'Your comment is there.',
  pages: 'Parts of the text',
  page: 'Part {n} of {all}',
  before: 'Before',
  next: 'Next',
};
