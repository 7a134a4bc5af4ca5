import { currencyCode } from '../../../schemas/currency.ts'
import type { Words } from './words.ts'

const nothingTaken = 'You have not been charged.'

export const english: Words = {
  language: 'English',
  languages: 'Language',
  toContent: 'Skip to content',
  test: 'Test: no real money moves.',
  problem: 'There is a problem',
  wrong: (title) => `Error: ${title}`,
  pay: {
    title: (amount) => `Pay ${amount}`,
    expiresToday: (clock, left) => `Pay before ${clock}: ${left} left.`,
    expires: (moment, left) => `Pay before ${moment}: ${left} left.`,
    phone: 'Phone number',
    phoneHint: 'The number of your mobile wallet.',
    pin: 'PIN',
    pinHint: '4 to 6 digits. Never share it with anyone.',
    button: (amount) => `Pay ${amount}`,
    busy: 'Paying…',
    changeAmount: 'Change the amount',
    leave: 'Return to the merchant without paying',
  },
  amount: {
    title: 'How much do you want to pay?',
    label: `Amount in ${currencyCode}`,
    hint: 'For example 500 or 1250.50.',
    button: 'Continue',
  },
  code: {
    title: 'Pay with a code',
    label: 'Payment code',
    hint: 'The 6 digits that the merchant gives you.',
    button: 'Continue',
    unknown: 'This code is not valid. Check it with the merchant.',
  },
  qr: {
    title: (amount) => `Scan to pay ${amount}`,
    titleOpen: 'Scan to pay',
    image: 'QR code of the payment page',
    code: (address) => `Or open ${address} and enter this code:`,
    download: (format) => `Download as ${format}`,
  },
  faults: {
    phone: 'Enter your phone number, for example 22 34 56 78',
    pin: 'Enter your PIN: 4 to 6 digits',
    pinDoesNotFit: 'The phone number and the PIN do not match',
    amount: 'Enter an amount, for example 500 or 1250.50',
    amountUnclear:
      'This amount can be read in two ways. Enter it without a separator for thousands, for example 1500 or 1500.50',
    amountRange: (least, most) => `The amount must be between ${least} and ${most}`,
    code: 'Enter the 6 digits of the code',
  },
  notices: {
    wallet_locked: `This wallet is locked after several wrong PINs. ${nothingTaken} Try again later, or pay with another wallet.`,
    insufficient_funds: `There is not enough money in this wallet. ${nothingTaken} Try again, or pay with another wallet.`,
    limit_exceeded: `This amount is above the limit of this wallet. ${nothingTaken} Try again later, or pay with another wallet.`,
    declined: `The wallet declined this payment. ${nothingTaken} Try again later, or pay with another wallet.`,
    notExecuted: `The payment could not be started. ${nothingTaken} Try again.`,
    formTooOld: `This page was out of date. ${nothingTaken} Enter your PIN again.`,
  },
  panels: {
    waiting: [
      'Payment in progress',
      'We are waiting for your wallet. Do not pay a second time: this page updates by itself.',
    ],
    paid: 'Payment successful',
    paidBefore: ['This payment was already made', 'You were not charged for this attempt.'],
    refunded: 'Payment refunded',
    refundedInPart: 'Payment partly refunded',
    cancelled: ['Payment cancelled', `This payment request was cancelled. ${nothingTaken}`],
    expired: ['Time is up', `${nothingTaken} Ask the merchant for a new payment request.`],
    failed: ['The payment failed', `${nothingTaken} Ask the merchant for a new payment request.`],
    unavailable: ['Payment is not available now', `${nothingTaken} Try again later.`],
  },
  facts: {
    amount: 'Amount',
    refunded: 'Refunded',
    merchant: 'Merchant',
    label: 'For',
    paidAt: 'Date',
    reference: 'Reference',
  },
  back: {
    link: 'Return to the merchant’s site',
    leaving: 'You will be returned to the merchant’s site in 5 seconds.',
    stay: 'Stay here',
  },
  notes: {
    notFound: ['Page not found', 'There is nothing to pay at this address. Check the link.'],
    foreign: ['Refused', `This form did not come from our page. ${nothingTaken}`],
    tooLarge: ['Form too long', `This form is too long. ${nothingTaken}`],
    tooMany: (left) => ['Too many attempts', `Try again in ${left}.`],
    notUnderstood: ['Request not valid', `Open the page again and retry. ${nothingTaken}`],
    unavailable: [
      'Service unavailable',
      'Open the page again in a few seconds: it will show the status of the payment. You will not be charged twice.',
    ],
    broken: [
      'Something went wrong',
      'The problem is on our side. Open the page again: it will show the status of the payment. You will not be charged twice.',
    ],
    again: 'Open the page again',
  },
  left: {
    days: ['#\u00a0day', '#\u00a0days', '#\u00a0days', '#\u00a0days'],
    hours: ['#\u00a0h', '#\u00a0h', '#\u00a0h', '#\u00a0h'],
    minutes: ['#\u00a0min', '#\u00a0min', '#\u00a0min', '#\u00a0min'],
    and: ' ',
    soon: 'less than a minute',
  },
}
