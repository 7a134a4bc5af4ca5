import { killedAt, lasting, often, type PlantedBugs, pausedAt } from '../faults/mutants/mutant.ts'
import { after, before, drop, replace } from '../support/edited-build/edit.ts'

export const bugs: PlantedBugs = {
  "No unique key guards a merchant's reference → reference.unique": [
    often('createIntent'),
    lasting(20),
    replace('referenceKeyOf', '$merchantReference === null', 'true'),
  ],
  'A cancelled or failed intent keeps its reference → api/merchant-reference.test.ts': [
    replace('planTransition', 'lifecycle.freesReference($) ? { referenceKey: 1 } : {}', '{}'),
  ],
  "An intent's event is written after its creation, not in the same write → event.exact": [
    killedAt('create.inserted'),
    before('insertIntent', '$.insertIntent($one, $)', 'const outbox = $one.outbox; $one.outbox = []'),
    after('insertIntent', '$.insertIntent($intent, $)', '$intent.outbox = outbox'),
    after(
      'insertIntent',
      'countTransition($deps, $, $intent)',
      'await $deps.Intent.updateOne({ _id: $intent._id }, { $push: { outbox: { $each: outbox } } })',
    ),
  ],
  'Expiry takes every intent whose time is up, even a paid one → read.forward': [
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
  "A transition's write doesn't check the current status → transition.legal": [
    pausedAt('cancel.before-transition', 'simulate.before-transition'),
    often('raceFor'),
    drop('planTransition', 'status: { $in: $ }'),
    replace('cancel', 'guard: changeableIntents', 'guard: () => ({})'),
    drop('simulatePayment', 'guard: changeableIntents($)'),
  ],
  'Past its expiry, an intent reads as open until a poll has found it → expiry.prompt': [
    often('listIntents'),
    lasting(30),
    replace('intentAsOf', '$ || $ || $', 'now.getTime() > 0'),
    replace('relayDocument', "$event === 'payment.created'", "$event === 'payment.failed'"),
    replace('expireDueIntents', 'guard($before)', 'guard(new Date($before.getTime() - 5_000))'),
  ],
  "A long list's total misses whatever was created in the very millisecond of a count checkpoint → list.exact":
    [
      often('createIntent'),
      replace('countAround', '{ ...$createdAt, $gte: $at }', '{ ...$createdAt, $gt: $at }'),
    ],
  "A late cancel is refused with a status that the catalogue doesn't have for it → response.sound": [
    often('cancelIntent'),
    replace(
      'statusLines',
      "'400 Only a PENDING payment intent can be cancelled.'",
      "'422 Only a PENDING payment intent can be cancelled.'",
    ),
  ],
  'Two payments may get the same payment code at once → code.unique': [
    often('createIntent'),
    replace(
      'intentIndexes',
      "{ name: 'codeInUse', key: $key, unique: true, $$ }",
      "{ name: 'codeInUse', key: $key, $$ }",
    ),
  ],
  'A payment code is free again as soon as another intent draws it → code.unique': [
    often('createIntent'),
    drop('freeReusableCode', 'codeReusableAt: $'),
  ],
  "A refund's write doesn't check the refunded total, so two concurrent refunds exceed the payment → refund.bounded":
    [
      pausedAt('refund.before-set-aside'),
      often('refundIntent'),
      drop('beginRefund', '...guard'),
      // Otherwise the wallet would refuse the excess, the refund would fail, and no promise would break.
      replace('fits', '$sum <= ($)', '$sum >= 0'),
    ],
  "A refund's retry doesn't look for the refund it started, and starts another → key.once": [
    killedAt('refund.settled', 'refund.set-aside', 'write.before-response-kept'),
    often('refundIntent'),
    replace('findEarlierResult', 'findMark($$)', 'null'),
    replace('findEffectByKey', 'findMark($$)', 'null'),
    drop('beginRefund', '...unmarkedFilter($)'),
  ],
  'A refund of everything that is left is refused → api/refund.test.ts': [
    replace('checkRefund', '$amount > refundable', '$amount >= refundable'),
  ],
  'Every refund is refused → refusal.due': [
    often('simulatePayment', 'refundIntent'),
    lasting(30),
    replace('checkRefund', '$amount > refundable', '$amount >= 0'),
  ],
  'No worker queries the wallet about a payment whose process died → quiet.reached': [
    killedAt('pay.pending', 'pay.wallet-responded', 'wallet.decided'),
    often('payByLink'),
    replace('queryDueOrders', "queryBy($, 'hold.queryAt', $$)", '0'),
  ],
  "A wallet call counts as not executed when MongoDB doesn't report its outcome → wallets/sandbox-wallet.test.ts":
    replace('resultOf', "{ outcome: 'unknown', why: $.name }", "{ outcome: 'not-executed' }"),
  'A sandbox wallet carries out an order that another one delayed beyond its deadline → wallets/sandbox-wallet.test.ts':
    replace('decideOrder', '$ < validUntil', 'true'),
  'A payment reads the balance outside its transaction → wallets/sandbox-wallet.test.ts': [
    replace('decideOrder', '$.findOne({ _id }, { session })', 'movements.findOne({ _id })'),
    replace('charge', '$.findOne({ _id: $ }, { session })', 'accounts.findOne({ _id: accountId })'),
  ],
  'A refund returns one centime too little to the wallet → wallet.balances': [
    often('payByLink', 'refundIntent'),
    replace('refundTo', 'balance: $amount + $', 'balance: $amount - 1 + order.fee'),
  ],
  'The refund that completes the amount gives back only its share of the fees → unit/fee-portions.test.ts':
    replace('feePortionsOf', '$isComplete ? both(left) : $portions', '$portions'),
  'The fee of a payment or refund has no entry in the ledger → ledger.exact': [
    often('simulatePayment'),
    replace('feeOf', '$amount === 0', 'true'),
  ],
  'A ledger entry has a random id, so an event that is relayed twice is booked twice → ledger.exact': [
    killedAt('relay.logged', 'chain.inserted'),
    often('simulatePayment', 'refundIntent'),
    replace(
      'openLedger',
      'entries.linkLedgerEntry($$)',
      'entries.linkLedgerEntry($$).map((one) => ({ ...one, _id: crypto.randomUUID() }))',
    ),
  ],
  "A payout is booked outside its audit line's transaction → ledger/payouts.test.ts": [
    replace('bookPayoutOnce', '$.insertMany(links, { session })', 'entries.insertMany(links)'),
  ],
  "A day's first entry doesn't close the day before → ledger/book.test.ts": [
    replace('linkLedgerEntry', 'linkClosingMarker($$)', 'null'),
  ],
  'A fee is always rounded down → unit/commission.test.ts': replace('portion', '$fee + 5000n', '$fee'),
}
