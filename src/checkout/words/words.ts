/** A count in words by how a language counts: 1, 2, 3 to 10, more; `#` stands for the number. */
export type Forms = readonly [one: string, two: string, few: string, many: string]

/** What a page says, in short: its heading and a sentence. */
export type Note = readonly [title: string, sentence: string]

/**
 * All that the hosted pages say, in one language. What is put in (amounts, times) comes as HTML or as text, as the place needs it;
 * so the words themselves have no mark in them that HTML would read.
 */
export interface Words {
  /** The language's own name. */
  language: string
  languages: string
  toContent: string
  test: string
  /** Above what is wrong with a form. */
  problem: string
  /** The title of a page with a problem. */
  wrong: (title: string) => string
  pay: {
    title: (amount: string) => string
    /** Before a time of today, or a day and a time. */
    expiresToday: (clock: string, left: string) => string
    expires: (moment: string, left: string) => string
    phone: string
    phoneHint: string
    pin: string
    pinHint: string
    button: (amount: string) => string
    busy: string
    changeAmount: string
    /** Leads to the merchant and cancels nothing. */
    leave: string
  }
  amount: { title: string; label: string; hint: string; button: string }
  code: { title: string; label: string; hint: string; button: string; unknown: string }
  faults: {
    phone: string
    pin: string
    pinDoesNotFit: string
    amount: string
    amountUnclear: string
    amountRange: (least: string, most: string) => string
    code: string
  }
  /** Why nothing was taken this time. */
  notices: {
    wallet_locked: string
    insufficient_funds: string
    limit_exceeded: string
    notExecuted: string
    formTooOld: string
  }
  panels: {
    waiting: Note
    paid: string
    /** To a customer whose form is not the one that paid, also if both are theirs. */
    paidBefore: Note
    refunded: string
    refundedInPart: string
    cancelled: Note
    expired: Note
    failed: Note
    unavailable: Note
  }
  facts: {
    amount: string
    refunded: string
    merchant: string
    label: string
    paidAt: string
    reference: string
  }
  back: { link: string; leaving: string; stay: string }
  notes: {
    notFound: Note
    foreign: Note
    tooLarge: Note
    tooMany: (left: string) => Note
    notUnderstood: Note
    unavailable: Note
    broken: Note
    /** The way to the page as it is now. */
    again: string
  }
  /** What is left of a time: `23 h 59 min`. */
  left: { days: Forms; hours: Forms; minutes: Forms; and: string; soon: string }
}
