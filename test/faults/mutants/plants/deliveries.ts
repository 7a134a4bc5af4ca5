import { frozenAt, killedAt, type Mutant, plain, under } from '../mutant.ts'

const relay = 'src/webhooks/relay.ts'
const deliver = 'src/webhooks/attempts/deliver.ts'
const record = 'src/webhooks/attempts/record.ts'

export const deliveryMutants: readonly Mutant[] = [
  {
    name: 'event-pulled-first',
    says: 'The relay takes an event out of its outbox before its deliveries are there.',
    edits: [
      {
        file: relay,
        find: 'const receivers = await receiversOf(deps, all)',
        put: 'const receivers = await receiversOf(deps, all)\n  await emptyOutboxes(intents, deps.lanes.emptyIntentOutbox)',
      },
    ],
    caughtBy: ['event.told'],
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
    focus: killedAt('relay.deliveries-inserted', 'relay.nudged'),
    isOneMore: true,
  },
  {
    name: 'lease-untokened',
    says: 'The result of an attempt is written whoever has the lease: a process that was frozen overwrites what another one did.',
    edits: [
      {
        file: record,
        find: "filter: { _id: delivery._id, 'lease.token': delivery.lease.token }",
        put: 'filter: { _id: delivery._id }',
      },
    ],
    caughtBy: ['delivery.delivered', 'delivery.counted', 'delivery.paced'],
    focus: frozenAt('deliver.answered', 'deliver.before-record'),
  },
  {
    name: 'attempt-counted-twice',
    says: 'Each attempt counts as two.',
    edits: [{ file: record, find: '$inc: { attempts: 1 }', put: '$inc: { attempts: 2 }' }],
    caughtBy: ['delivery.counted'],
    focus: plain,
  },
  {
    name: 'interruption-counted',
    says: 'An attempt counts from its claim on: one that a dying process cut short uses up one of the eight.',
    edits: [
      {
        file: 'src/webhooks/attempts/claim.ts',
        find: '{ $set: { lease: { token, until } } }',
        put: '{ $set: { lease: { token, until } }, $inc: { attempts: 1 } }',
      },
      { file: record, find: '$inc: { attempts: 1 }', put: '$inc: { attempts: 0 }' },
      {
        file: deliver,
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
        file: deliver,
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
        file: deliver,
        find: 'const body = bodyOf(delivery, source)',
        put: "const body = bodyOf(delivery, source).replace('{', delivery.attempts > 0 ? '{ ' : '{')",
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
        find: '  status: facts.status,\n  paid_at',
        put: '  status: (source as unknown as Facts).status ?? facts.status,\n  paid_at',
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
        file: deliver,
        find: 'signFor(deps, endpoint, delivery.event, body, at)',
        put: 'signFor(deps, endpoint, delivery.event, delivery.attempts > 0 ? JSON.stringify(JSON.parse(body), null, 1) : body, at)',
      },
    ],
    caughtBy: ['delivery.signed'],
    focus: plain,
    isOneMore: true,
  },
  {
    name: 'sweep-blind',
    says: 'Deliveries whose jobs Redis lost are never looked for.',
    edits: [
      {
        file: 'src/webhooks/attempts/sweep.ts',
        find: 'await deps.queues.standing.readd(deliveryLanes, placed)',
        put: 'placed.length = 0',
      },
    ],
    caughtBy: ['quiet.reached', 'delivery.delivered', 'delivery.paced'],
    focus: under('redis.flush', 'redis.empty'),
    isOneMore: true,
  },
]
