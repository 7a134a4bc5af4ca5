/** The forms of a counted noun for 1, 2, 3 to 10, and all other counts. `#` is replaced by the number. */
export type Forms = readonly [one: string, two: string, few: string, many: string]

/** A page's message: a heading and a sentence. */
export type Note = readonly [title: string, sentence: string]

/**
 * All texts of the hosted pages in one language. Inserted values such as amounts and times are HTML in some texts and
 * plain text in others. Therefore, the texts themselves must not contain characters that are special in HTML.
 */
export interface Words {
  /** The language's name in that language. */
  language: string
  languages: string
  toContent: string
  test: string
  /** The heading above a form's errors. */
  problem: string
  /** Returns the title for a page whose form has errors. */
  wrong: (title: string) => string
  pay: {
    title: (amount: string) => string
    /** The deadline, as a time today or as a date and time. */
    expiresToday: (clock: string, left: string) => string
    expires: (moment: string, left: string) => string
    phone: string
    phoneHint: string
    pin: string
    pinHint: string
    button: (amount: string) => string
    busy: string
    changeAmount: string
    /** The link back to the merchant, which does not cancel the payment. */
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
  /** The reasons why the customer was not charged. */
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
    /** For a customer whose intent was paid with a different form. */
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
  /** The parts of a remaining time such as `23 h 59 min`. */
  left: { days: Forms; hours: Forms; minutes: Forms; and: string; soon: string }
}
