import type { Edit } from '../../build/edit.ts'
import { frozenAt, killedAt, type Mutant, plain, under } from '../mutant.ts'

const relay = 'src/outbox/relay.ts'
const attempt = 'src/webhooks/attempts/attempt.ts'
const record = 'src/webhooks/attempts/record.ts'
const slots = 'src/webhooks/attempts/slots/slots.ts'

/** Longer than the two seconds between two polls. */
const relaysTwice: Edit = {
  file: relay,
  find: '    await empty({ _id',
  put: '    await new Promise((resolve) => setTimeout(resolve, 4000))\n    await empty({ _id',
}

export const deliveryMutants: readonly Mutant[] = [
  {
    name: 'event-pulled-first',
    says: 'The relay takes an event out of its outbox before its deliveries are there.',
    edits: [
      {
        file: relay,
        find: '      await relaySource(deps, relayed, source, ours)',
        put: '      await empty({ _id: source._id, events: outbox.map(({ id }) => id) }, noHurry)\n      await relaySource(deps, relayed, source, ours)',
      },
    ],
    caughtBy: ['event.exact', 'event.told'],
    focus: killedAt('relay.before-insert'),
    isOneMore: true,
  },
  {
    name: 'delivery-id-random',
    says: 'A delivery has a random id, so an event that is relayed again is delivered again.',
    edits: [
      {
        file: 'src/webhooks/deliveries/delivery-id.ts',
        find: 'Buffer.from(eventId + endpointId,',
        put: "Buffer.from(crypto.randomUUID().replaceAll('-', '').slice(8) + endpointId,",
      },
    ],
    caughtBy: ['event.exact'],
    focus: killedAt('relay.deliveries-inserted', 'relay.enqueued'),
    isOneMore: true,
  },
  {
    name: 'lease-untokened',
    says: 'The result of an attempt is written whoever has the lease: a process that was frozen overwrites what another one did.',
    edits: [
      {
        file: record,
        find: '{ _id: { $in: ids }, leaseToken: { $in: tokens } },',
        put: '{ _id: { $in: ids } },',
      },
      { file: attempt, find: 'deps.leases.holds(delivery) && (await', put: '(await' },
    ],
    caughtBy: ['delivery.delivered', 'delivery.counted', 'delivery.paced'],
    focus: frozenAt('deliver.answered', 'deliver.before-record'),
  },
  {
    name: 'attempt-counted-twice',
    says: 'Each attempt counts as two.',
    edits: [
      {
        file: record,
        find: "{ $add: ['$attempts', { $size: '$made' }] }",
        put: "{ $add: ['$attempts', { $size: '$made' }, { $size: '$made' }] }",
      },
    ],
    caughtBy: ['delivery.counted'],
    focus: plain,
  },
  {
    name: 'interruption-counted',
    says: 'An attempt counts from its claim on: one that a dying process cut short uses up one of the eight.',
    edits: [
      {
        file: 'src/webhooks/attempts/claim.ts',
        find: '{ $set: { leaseToken, nextAttemptAt: leaseEnd(now) } }',
        put: '{ $set: { leaseToken, nextAttemptAt: leaseEnd(now) }, $inc: { attempts: 1 } }',
      },
      {
        file: 'src/webhooks/deliveries/new-delivery.ts',
        find: 'attempts: 0,',
        put: 'attempts: leaseToken === null ? 0 : 1,',
      },
      { file: record, find: "{ $add: ['$attempts', { $size: '$made' }] }", put: "'$attempts'" },
      {
        file: attempt,
        find: 'const attempts = delivery.attempts + 1',
        put: 'const attempts = delivery.attempts',
      },
    ],
    caughtBy: ['delivery.counted'],
    focus: killedAt('deliver.before-send', 'deliver.answered'),
    isOneMore: true,
  },
  {
    name: 'requeue-begins-anew',
    says: 'A delivery that is sent once more by hand gets eight more attempts, not one.',
    edits: [
      {
        file: attempt,
        find: 'Math.max(1, attempts - redrives)',
        put: '((attempts - 1) % 8) + 1',
      },
    ],
    caughtBy: ['delivery.counted'],
    focus: { ...plain, seconds: 30 },
    isOneMore: true,
  },
  {
    name: 'retry-too-soon',
    says: 'The wait before the next attempt counts from the beginning of the last one.',
    edits: [
      {
        file: 'src/webhooks/attempts/verdict.ts',
        find: 'new Date(endedAt.getTime() + wait)',
        put: 'new Date(endedAt.getTime() + wait - Math.max(150, sent.durationMs))',
      },
    ],
    caughtBy: ['delivery.paced'],
    focus: plain,
    isOneMore: true,
  },
  {
    name: 'body-changes',
    says: 'A retry sends a body that says the same in other bytes.',
    edits: [
      {
        file: attempt,
        find: 'endpoint, composeBody(delivery, data), slot)',
        put: "endpoint, composeBody(delivery, data).replace('{', delivery.attempts > 0 ? '{ ' : '{'), slot)",
      },
    ],
    caughtBy: ['delivery.delivered'],
    focus: plain,
    isOneMore: true,
  },
  {
    name: 'body-of-today',
    says: 'A body says the status that the intent has at the attempt, not the one of its event: a retry may have other bytes.',
    edits: [
      {
        file: 'src/webhooks/body/find-source.ts',
        find: 'shortCode: 1, metadata: 1 }',
        put: 'shortCode: 1, metadata: 1, status: 1 }',
      },
      {
        file: 'src/webhooks/body/format-1.ts',
        find: '    status: facts.status,\n    paid_at',
        put: '    status: (source as unknown as Facts).status ?? facts.status,\n    paid_at',
      },
    ],
    caughtBy: ['read.exact', 'delivery.delivered'],
    focus: plain,
  },
  {
    name: 'signed-otherwise',
    says: 'A retry signs the body as it would be written anew, not the bytes that it sends.',
    edits: [
      {
        file: attempt,
        find: 'signFor(deps, endpoint, delivery.event, body, at)',
        put: 'signFor(deps, endpoint, delivery.event, delivery.attempts > 0 ? JSON.stringify(JSON.parse(body), null, 1) : body, at)',
      },
    ],
    caughtBy: ['delivery.signed'],
    focus: plain,
    isOneMore: true,
  },
  {
    name: 'poll-blind',
    says: 'No worker looks for deliveries whose jobs Redis lost.',
    edits: [
      {
        file: 'workers/run/poll.ts',
        find: 'look: attemptDue }',
        put: 'look: async () => 0 }',
      },
    ],
    caughtBy: ['quiet.reached', 'delivery.delivered', 'delivery.paced'],
    focus: under('redis.flush', 'redis.empty'),
    isOneMore: true,
  },
  {
    name: 'lease-missing',
    says: 'The relay inserts a delivery without the lease with which it attempts it: another worker attempts it too, and the first result is lost.',
    edits: [
      {
        file: relay,
        find: 'deps.batchers.insertDelivery(delivery, until)',
        put: 'deps.batchers.insertDelivery({ ...delivery, leaseToken: null, nextAttemptAt: delivery.createdAt }, until)',
      },
    ],
    caughtBy: ['delivery.counted'],
    focus: plain,
  },
  {
    name: 'duplicate-attempted',
    says: 'A relay attempts a delivery that another relay has inserted.',
    edits: [
      {
        file: relay,
        find: 'isMine = (await deps.batchers.insertDelivery(delivery, until)).inserted',
        put: 'await deps.batchers.insertDelivery(delivery, until)\n    isMine = true',
      },
      // The events stay in the outbox for so long that the other worker relays them too. Alone this breaks no promise.
      relaysTwice,
    ],
    caughtBy: ['delivery.counted'],
    focus: { ...plain, seconds: 20 },
    isOneMore: true,
  },
  {
    name: 'outbox-emptied-whole',
    says: 'The relay empties the outbox: an event that came after it read the others is lost.',
    edits: [
      {
        file: 'src/outbox/relay-batchers.ts',
        find: '{ $pull: { outbox: { id: { $in: events } } } }',
        put: '{ $set: { outbox: [] } }',
      },
      relaysTwice,
    ],
    caughtBy: ['event.told'],
    focus: { ...plain, seconds: 20, often: ['createIntent', 'cancelIntent', 'simulatePayment'] },
  },
  {
    name: 'slot-kept',
    says: 'A failed attempt keeps its slot.',
    edits: [
      {
        file: slots,
        find: 'held.isFree = true\n        cancel()\n',
        put: 'held.isFree = true\n        cancel()\n        if (delivered === false) return\n',
      },
    ],
    caughtBy: ['quiet.reached', 'delivery.paced'],
    focus: { ...plain, seconds: 20 },
  },
  {
    name: 'slot-of-another',
    says: 'A slot is given back to another business than the one that took it.',
    edits: [
      {
        file: slots,
        find: '    fast.add(use.owner.businessId, count)\n',
        put: "    fast.add(count === 1 ? use.owner.businessId : 'another', count)\n",
      },
      // So that a short round uses them up. Alone this breaks no promise.
      {
        file: 'src/webhooks/attempts/slots/limits.ts',
        find: 'mostFastOfBusiness = 250',
        put: 'mostFastOfBusiness = 20',
      },
    ],
    caughtBy: ['quiet.reached', 'delivery.paced'],
    focus: { ...plain, seconds: 20 },
    isOneMore: true,
  },
  {
    name: 'delay-off-by-one',
    says: 'Each wait is the next one of the table, and after the last there is none.',
    edits: [
      {
        file: 'src/webhooks/attempts/retry-wait.ts',
        find: 'steps[attempts - 1]',
        put: 'steps[attempts]',
      },
    ],
    caughtBy: ['delivery.counted'],
    focus: plain,
    isOneMore: true,
  },
]
