import { drop, replace } from '../../../support/edited-build/edit.ts'
import { killedAt, type PlantedBugs, pausedAt, plain } from '../mutant.ts'

export const moneyMutants: PlantedBugs = {
  'refund-unguarded': {
    bug: 'The refunded total is checked when a refund is judged, but not in its write: two concurrent refunds exceed the payment.',
    edits: [
      drop('beginRefund', '...guard'),
      // The wallet would refuse the excess, so the refund would fail and no promise would break.
      replace('fits', '$sum <= ($)', '$sum >= 0'),
    ],
    caughtBy: ['refund.bounded'],
    focus: { ...pausedAt('refund.before-set-aside'), often: ['refundIntent'] },
  },
  'refund-again': {
    bug: 'A retry of a refund does not look for the refund that it began, and begins another.',
    edits: [
      replace('findEarlier', 'ownMark($$)', 'null'),
      replace('findEffect', 'ownMark($$)', 'null'),
      drop('beginRefund', '...unlessMarked($)'),
    ],
    caughtBy: ['key.once'],
    focus: {
      ...killedAt('refund.settled', 'refund.set-aside', 'write.before-response-kept'),
      often: ['refundIntent'],
    },
  },
  'last-centime-kept': {
    bug: 'A refund of everything that is left is refused.',
    edits: [replace('checkRefund', '$amount > refundable', '$amount >= refundable')],
    caughtBy: ['api/refund.test.ts'],
  },
  'refunds-refused': {
    bug: 'Every refund is refused.',
    edits: [replace('checkRefund', '$amount > refundable', '$amount >= 0')],
    caughtBy: ['refusal.due'],
    focus: { ...plain, seconds: 30, often: ['simulatePayment', 'refundIntent'] },
  },
  'outcome-forgotten': {
    bug: 'No worker queries the wallet for the outcome of a payment whose process died.',
    edits: [replace('queryDueWallets', "queryBy($, 'hold.queryAt', $$)", '0')],
    caughtBy: ['quiet.reached'],
    focus: { ...killedAt('pay.pending', 'pay.wallet-responded', 'wallet.decided'), often: ['payByLink'] },
  },
  'unknown-taken-for-none': {
    bug: 'A call to a wallet of which MongoDB tells no outcome counts as not executed.',
    edits: [replace('resultOf', "{ outcome: 'unknown', why: $.name }", "{ outcome: 'not-executed' }")],
    caughtBy: ['wallets/sandbox-wallet.test.ts'],
  },
  'order-too-late': {
    bug: 'A sandbox wallet carries out an order that another one delayed beyond its deadline.',
    edits: [replace('decide', '$ < validUntil', 'true')],
    caughtBy: ['wallets/sandbox-wallet.test.ts'],
  },
  'balance-read-before': {
    bug: 'A payment reads the balance outside its transaction, and another one changes it before the transaction begins.',
    edits: [
      replace('decide', '$.findOne({ _id }, { session })', 'movements.findOne({ _id })'),
      replace('charge', '$.findOne({ _id: $ }, { session })', 'accounts.findOne({ _id: accountId })'),
    ],
    caughtBy: ['wallets/sandbox-wallet.test.ts'],
  },
  'money-kept': {
    bug: 'A refund returns one centime less to the wallet.',
    edits: [replace('refundTo', 'balance: $amount + $', 'balance: $amount - 1 + order.fee')],
    caughtBy: ['wallet.balances'],
    focus: { ...plain, often: ['payByLink', 'refundIntent'] },
  },
  'fee-kept': {
    bug: 'The refund that completes the amount gives back only its share of the fees.',
    edits: [replace('feeShareOf', '$isComplete ? both(left) : $shares', '$shares')],
    caughtBy: ['unit/fee-share.test.ts'],
  },
  'fee-unbooked': {
    bug: 'The fee of a payment or refund has no entry in the ledger.',
    edits: [replace('feeOf', '$amount === 0', 'true')],
    caughtBy: ['ledger.exact'],
    focus: { ...plain, often: ['simulatePayment'] },
  },
  'entry-id-random': {
    bug: 'The id of an entry in the ledger does not derive from its event, so an event that is relayed again is booked again.',
    edits: [
      replace('openLedger', 'linkEntry($$)', 'linkEntry($$).map((one) => ({ ...one, _id: crypto.randomUUID() }))'),
    ],
    caughtBy: ['ledger.exact'],
    focus: { ...killedAt('relay.logged', 'chain.inserted'), often: ['simulatePayment', 'refundIntent'] },
  },
  'payout-apart': {
    bug: 'A payout is booked outside the transaction with its audit line.',
    edits: [replace('payOut', '$.insertMany(links, { session })', 'entries.insertMany(links)')],
    caughtBy: ['ledger/payouts.test.ts'],
  },
  'day-left-open': {
    bug: 'The first entry of a day does not close the day before.',
    edits: [replace('linkEntry', 'linkClosing($$)', 'null')],
    caughtBy: ['ledger/book.test.ts'],
  },
  'commission-rounded-down': {
    bug: 'A fee is always rounded down.',
    edits: [replace('share', '$fee + 5000n', '$fee')],
    caughtBy: ['unit/commission.test.ts'],
  },
}
