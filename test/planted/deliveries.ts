import { frozenAt, killedAt, lasting, often, type PlantedBugs, under } from '../faults/mutants/mutant.ts'
import { after, before, drop, replace } from '../support/edited-build/edit.ts'

/** Events stay in the outbox longer than the two seconds between polls, so another worker relays them too. */
const relaysTwice = before('relayDocument', 'empty($$)', 'await new Promise((go) => setTimeout(go, 4000))')

export const bugs: PlantedBugs = {
  'The relay removes an event from its outbox before the deliveries exist → event.exact event.reported': [
    killedAt('relay.before-insert'),
    before(
      'relayDocument',
      'relayDeliveries($$)',
      'await deps.batchers[`empty${kind}Outbox`]({ _id: id, events: outbox.map((event) => event.id) }, noDeadline)',
    ),
  ],
  'The relay empties the outbox, and loses events that were added after it read the others → event.exact event.reported':
    [
      often('createIntent', 'cancelIntent', 'simulatePayment'),
      lasting(40),
      replace('createEmptyingBatcher', '{ $pull: { outbox: $ } }', '{ $set: { outbox: [] } }'),
      relaysTwice,
    ],
  'A delivery has a random id, so an event that is relayed again is delivered again → event.exact': [
    killedAt('relay.deliveries-inserted', 'relay.enqueued'),
    replace('makeDeliveryId', '$ + $id', "crypto.randomUUID().replaceAll('-', '').slice(8) + $id"),
  ],
  "A process that was frozen writes its attempt's result without holding the lease → delivery.delivered delivery.counted delivery.paced":
    [
      frozenAt('deliver.responded', 'deliver.before-record'),
      drop('createResultBatcher', 'leaseToken: { $in: tokens }'),
      replace('send', '$.holds(delivery) && $recorded', '$recorded'),
    ],
  'Each attempt counts as two → delivery.counted': [
    replace('asPipeline', "['$attempts', $made]", "['$attempts', $made, $made]"),
  ],
  'An attempt that a dying process cut short uses up one of the eight → delivery.counted': [
    killedAt('deliver.before-send', 'deliver.responded'),
    replace('leaseTogether', '{ $set: { $$ } }', '{ $set: { $$ }, $inc: { attempts: 1 } }'),
    replace('newDelivery', 'attempts: 0', 'attempts: leaseToken === null ? 0 : 1'),
    replace('asPipeline', "{ $add: ['$attempts', $] }", "'$attempts'"),
    replace('send', '$attempts + 1', '$attempts'),
  ],
  'A re-queued delivery gets eight more attempts instead of one → delivery.counted': [
    lasting(30),
    replace('retryTableStep', '$.max(1, $)', '((attempts - 1) % 8) + 1'),
  ],
  'The relay inserts a delivery without a lease, so another worker attempts it too → delivery.counted':
    replace(
      'relayTo',
      '$batchers.insertDelivery($delivery, $$)',
      '$batchers.insertDelivery({ ...$delivery, leaseToken: null, nextAttemptAt: $delivery.createdAt }, $$)',
    ),
  'A relay attempts a delivery that another relay inserted → delivery.counted': [
    lasting(20),
    replace('relayTo', '!inserted', 'false'),
    relaysTwice,
  ],
  "Each wait is the table's next one, and there's none after the last → delivery.counted": [
    replace('judgeAttempt', '$steps[$attempts - 1]', '$steps[$attempts]'),
  ],
  "The wait before the next attempt counts from the last one's start → delivery.paced": [
    replace('judgeAttempt', '$end + wait', '$end + wait - Math.max(150, sent.durationMs)'),
  ],
  'A retry sends the same JSON as different bytes → delivery.delivered': replace(
    'attemptDelivery',
    'composeBody($delivery, $data)',
    "composeBody($delivery, $data).replace('{', $delivery.attempts > 0 ? '{ ' : '{')",
  ),
  "A body has the intent's status at the time of the attempt, not of the event → event.reported": [
    replace('paymentEventFields', 'metadata: 1', 'metadata: 1, status: 1'),
    replace('paymentData', 'status: $status', 'status: source.status ?? $status'),
  ],
  'A retry signs different bytes than it sends → delivery.signed': replace(
    'send',
    'headersForEndpoint($deps, $endpoint, $delivery, $body, $at)',
    'headersForEndpoint($deps, $endpoint, $delivery, $delivery.attempts > 0 ? JSON.stringify(JSON.parse($body), null, 1) : $body, $at)',
  ),
  'No worker looks for deliveries whose jobs Redis lost → quiet.reached delivery.delivered delivery.paced': [
    under('redis.flush', 'redis.empty'),
    replace('polledWorks', 'run: pollDeliveries', 'run: async () => 0'),
  ],
  'A failed attempt keeps its slot → quiet.reached delivery.paced': [
    lasting(20),
    after('createAttemptSlots', 'cancel()', 'if (delivered === false) return'),
  ],
  'A slot is released to a different business than the one that took it → quiet.reached delivery.paced': [
    lasting(20),
    replace(
      'createShare',
      'change($owners, differenceTo(none()))',
      "change(['another'], differenceTo(none()))",
    ),
    // A short round uses up 20 slots. Alone, this edit breaks no promise.
    replace('attemptLimits', '250', '20'),
  ],
  'The relay removes an event from its outbox before it is in the event log → events.complete': [
    killedAt('relay.events-pulled'),
    replace('relayDocument', 'appendToEventLog($$)', 'null'),
    before('relayDocument', '$.causes.push($$)', 'await appendToEventLog(deps, source, outbox, noDeadline)'),
  ],
  "The log isn't unique by event id, so an event that is relayed twice is in the log twice → events.complete":
    [
      killedAt('relay.logged', 'chain.inserted'),
      replace('openEventLog', '...draft', '...draft, _id: crypto.randomUUID()'),
    ],
  'After a page of the feed, the position is the end of the log → events.complete': [
    often('createIntent'),
    replace('readFeedPage', 'hasMore ? $ : $end', '$end'),
  ],
  'A request that waits for an event continues at the end of the log → events.complete': [
    before('waitForEvent', 'read(() => readBetween($$))', "found.query.after = 'latest'"),
  ],
  'The feed is in the order of time, not of numbers → events.complete': [
    often('createIntent', 'simulatePayment'),
    replace('readBetween', 'sort: { number: 1 }', 'sort: { createdAt: 1 }'),
  ],
  "A replay that repeats a page doesn't notice what it has re-queued, and re-queues it again → audit.complete":
    [
      killedAt('replay.page-written'),
      often('startReplay'),
      lasting(40),
      replace('requeueForReplay', '!isOwn($)', 'true'),
    ],
  'A replay records its progress before re-queuing the deliveries → replay.exact': [
    killedAt('replay.before-page'),
    often('startReplay'),
    lasting(40),
    before(
      'runPage',
      'applyPage($$)',
      `const first = { createdAt: events.at(-1).createdAt, eventId: events.at(-1)._id }
      await saveReplayProgress(deps, replay, first, { requeued: 0, created: 0, skipped: 0 })`,
    ),
  ],
  'A replay leaves out what its endpoint had accepted → replay.exact': [
    often('startReplay'),
    lasting(20),
    replace('judge', '!includesDelivered', 'true'),
  ],
  'Simultaneous replays let a business start more than a hundred a day → webhooks/replay.test.ts': replace(
    'insertReplay',
    'numberOfDay: $',
    'numberOfDay: (await takeNumber(deps, planned, now, session)) + Math.random()',
  ),
  'Background work waits for an endpoint that a dead process has locked → webhooks/failing-endpoints.test.ts':
    replace(
      'writeIfUnlocked',
      'await tryOnce($client, $, $write)',
      '{ result: await write(undefined as never) }',
    ),
  "All endpoints' health is written together, so one locked endpoint holds up the others → webhooks/failing-endpoints.test.ts":
    [
      replace('createHealthRecorder', 'result.endpointId', "'all'"),
      replace(
        'createHealthRecorder',
        '$endpoints.updateOne({ _id, url }, healthUpdate(notes))',
        'models.Endpoint.collection.bulkWrite([...Map.groupBy(notes, (each) => each.endpointId)].map(([id, own]) => ({ updateOne: { filter: { _id: id }, update: healthUpdate(own) } })) as never)',
      ),
    ],
  'A line shared by repeated actions is sealed while actions are still counted in it → admin/audit-seals.test.ts':
    drop('sealAuditTrail', '...closed($)'),
}
