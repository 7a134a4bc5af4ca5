import type { Texts } from '../../http/pages/words.ts'

export const englishFrameTexts = {
  product: 'Payments',
  pages: 'Pages',
  signOut: 'Sign out',
  signingOut: 'Signing out…',
  sandbox: 'Sandbox: this is practice, no money moves.',
  live: 'Live: real money',
  firstPage: 'First page',
  nextPage: 'Next page',
  share: 'Share the link',
  copy: 'Copy the link',
  copied: 'Link copied',
  openLink: 'Open the payment page',
  choose: 'Choose a business',
  noRole: 'You have no role in any business. Ask an owner to invite you.',
  till: 'Till',
  portal: 'Portal',
  roles: { owner: 'owner', cashier: 'cashier', accountant: 'accountant' },
  notJoined: 'Invitation not accepted',
  peopleRefusals: {
    'business-not-found': 'This business does not exist.',
    'not-found': 'This person has no role here.',
    'already-there': 'This person already has a role in this business.',
    'no-owner': 'First, an owner has to accept their invitation.',
    'last-owner': 'The business must keep an owner who can sign in.',
    'too-many': 'There are too many people, roles or open invitations.',
    repeated:
      'This form has already made a link, which is not shown again. Invite the person again to get another one.',
    'other-person': 'This invitation is for somebody else. Sign out, then open the link again.',
  },
  ownerReturned: (name: string) =>
    `The operator has let ${name} in as an owner. If you did not expect this, contact the operator at once.`,
  ownerSeen: 'I know about this',
  sections: {
    payments: 'Payments',
    money: 'Money',
    webhooks: 'Webhooks',
    keys: 'Keys',
    people: 'People',
    limits: 'Limits',
    activity: 'What happened',
  },
  otherMode: { test: 'Switch to the sandbox', live: 'Switch to live' },
  notDone: 'Not done',
  back: 'Back',
  oneMoment: 'One moment',
  proceed: 'Continue',
  start: 'Go to the start page',
  notes: {
    notFound: ['Page not found', 'There is no page at this address. Check the link.'],
    role: ['Not allowed', 'Your role does not include this. Ask an owner of the business.'],
    closed: [
      'Business closed',
      'This business is suspended or disabled. You can still read and export its data. Contact the operator.',
    ],
    approved: ['Already approved', 'This business has live access.'],
    'not-approved': [
      'No live access',
      'This business has no live access yet, so this works only in the sandbox. An owner can ask for live access under “Keys”.',
    ],
    'other-session': [
      'Not sent',
      'This form belongs to another session. Open the page again and try once more.',
    ],
    'other-site': [
      'Not sent',
      'This request did not come from our own pages. Open the page again and try once more.',
    ],
    signedOut: ['Signed out', 'You are not signed in, or your session has ended.'],
    tooLarge: ['Form too long', 'The form you submitted is too long. Nothing was changed.'],
    tooMany: ['Too many requests', 'Wait a minute, then try again.'],
    notUnderstood: ['Invalid request', 'Open the page again and try once more. Nothing was changed.'],
    unavailable: ['Service unavailable', 'Open the page again in a few seconds to see what was done.'],
    broken: [
      'Something went wrong',
      'The problem is on our side. Open the page again to see what was done before you try once more.',
    ],
    reference: (id: string) => `If you ask for help, give this reference: ${id}`,
  },
} as const

export type FrameTexts = Texts<typeof englishFrameTexts>
