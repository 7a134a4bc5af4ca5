import { killedAt, lasting, often, type PlantedBugs, pausedAt } from '../faults/mutants/mutant.ts'
import { after, before, drop, replace } from '../support/edited-build/edit.ts'

export const bugs: PlantedBugs = {
  // No unique key holds the reference of a merchant.
  'reference-shared → reference.unique': [
    often('createIntent'),
    lasting(20),
    replace('referenceKeyOf', '$merchantReference === null', 'true'),
  ],
  // An intent that was cancelled or has failed keeps its reference.
  'reference-kept → api/merchant-reference.test.ts': replace(
    'planTransition',
    '$freesReference ? { referenceKey: 1 } : {}',
    '{}',
  ),
  // Creating an intent writes its event afterwards, not in the same write.
  'event-after-the-write → event.exact': [
    killedAt('create.inserted'),
    before('insertIntent', '$.insertIntent($one, $)', 'const outbox = $one.outbox; $one.outbox = []'),
    after('insertIntent', '$.insertIntent($intent, $)', '$intent.outbox = outbox'),
    after(
      'insertIntent',
      'countTransition($deps, $, $intent)',
      'await $deps.Intent.updateOne({ _id: $intent._id }, { $push: { outbox: { $each: outbox } } })',
    ),
  ],
  // Expiry takes every intent whose time is up, also a paid one.
  'paid-expires → read.forward': [
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
  // The write of a transition does not check the current status: two concurrent transitions both happen.
  'status-unguarded → transition.legal': [
    pausedAt('cancel.before-transition', 'simulate.before-transition'),
    often('raceFor'),
    drop('planTransition', 'status: { $in: $ }'),
    replace('cancel', 'guard: freeFilter', 'guard: anyTime'),
    drop('simulatePayment', 'guard: freeFilter($)'),
  ],
  // A payment intent past its expiry reads as open until a poll has found it.
  'expiry-late → expiry.prompt': [
    often('listIntents'),
    lasting(30),
    replace('asOf', '$ || $ || $', 'now.getTime() > 0'),
    replace('relayDocument', "$event === 'payment.created'", "$event === 'payment.failed'"),
    replace('expireDue', 'guard($before)', 'guard(new Date($before.getTime() - 5_000))'),
  ],
  // The total of a long list misses what was created in the very millisecond of a count checkpoint.
  'mark-not-counted → list.exact': [
    often('createIntent'),
    replace('countAround', '{ ...$createdAt, $gte: $at }', '{ ...$createdAt, $gt: $at }'),
  ],
  // A cancel that comes too late is refused with a status that the catalogue does not have for it.
  'refusal-misnumbered → response.sound': [
    often('cancelIntent'),
    replace(
      'catalogue',
      'INTENT_CANCEL_INVALID_STATUS: [400, $message]',
      'INTENT_CANCEL_INVALID_STATUS: [422, $message]',
    ),
  ],
  // Two payments may get the same payment code at once.
  'code-twice → code.unique': [
    often('createIntent'),
    replace(
      'intentIndexes',
      "{ name: 'codeInUse', key: $key, unique: true, $$ }",
      "{ name: 'codeInUse', key: $key, $$ }",
    ),
  ],
  // A payment code is free again as soon as another intent draws it.
  'code-released-early → code.unique': [often('createIntent'), drop('freeIfReusable', 'codeReusableAt: $')],
  // The refunded total is checked when a refund is judged, but not in its write: two concurrent refunds exceed the
  // payment.
  'refund-unguarded → refund.bounded': [
    pausedAt('refund.before-set-aside'),
    often('refundIntent'),
    drop('beginRefund', '...guard'),
    // The wallet would refuse the excess, so the refund would fail and no promise would break.
    replace('fits', '$sum <= ($)', '$sum >= 0'),
  ],
  // A retry of a refund does not look for the refund that it began, and begins another.
  'refund-again → key.once': [
    killedAt('refund.settled', 'refund.set-aside', 'write.before-response-kept'),
    often('refundIntent'),
    replace('findEarlier', 'ownMark($$)', 'null'),
    replace('findEffect', 'ownMark($$)', 'null'),
    drop('beginRefund', '...unmarkedFilter($)'),
  ],
  // A refund of everything that is left is refused.
  'last-centime-kept → api/refund.test.ts': replace('checkRefund', '$amount > refundable', '$amount >= refundable'),
  // Every refund is refused.
  'refunds-refused → refusal.due': [
    often('simulatePayment', 'refundIntent'),
    lasting(30),
    replace('checkRefund', '$amount > refundable', '$amount >= 0'),
  ],
  // No worker queries the wallet for the outcome of a payment whose process died.
  'outcome-forgotten → quiet.reached': [
    killedAt('pay.pending', 'pay.wallet-responded', 'wallet.decided'),
    often('payByLink'),
    replace('queryDueWallets', "queryBy($, 'hold.queryAt', $$)", '0'),
  ],
  // A call to a wallet of which MongoDB tells no outcome counts as not executed.
  'unknown-taken-for-none → wallets/sandbox-wallet.test.ts': replace(
    'resultOf',
    "{ outcome: 'unknown', why: $.name }",
    "{ outcome: 'not-executed' }",
  ),
  // A sandbox wallet carries out an order that another one delayed beyond its deadline.
  'order-too-late → wallets/sandbox-wallet.test.ts': replace('decideOrder', '$ < validUntil', 'true'),
  // A payment reads the balance outside its transaction, and another one changes it before the transaction begins.
  'balance-read-before → wallets/sandbox-wallet.test.ts': [
    replace('decideOrder', '$.findOne({ _id }, { session })', 'movements.findOne({ _id })'),
    replace('charge', '$.findOne({ _id: $ }, { session })', 'accounts.findOne({ _id: accountId })'),
  ],
  // A refund returns one centime less to the wallet.
  'money-kept → wallet.balances': [
    often('payByLink', 'refundIntent'),
    replace('refundTo', 'balance: $amount + $', 'balance: $amount - 1 + order.fee'),
  ],
  // The refund that completes the amount gives back only its share of the fees.
  'fee-kept → unit/fee-portions.test.ts': replace('feePortionsOf', '$isComplete ? both(left) : $portions', '$portions'),
  // The fee of a payment or refund has no entry in the ledger.
  'fee-unbooked → ledger.exact': [often('simulatePayment'), replace('feeOf', '$amount === 0', 'true')],
  // The id of an entry in the ledger does not derive from its event, so an event that is relayed again is booked
  // again.
  'entry-id-random → ledger.exact': [
    killedAt('relay.logged', 'chain.inserted'),
    often('simulatePayment', 'refundIntent'),
    replace('openLedger', 'linkEntry($$)', 'linkEntry($$).map((one) => ({ ...one, _id: crypto.randomUUID() }))'),
  ],
  // A payout is booked outside the transaction with its audit line.
  'payout-apart → ledger/payouts.test.ts': replace(
    'payOut',
    '$.insertMany(links, { session })',
    'entries.insertMany(links)',
  ),
  // The first entry of a day does not close the day before.
  'day-left-open → ledger/book.test.ts': replace('linkEntry', 'linkClosing($$)', 'null'),
  // A fee is always rounded down.
  'commission-rounded-down → unit/commission.test.ts': replace('portion', '$fee + 5000n', '$fee'),
}
