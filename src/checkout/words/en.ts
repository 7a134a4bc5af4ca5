import type { Texts } from '../../http/pages/words.ts'

const nothingTaken = 'You have not been charged.'

export const englishCheckoutTexts = {
  test: 'Test mode: no real money is taken.',
  nothingTaken,
  notPaid: 'Payment not made',
  pay: {
    title: (amount: string) => `Pay ${amount}`,
    expiresToday: (clock: string, left: string) => `Pay before ${clock}: ${left} left.`,
    expires: (moment: string, left: string) => `Pay before ${moment}: ${left} left.`,
    phone: 'Phone number',
    inOuguiya: (total: string, old: string) => `That is ${total} in new ouguiya (${old} in old ouguiya).`,
    phoneHint: 'The 8-digit number of your mobile wallet.',
    pin: 'PIN',
    pinHint: '4 to 6 digits. Only your wallet sees it, not the merchant.',
    button: (amount: string) => `Pay ${amount}`,
    busy: 'Paying…',
    changeAmount: 'Change the amount',
    leave: 'Return to the merchant without paying',
  },
  amount: {
    title: 'How much do you want to pay?',
    button: 'Continue',
  },
  code: {
    title: 'Pay with a code',
    label: 'Payment code',
    hint: 'The 6 digits that the merchant gave you.',
    button: 'Continue',
    unknown: 'This code is not valid. Check it with the merchant.',
  },
  qr: {
    title: (amount: string) => `Scan to pay ${amount}`,
    titleOpen: 'Scan to pay',
    image: 'QR code for the payment page',
    /** The customer enters the payment code at `address`. */
    code: (address: string) => `Or open ${address} and enter this code:`,
    download: (format: string) => `Download as ${format}`,
  },
  faults: {
    phone: 'Enter your phone number: 8 digits, for example 22 34 56 78',
    pin: 'Enter your PIN: 4 to 6 digits',
    pinDoesNotFit: 'The phone number or PIN is wrong',
    code: 'Enter the 6 digits of the code',
  },
  /** Each notice says why the customer wasn't charged. */
  notices: {
    wallet_locked: `This wallet was locked after several wrong PINs. ${nothingTaken} Try again later, or pay with another wallet.`,
    insufficient_funds: `There is not enough money in this wallet. ${nothingTaken} Top it up and try again, or pay with another wallet.`,
    limit_exceeded: `This amount is over this wallet’s limit. ${nothingTaken} Try again later, or pay with another wallet.`,
    declined: `The wallet declined this payment. ${nothingTaken} Try again later, or pay with another wallet.`,
    notExecuted: `The payment could not be started. ${nothingTaken} Try again.`,
    formTooOld: `This page was out of date. ${nothingTaken} Enter your PIN again.`,
    totalChanged: `The total has changed. ${nothingTaken} Check the new total and enter your PIN again.`,
  },
  panels: {
    waiting: [
      'Payment in progress',
      'We are waiting for your wallet to confirm. Do not pay a second time: this page updates automatically.',
    ],
    paid: 'Payment successful',
    /** Shown if the intent was paid with another customer's form. */
    paidBefore: ['This payment has already been made', 'You were not charged for this attempt.'],
    refunded: 'Payment refunded',
    refundedInPart: 'Payment partly refunded',
    cancelled: ['Payment cancelled', `This payment request was cancelled. ${nothingTaken}`],
    expired: ['Time is up', `${nothingTaken} Ask the merchant for a new payment link.`],
    failed: ['The payment failed', `${nothingTaken} Ask the merchant for a new payment link.`],
    unavailable: ['Payment is not available right now', `${nothingTaken} Try again later.`],
  },
  facts: {
    amount: 'Amount',
    fee: 'Fee',
    total: 'Total',
    refunded: 'Refunded',
    merchant: 'Merchant',
    label: 'For',
    paidAt: 'Date',
    wallet: 'Paid from',
    reference: 'Reference',
    merchantReference: 'Merchant’s reference',
  },
  back: {
    link: 'Return to the merchant’s site',
    leaving: 'You will be returned to the merchant’s site in 5 seconds.',
    stay: 'Stay here',
  },
  notes: {
    notFound: ['Page not found', 'There is nothing to pay at this address. Check the link.'],
    foreign: ['Request refused', `This form did not come from our page. ${nothingTaken}`],
    tooLarge: ['Form too long', `The form you submitted is too long. ${nothingTaken}`],
    tooMany: (left: string) => ['Too many attempts', `Try again in ${left}.`] as const,
    notUnderstood: ['Invalid request', `Open the page again and try once more. ${nothingTaken}`],
    unavailable: [
      'Service unavailable',
      'Open the page again in a few seconds to see the status of the payment. You will not be charged twice.',
    ],
    broken: [
      'Something went wrong',
      'The problem is on our side. Open the page again to see the status of the payment. You will not be charged twice.',
    ],
    again: 'Open the page again',
  },
} as const

export type NoticeText = readonly [title: string, sentence: string]

/** Some strings are inserted as HTML, so none may have special characters. */
export type CheckoutTexts = Texts<typeof englishCheckoutTexts>
