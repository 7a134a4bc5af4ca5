/**
 * The forms of a noun after the number 1, after 2, after 3 to 10, and after any other number. `#` is replaced by the
 * number.
 */
export type Forms = readonly [one: string, two: string, few: string, many: string]

/** A page's message: a heading and a sentence. */
export type Note = readonly [title: string, sentence: string]

/**
 * All texts on the hosted pages in one language. Values such as amounts and times are inserted as HTML into some texts
 * and as plain text into others. The texts themselves must therefore not contain characters that are special in HTML.
 */
export interface Words {
  /** The language's name in that language. */
  language: string
  languages: string
  toContent: string
  test: string
  /** The heading of the error summary above a form. */
  problem: string
  /** Returns the page title to use if the form on the page has errors. */
  wrong: (title: string) => string
  pay: {
    title: (amount: string) => string
    /** Tells the customer when the payment expires, either as a time today or as a date and time. */
    expiresToday: (clock: string, left: string) => string
    expires: (moment: string, left: string) => string
    phone: string
    phoneHint: string
    pin: string
    pinHint: string
    button: (amount: string) => string
    busy: string
    changeAmount: string
    /** The text of the link back to the merchant. Following the link does not cancel the payment. */
    leave: string
  }
  amount: { title: string; label: string; hint: string; button: string }
  code: { title: string; label: string; hint: string; button: string; unknown: string }
  /** The page that a merchant shows to a customer at a counter. */
  qr: {
    title: (amount: string) => string
    /** The title if the customer chooses the amount. */
    titleOpen: string
    /** The text alternative of the QR code. */
    image: string
    /** The sentence before the payment code. `address` is the address of the page on which the customer types it. */
    code: (address: string) => string
    download: (format: string) => string
  }
  faults: {
    phone: string
    pin: string
    pinDoesNotFit: string
    amount: string
    amountUnclear: string
    amountRange: (least: string, most: string) => string
    code: string
  }
  /** Each notice explains why the customer was not charged. */
  notices: {
    wallet_locked: string
    insufficient_funds: string
    limit_exceeded: string
    declined: string
    notExecuted: string
    formTooOld: string
    totalChanged: string
  }
  panels: {
    waiting: Note
    paid: string
    /** Shown to a customer if the intent was paid with a form other than theirs. */
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
    fee: string
    total: string
    refunded: string
    merchant: string
    label: string
    paidAt: string
    wallet: string
    reference: string
    merchantReference: string
  }
  back: { link: string; leaving: string; stay: string; print: string }
  notes: {
    notFound: Note
    foreign: Note
    tooLarge: Note
    tooMany: (left: string) => Note
    notUnderstood: Note
    unavailable: Note
    broken: Note
    /** The text of the link that opens the requested page again. */
    again: string
  }
  /** The words from which a remaining time is composed, such as `23 h 59 min`. */
  left: { days: Forms; hours: Forms; minutes: Forms; and: string; soon: string }
}
