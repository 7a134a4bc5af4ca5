import { after, before, drop, replace } from '../../../support/edited-build/edit.ts'
import { frozenAt, killedAt, type PlantedBugs, plain, under } from '../mutant.ts'

/** Events stay in the outbox for longer than the two seconds between two polls, so another worker relays them too. */
const relaysTwice = before('relayDocument', 'empty($$)', 'await new Promise((go) => setTimeout(go, 4000))')

export const deliveryMutants: PlantedBugs = {
  'event-pulled-first': {
    bug: 'The relay removes an event from its outbox before the deliveries exist.',
    edits: [
      before(
        'relayDocument',
        'relayDeliveries($$)',
        'await deps.batchers[`empty${kind}Outbox`]({ _id: id, events: outbox.map((event) => event.id) }, noDeadline)',
      ),
    ],
    caughtBy: ['event.exact', 'event.reported'],
    focus: killedAt('relay.before-insert'),
  },
  'delivery-id-random': {
    bug: 'A delivery has a random id, so an event that is relayed again is delivered again.',
    edits: [replace('deliveryId', '$ + $id', "crypto.randomUUID().replaceAll('-', '').slice(8) + $id")],
    caughtBy: ['event.exact'],
    focus: killedAt('relay.deliveries-inserted', 'relay.enqueued'),
  },
  'lease-untokened': {
    bug: 'The result of an attempt is written without a lease: a process that was frozen overwrites the result of another.',
    edits: [
      drop('createResultBatcher', 'leaseToken: { $in: tokens }'),
      replace('send', '$.holds(delivery) && $recorded', '$recorded'),
    ],
    caughtBy: ['delivery.delivered', 'delivery.counted', 'delivery.paced'],
    focus: frozenAt('deliver.responded', 'deliver.before-record'),
  },
  'attempt-counted-twice': {
    bug: 'Each attempt counts as two.',
    edits: [replace('asPipeline', "['$attempts', $made]", "['$attempts', $made, $made]")],
    caughtBy: ['delivery.counted'],
  },
  'interruption-counted': {
    bug: 'An attempt counts from its claim on: one that a dying process cut short uses up one of the eight.',
    edits: [
      replace('claimTogether', '{ $set: { $$ } }', '{ $set: { $$ }, $inc: { attempts: 1 } }'),
      replace('newDelivery', 'attempts: 0', 'attempts: leaseToken === null ? 0 : 1'),
      replace('asPipeline', "{ $add: ['$attempts', $] }", "'$attempts'"),
      replace('send', '$attempts + 1', '$attempts'),
    ],
    caughtBy: ['delivery.counted'],
    focus: killedAt('deliver.before-send', 'deliver.responded'),
  },
  'requeue-begins-anew': {
    bug: 'A re-queued delivery gets eight more attempts, not one.',
    edits: [replace('scheduled', '$.max(1, $)', '((attempts - 1) % 8) + 1')],
    caughtBy: ['delivery.counted'],
    focus: { ...plain, seconds: 30 },
  },
  'retry-too-soon': {
    bug: 'The wait before the next attempt counts from the start of the last one.',
    edits: [replace('judge', '$end + wait', '$end + wait - Math.max(150, sent.durationMs)')],
    caughtBy: ['delivery.paced'],
  },
  'body-changes': {
    bug: 'A retry sends the same JSON in other bytes.',
    edits: [
      replace(
        'attemptDelivery',
        'composeBody($delivery, $data)',
        "composeBody($delivery, $data).replace('{', $delivery.attempts > 0 ? '{ ' : '{')",
      ),
    ],
    caughtBy: ['delivery.delivered'],
  },
  'body-of-today': {
    bug: 'A body has the status of the intent at the attempt, not at the event: a retry may have other bytes.',
    edits: [
      replace('paymentSourceFields', 'metadata: 1', 'metadata: 1, status: 1'),
      replace('paymentData', 'status: $status', 'status: source.status ?? $status'),
    ],
    caughtBy: ['event.reported'],
  },
  'signed-otherwise': {
    bug: 'A retry signs other bytes of the same JSON than it sends.',
    edits: [
      replace(
        'send',
        'signFor($deps, $endpoint, $delivery, $body, $at)',
        'signFor($deps, $endpoint, $delivery, $delivery.attempts > 0 ? JSON.stringify(JSON.parse($body), null, 1) : $body, $at)',
      ),
    ],
    caughtBy: ['delivery.signed'],
  },
  'poll-blind': {
    bug: 'No worker looks for deliveries whose jobs Redis lost.',
    edits: [replace('works', 'run: attemptDue', 'run: async () => 0')],
    caughtBy: ['quiet.reached', 'delivery.delivered', 'delivery.paced'],
    focus: under('redis.flush', 'redis.empty'),
  },
  'lease-missing': {
    bug: 'The relay inserts a delivery without a lease and attempts it: another worker does too, and the first result is lost.',
    edits: [
      replace(
        'relayTo',
        '$batchers.insertDelivery($delivery, $$)',
        '$batchers.insertDelivery({ ...$delivery, leaseToken: null, nextAttemptAt: $delivery.createdAt }, $$)',
      ),
    ],
    caughtBy: ['delivery.counted'],
  },
  'duplicate-attempted': {
    bug: 'A relay attempts a delivery that another relay inserted.',
    // Alone, the first edit breaks no promise.
    edits: [replace('relayTo', '(await $insertion).inserted', '((await $insertion), true)'), relaysTwice],
    caughtBy: ['delivery.counted'],
    focus: { ...plain, seconds: 20 },
  },
  'outbox-emptied-whole': {
    bug: 'The relay empties the outbox, and with it events that came after it read the others.',
    edits: [replace('createEmptyingBatcher', '{ $pull: { outbox: $ } }', '{ $set: { outbox: [] } }'), relaysTwice],
    caughtBy: ['event.exact', 'event.reported'],
    focus: { ...plain, seconds: 40, often: ['createIntent', 'cancelIntent', 'simulatePayment'] },
  },
  'slot-kept': {
    bug: 'A failed attempt keeps its slot.',
    edits: [after('createSlots', 'cancel()', 'if (delivered === false) return')],
    caughtBy: ['quiet.reached', 'delivery.paced'],
    focus: { ...plain, seconds: 20 },
  },
  'slot-of-another': {
    bug: 'A slot is given back to another business than the one that took it.',
    edits: [
      replace('createShare', 'change($owners, differenceTo(none()))', "change(['another'], differenceTo(none()))"),
      // A short round uses up 20 slots. Alone this breaks no promise.
      replace('attemptLimits', '250', '20'),
    ],
    caughtBy: ['quiet.reached', 'delivery.paced'],
    focus: { ...plain, seconds: 20 },
  },
  'delay-off-by-one': {
    bug: 'Each wait is the next one of the table, and there is none after the last.',
    edits: [replace('judge', '$steps[$attempts - 1]', '$steps[$attempts]')],
    caughtBy: ['delivery.counted'],
  },
}
