import { after, before, drop, replace } from '../../../support/edited-build/edit.ts'
import { frozenAt, killedAt, lasting, often, type PlantedBugs, under } from '../mutant.ts'

/** Events stay in the outbox for longer than the two seconds between two polls, so another worker relays them too. */
const relaysTwice = before('relayDocument', 'empty($$)', 'await new Promise((go) => setTimeout(go, 4000))')

export const bugs: PlantedBugs = {
  'event.exact event.reported': {
    // The relay removes an event from its outbox before the deliveries exist.
    'event-pulled-first': [
      killedAt('relay.before-insert'),
      before(
        'relayDocument',
        'relayDeliveries($$)',
        'await deps.batchers[`empty${kind}Outbox`]({ _id: id, events: outbox.map((event) => event.id) }, noDeadline)',
      ),
    ],
    // The relay empties the outbox, and with it events that came after it read the others.
    'outbox-emptied-whole': [
      often('createIntent', 'cancelIntent', 'simulatePayment'),
      lasting(40),
      replace('createEmptyingBatcher', '{ $pull: { outbox: $ } }', '{ $set: { outbox: [] } }'),
      relaysTwice,
    ],
  },
  'event.exact': {
    // A delivery has a random id, so an event that is relayed again is delivered again.
    'delivery-id-random': [
      killedAt('relay.deliveries-inserted', 'relay.enqueued'),
      replace('deliveryId', '$ + $id', "crypto.randomUUID().replaceAll('-', '').slice(8) + $id"),
    ],
  },
  'delivery.delivered delivery.counted delivery.paced': {
    // The result of an attempt is written without a lease: a process that was frozen overwrites the result of another.
    'lease-untokened': [
      frozenAt('deliver.responded', 'deliver.before-record'),
      drop('createResultBatcher', 'leaseToken: { $in: tokens }'),
      replace('send', '$.holds(delivery) && $recorded', '$recorded'),
    ],
  },
  'delivery.counted': {
    // Each attempt counts as two.
    'attempt-counted-twice': replace('asPipeline', "['$attempts', $made]", "['$attempts', $made, $made]"),
    // An attempt counts from its claim on: one that a dying process cut short uses up one of the eight.
    'interruption-counted': [
      killedAt('deliver.before-send', 'deliver.responded'),
      replace('claimTogether', '{ $set: { $$ } }', '{ $set: { $$ }, $inc: { attempts: 1 } }'),
      replace('newDelivery', 'attempts: 0', 'attempts: leaseToken === null ? 0 : 1'),
      replace('asPipeline', "{ $add: ['$attempts', $] }", "'$attempts'"),
      replace('send', '$attempts + 1', '$attempts'),
    ],
    // A re-queued delivery gets eight more attempts, not one.
    'requeue-begins-anew': [lasting(30), replace('scheduled', '$.max(1, $)', '((attempts - 1) % 8) + 1')],
    // The relay inserts a delivery without a lease and attempts it: another worker does too, and the first result is
    // lost.
    'lease-missing': replace(
      'relayTo',
      '$batchers.insertDelivery($delivery, $$)',
      '$batchers.insertDelivery({ ...$delivery, leaseToken: null, nextAttemptAt: $delivery.createdAt }, $$)',
    ),
    // A relay attempts a delivery that another relay inserted. Alone, the first edit breaks no promise.
    'duplicate-attempted': [
      lasting(20),
      replace('relayTo', '(await $insertion).inserted', '((await $insertion), true)'),
      relaysTwice,
    ],
    // Each wait is the next one of the table, and there is none after the last.
    'delay-off-by-one': replace('judge', '$steps[$attempts - 1]', '$steps[$attempts]'),
  },
  'delivery.paced': {
    // The wait before the next attempt counts from the start of the last one.
    'retry-too-soon': replace('judge', '$end + wait', '$end + wait - Math.max(150, sent.durationMs)'),
  },
  'delivery.delivered': {
    // A retry sends the same JSON in other bytes.
    'body-changes': replace(
      'attemptDelivery',
      'composeBody($delivery, $data)',
      "composeBody($delivery, $data).replace('{', $delivery.attempts > 0 ? '{ ' : '{')",
    ),
  },
  'event.reported': {
    // A body has the status of the intent at the attempt, not at the event: a retry may have other bytes.
    'body-of-today': [
      replace('paymentSourceFields', 'metadata: 1', 'metadata: 1, status: 1'),
      replace('paymentData', 'status: $status', 'status: source.status ?? $status'),
    ],
  },
  'delivery.signed': {
    // A retry signs other bytes of the same JSON than it sends.
    'signed-otherwise': replace(
      'send',
      'signFor($deps, $endpoint, $delivery, $body, $at)',
      'signFor($deps, $endpoint, $delivery, $delivery.attempts > 0 ? JSON.stringify(JSON.parse($body), null, 1) : $body, $at)',
    ),
  },
  'quiet.reached delivery.delivered delivery.paced': {
    // No worker looks for deliveries whose jobs Redis lost.
    'poll-blind': [under('redis.flush', 'redis.empty'), replace('works', 'run: attemptDue', 'run: async () => 0')],
  },
  'quiet.reached delivery.paced': {
    // A failed attempt keeps its slot.
    'slot-kept': [lasting(20), after('createSlots', 'cancel()', 'if (delivered === false) return')],
    // A slot is given back to another business than the one that took it.
    'slot-of-another': [
      lasting(20),
      replace('createShare', 'change($owners, differenceTo(none()))', "change(['another'], differenceTo(none()))"),
      // A short round uses up 20 slots. Alone this breaks no promise.
      replace('attemptLimits', '250', '20'),
    ],
  },
  'events.complete': {
    // The relay removes an event from its outbox before it is in the event log.
    'logged-after-emptying': [
      killedAt('relay.events-pulled'),
      replace('relayDocument', 'logEvents($$)', 'null'),
      before('relayDocument', '$.causes.push($$)', 'await logEvents(deps, source, outbox, noDeadline)'),
    ],
    // The log is not unique by event id, so an event that is relayed again is in the log twice.
    'logged-twice': [
      killedAt('relay.logged', 'chain.inserted'),
      replace('openEventLog', '...draft', '...draft, _id: crypto.randomUUID()'),
    ],
    // The position after a page of the feed is the end of the log.
    'next-past-unread': [often('createIntent'), replace('readFeed', 'hasMore ? $ : $end', '$end')],
    // A request that waits for an event continues at the end of the log.
    'awaited-skipped': before('holdForEvent', 'hasEvent($$)', "found.query.after = 'latest'"),
    // The feed is in the order of time, not of numbers.
    'feed-by-time': [
      often('createIntent', 'simulatePayment'),
      replace('cursorBetween', 'sort: { number: 1 }', 'sort: { createdAt: 1 }'),
    ],
  },
  'audit.complete': {
    // A replay that repeats a page does not see what it has re-queued, and re-queues it again.
    'replay-again': [
      killedAt('replay.page-written'),
      often('startReplay'),
      lasting(40),
      replace('requeueForReplay', '!isOwn($)', 'true'),
    ],
  },
  'replay.exact': {
    // A replay records its progress before it re-queues the deliveries.
    'replay-ahead': [
      killedAt('replay.before-page'),
      often('startReplay'),
      lasting(40),
      before(
        'runPage',
        'applyPage($$)',
        `const first = { createdAt: events.at(-1).createdAt, eventId: events.at(-1)._id }
        await recordProgress(deps, replay, first, { requeued: 0, created: 0, skipped: 0 })`,
      ),
    ],
    // A replay leaves out what its endpoint had accepted.
    'replay-half': [often('startReplay'), lasting(20), replace('judge', '!includesDelivered', 'true')],
  },
  'webhooks/replay.test.ts': {
    // Two replays at once get different numbers of the day, so a business can start more than a hundred.
    'replay-uncounted': replace(
      'insertReplay',
      'numberOfDay: $',
      'numberOfDay: (await takeNumber(deps, planned, now, session)) + Math.random()',
    ),
  },
  'webhooks/failing-endpoints.test.ts': {
    // Background work waits for an endpoint or replay that a dead process has locked, and so does all behind it.
    'locked-endpoint-waits': replace(
      'unlessLocked',
      'await tryOnce($client, $, $write)',
      '{ result: await write(undefined as never) }',
    ),
    // The health of all endpoints is written together, so one that is locked holds up the others.
    'health-together': [
      replace('createHealthNotes', 'result.endpointId', "'all'"),
      replace(
        'createHealthNotes',
        '$endpoints.updateOne({ _id }, healthChange(notes))',
        'models.Endpoint.collection.bulkWrite([...Map.groupBy(notes, (each) => each.endpointId)].map(([id, own]) => ({ updateOne: { filter: { _id: id }, update: healthChange(own) } })) as never)',
      ),
    ],
  },
  'admin/audit-seals.test.ts': {
    // A line that repeated acts share is sealed while acts are still counted in it.
    'open-line-sealed': drop('sealTrail', '...closed($)'),
  },
}
