import { after, before, drop, replace } from '../../../support/edited-build/edit.ts'
import { killedAt, type PlantedBugs, pausedAt, plain } from '../mutant.ts'

export const intentMutants: PlantedBugs = {
  'reference-shared': {
    bug: 'No unique key holds the reference of a merchant.',
    edits: [replace('referenceKeyOf', '$merchantReference === null', 'true')],
    caughtBy: ['reference.unique'],
    focus: { ...plain, seconds: 20, often: ['createIntent'] },
  },
  'reference-kept': {
    bug: 'An intent that was cancelled or has failed keeps its reference.',
    edits: [replace('planTransition', '$freesReference ? { referenceKey: 1 } : {}', '{}')],
    caughtBy: ['api/merchant-reference.test.ts'],
  },
  'event-after-the-write': {
    bug: 'Creating an intent writes its event afterwards, not in the same write.',
    edits: [
      before('insertIntent', '$.insertIntent($one, $)', 'const outbox = $one.outbox; $one.outbox = []'),
      after('insertIntent', '$.insertIntent($intent, $)', '$intent.outbox = outbox'),
      after(
        'insertIntent',
        'countTransition($deps, $, $intent)',
        'await $deps.Intent.updateOne({ _id: $intent._id }, { $push: { outbox: { $each: outbox } } })',
      ),
    ],
    caughtBy: ['event.exact'],
    focus: killedAt('create.inserted'),
  },
  'paid-expires': {
    bug: 'Expiry takes every intent whose time is up, also a paid one.',
    edits: [
      drop('mayExpire', 'status: $'),
      drop('mayExpire', 'hold: null'),
      replace(
        'planTransition',
        'status: { $in: $from }',
        "...(input.name === 'expire' ? {} : { status: { $in: $from } })",
      ),
      replace('transitions', '{ cancelsAt: $past }', '{ expiresAt: $past, hold: null }'),
    ],
    caughtBy: ['read.forward'],
    focus: { ...plain, seconds: 30 },
  },
  'status-unguarded': {
    bug: 'The write of a transition does not check the current status: two concurrent transitions both happen.',
    edits: [
      drop('planTransition', 'status: { $in: $ }'),
      replace('cancel', 'guard: isFree', 'guard: anyTime'),
      drop('simulatePayment', 'guard: isFree($)'),
    ],
    caughtBy: ['transition.legal'],
    focus: { ...pausedAt('cancel.before-transition', 'simulate.before-transition'), often: ['raceFor'] },
  },
  'expiry-late': {
    bug: 'A payment intent past its expiry reads as open until a poll has found it.',
    edits: [
      replace('asOf', '$ || $ || $', 'now.getTime() > 0'),
      replace('relayDocument', "$event === 'payment.created'", "$event === 'payment.failed'"),
      replace('expireDue', 'guard($before)', 'guard(new Date($before.getTime() - 5_000))'),
    ],
    caughtBy: ['expiry.prompt'],
    focus: { ...plain, seconds: 30, often: ['listIntents'] },
  },
  'mark-not-counted': {
    bug: 'The total of a long list misses what was created in the very millisecond of a count checkpoint.',
    edits: [replace('countAround', '{ ...$createdAt, $gte: $at }', '{ ...$createdAt, $gt: $at }')],
    caughtBy: ['list.exact'],
    focus: { ...plain, often: ['createIntent'] },
  },
  'refusal-misnumbered': {
    bug: 'A cancel that comes too late is refused with a status that the catalogue does not have for it.',
    edits: [
      replace(
        'catalogue',
        'INTENT_CANCEL_INVALID_STATUS: [400, $message]',
        'INTENT_CANCEL_INVALID_STATUS: [422, $message]',
      ),
    ],
    caughtBy: ['response.sound'],
    focus: { ...plain, often: ['cancelIntent'] },
  },
  'code-twice': {
    bug: 'Two payments may get the same payment code at once.',
    edits: [
      replace(
        'intentIndexes',
        "{ name: 'codeInUse', key: $key, unique: true, $$ }",
        "{ name: 'codeInUse', key: $key, $$ }",
      ),
    ],
    caughtBy: ['code.unique'],
    focus: { ...plain, often: ['createIntent'] },
  },
  'code-released-early': {
    bug: 'A payment code is free again as soon as another intent draws it.',
    edits: [drop('freeIfReusable', 'codeReusableAt: $')],
    caughtBy: ['code.unique'],
    focus: { ...plain, often: ['createIntent'] },
  },
}
