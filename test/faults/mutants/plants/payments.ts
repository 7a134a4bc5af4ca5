import { after, before, drop, replace } from '../../../support/edited-build/edit.ts'
import { killedAt, lasting, often, type PlantedBugs, pausedAt } from '../mutant.ts'

export const bugs: PlantedBugs = {
  'reference.unique': {
    // No unique key holds the reference of a merchant.
    'reference-shared': [
      often('createIntent'),
      lasting(20),
      replace('referenceKeyOf', '$merchantReference === null', 'true'),
    ],
  },
  'api/merchant-reference.test.ts': {
    // An intent that was cancelled or has failed keeps its reference.
    'reference-kept': replace('planTransition', '$freesReference ? { referenceKey: 1 } : {}', '{}'),
  },
  'event.exact': {
    // Creating an intent writes its event afterwards, not in the same write.
    'event-after-the-write': [
      killedAt('create.inserted'),
      before('insertIntent', '$.insertIntent($one, $)', 'const outbox = $one.outbox; $one.outbox = []'),
      after('insertIntent', '$.insertIntent($intent, $)', '$intent.outbox = outbox'),
      after(
        'insertIntent',
        'countTransition($deps, $, $intent)',
        'await $deps.Intent.updateOne({ _id: $intent._id }, { $push: { outbox: { $each: outbox } } })',
      ),
    ],
  },
  'read.forward': {
    // Expiry takes every intent whose time is up, also a paid one.
    'paid-expires': [
      lasting(30),
      drop('mayExpire', 'status: $'),
      drop('mayExpire', 'hold: null'),
      replace(
        'planTransition',
        'status: { $in: $from }',
        "...(input.name === 'expire' ? {} : { status: { $in: $from } })",
      ),
      replace('transitions', '{ cancelsAt: $past }', '{ expiresAt: $past, hold: null }'),
    ],
  },
  'transition.legal': {
    // The write of a transition does not check the current status: two concurrent transitions both happen.
    'status-unguarded': [
      pausedAt('cancel.before-transition', 'simulate.before-transition'),
      often('raceFor'),
      drop('planTransition', 'status: { $in: $ }'),
      replace('cancel', 'guard: isFree', 'guard: anyTime'),
      drop('simulatePayment', 'guard: isFree($)'),
    ],
  },
  'expiry.prompt': {
    // A payment intent past its expiry reads as open until a poll has found it.
    'expiry-late': [
      often('listIntents'),
      lasting(30),
      replace('asOf', '$ || $ || $', 'now.getTime() > 0'),
      replace('relayDocument', "$event === 'payment.created'", "$event === 'payment.failed'"),
      replace('expireDue', 'guard($before)', 'guard(new Date($before.getTime() - 5_000))'),
    ],
  },
  'list.exact': {
    // The total of a long list misses what was created in the very millisecond of a count checkpoint.
    'mark-not-counted': [
      often('createIntent'),
      replace('countAround', '{ ...$createdAt, $gte: $at }', '{ ...$createdAt, $gt: $at }'),
    ],
  },
  'response.sound': {
    // A cancel that comes too late is refused with a status that the catalogue does not have for it.
    'refusal-misnumbered': [
      often('cancelIntent'),
      replace(
        'catalogue',
        'INTENT_CANCEL_INVALID_STATUS: [400, $message]',
        'INTENT_CANCEL_INVALID_STATUS: [422, $message]',
      ),
    ],
  },
  'code.unique': {
    // Two payments may get the same payment code at once.
    'code-twice': [
      often('createIntent'),
      replace(
        'intentIndexes',
        "{ name: 'codeInUse', key: $key, unique: true, $$ }",
        "{ name: 'codeInUse', key: $key, $$ }",
      ),
    ],
    // A payment code is free again as soon as another intent draws it.
    'code-released-early': [often('createIntent'), drop('freeIfReusable', 'codeReusableAt: $')],
  },
  'refund.bounded': {
    // The refunded total is checked when a refund is judged, but not in its write: two concurrent refunds exceed the
    // payment.
    'refund-unguarded': [
      pausedAt('refund.before-set-aside'),
      often('refundIntent'),
      drop('beginRefund', '...guard'),
      // The wallet would refuse the excess, so the refund would fail and no promise would break.
      replace('fits', '$sum <= ($)', '$sum >= 0'),
    ],
  },
  'key.once': {
    // A retry of a refund does not look for the refund that it began, and begins another.
    'refund-again': [
      killedAt('refund.settled', 'refund.set-aside', 'write.before-response-kept'),
      often('refundIntent'),
      replace('findEarlier', 'ownMark($$)', 'null'),
      replace('findEffect', 'ownMark($$)', 'null'),
      drop('beginRefund', '...unlessMarked($)'),
    ],
  },
  'api/refund.test.ts': {
    // A refund of everything that is left is refused.
    'last-centime-kept': replace('checkRefund', '$amount > refundable', '$amount >= refundable'),
  },
  'refusal.due': {
    // Every refund is refused.
    'refunds-refused': [
      often('simulatePayment', 'refundIntent'),
      lasting(30),
      replace('checkRefund', '$amount > refundable', '$amount >= 0'),
    ],
  },
  'quiet.reached': {
    // No worker queries the wallet for the outcome of a payment whose process died.
    'outcome-forgotten': [
      killedAt('pay.pending', 'pay.wallet-responded', 'wallet.decided'),
      often('payByLink'),
      replace('queryDueWallets', "queryBy($, 'hold.queryAt', $$)", '0'),
    ],
  },
  'wallets/sandbox-wallet.test.ts': {
    // A call to a wallet of which MongoDB tells no outcome counts as not executed.
    'unknown-taken-for-none': replace('resultOf', "{ outcome: 'unknown', why: $.name }", "{ outcome: 'not-executed' }"),
    // A sandbox wallet carries out an order that another one delayed beyond its deadline.
    'order-too-late': replace('decide', '$ < validUntil', 'true'),
    // A payment reads the balance outside its transaction, and another one changes it before the transaction begins.
    'balance-read-before': [
      replace('decide', '$.findOne({ _id }, { session })', 'movements.findOne({ _id })'),
      replace('charge', '$.findOne({ _id: $ }, { session })', 'accounts.findOne({ _id: accountId })'),
    ],
  },
  'wallet.balances': {
    // A refund returns one centime less to the wallet.
    'money-kept': [
      often('payByLink', 'refundIntent'),
      replace('refundTo', 'balance: $amount + $', 'balance: $amount - 1 + order.fee'),
    ],
  },
  'unit/fee-share.test.ts': {
    // The refund that completes the amount gives back only its share of the fees.
    'fee-kept': replace('feeShareOf', '$isComplete ? both(left) : $shares', '$shares'),
  },
  'ledger.exact': {
    // The fee of a payment or refund has no entry in the ledger.
    'fee-unbooked': [often('simulatePayment'), replace('feeOf', '$amount === 0', 'true')],
    // The id of an entry in the ledger does not derive from its event, so an event that is relayed again is booked
    // again.
    'entry-id-random': [
      killedAt('relay.logged', 'chain.inserted'),
      often('simulatePayment', 'refundIntent'),
      replace('openLedger', 'linkEntry($$)', 'linkEntry($$).map((one) => ({ ...one, _id: crypto.randomUUID() }))'),
    ],
  },
  'ledger/payouts.test.ts': {
    // A payout is booked outside the transaction with its audit line.
    'payout-apart': replace('payOut', '$.insertMany(links, { session })', 'entries.insertMany(links)'),
  },
  'ledger/book.test.ts': {
    // The first entry of a day does not close the day before.
    'day-left-open': replace('linkEntry', 'linkClosing($$)', 'null'),
  },
  'unit/commission.test.ts': {
    // A fee is always rounded down.
    'commission-rounded-down': replace('share', '$fee + 5000n', '$fee'),
  },
}
