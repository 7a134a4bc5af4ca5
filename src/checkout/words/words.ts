/** The forms of a counted word for 1, 2, 3 to 10, and more. `#` stands for the number. */
export type Forms = readonly [one: string, two: string, few: string, many: string]

/** The message of a page: its heading and a sentence. */
export type Note = readonly [title: string, sentence: string]

/**
 * All texts of the hosted pages in one language. The inserted values (amounts, times) are HTML or text, depending on
 * the place. So the texts themselves contain no characters that are special in HTML.
 */
export interface Words {
  /** The language's own name. */
  language: string
  languages: string
  toContent: string
  test: string
  /** The heading above the errors of a form. */
  problem: string
  /** The title of an error page. */
  wrong: (title: string) => string
  pay: {
    title: (amount: string) => string
    /** The deadline: a time of today, or a date and a time. */
    expiresToday: (clock: string, left: string) => string
    expires: (moment: string, left: string) => string
    phone: string
    phoneHint: string
    pin: string
    pinHint: string
    button: (amount: string) => string
    busy: string
    changeAmount: string
    /** The link back to the merchant. It does not cancel the payment. */
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
  /** Why the customer was not charged. */
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
    /** For a customer whose form is not the one that paid. */
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
    /** The link that reloads the page. */
    again: string
  }
  /** The remaining time: `23 h 59 min`. */
  left: { days: Forms; hours: Forms; minutes: Forms; and: string; soon: string }
}
