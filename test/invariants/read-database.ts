import type { mongo } from 'mongoose'
import type { Stored } from './check.ts'
import { names } from './ownership.ts'

/** The fields that the invariants need. For other collections, the owner is enough. */
const fields: Record<string, string> = {
  intents:
    'referenceNumber merchantReference shortCode status cancellationReason payment hold failure attempts.kind attempts.outcome refunds refundsCommitted feesReturned expiresAt cancelsAt createdAt cleanedAt outbox.id outbox.event outbox.createdAt outbox.facts',
  orders: 'status number items total createdAt outbox.id outbox.event outbox.createdAt outbox.facts',
  webhookendpoints: 'events active deletedAt createdAt updatedAt outbox',
  deliveries:
    'endpointId event referenceNumber facts status attempts requeues nextAttemptAt leaseToken attemptLog.at deliveredAt deadAt createdAt',
  events: 'event referenceNumber facts createdAt number',
  webhookreplays: 'status nextRunAt',
  wallets: 'phone balance',
  walletmovements: 'accountId kind amount fee result forgetAt',
  ledgerentries:
    'number type amount bookedAt day position typePosition after through closed referenceNumber merchantReference refundId occurredAt startedAt payerPhone commission returnedFees reason',
  products: 'variants._id variants.stock',
  auditevents: 'act subject after.balance',
  retention: 'leaseEndsAt',
  retentionprogress: '_id',
}
const wanted = [...new Set([...Object.keys(fields), ...names.ofEnvironment, ...names.ofBusiness])]

const partOf = (name: string): object[] => [
  ...(name === 'auditevents' ? [{ $match: { act: 'wallet.created' } }] : []),
  {
    $project: Object.fromEntries(
      `businessId sandbox ${fields[name] ?? ''}`
        .trim()
        .split(' ')
        .map((field) => [field, 1]),
    ),
  },
  { $replaceWith: { of: name, document: '$$ROOT' } },
]

/** Reads all collections with one command: sources first, because their events move to the other collections. */
export async function readDatabase(db: mongo.Db): Promise<Partial<Stored>> {
  const [first = '', ...others] = wanted
  const found = db
    .collection(first)
    .aggregate<{ of: string; document: object }>(
      [...partOf(first), ...others.map((coll) => ({ $unionWith: { coll, pipeline: partOf(coll) } }))],
      { batchSize: 10_000 },
    )
    .toArray()
  const [read, there] = await Promise.all([found, db.listCollections({}, { nameOnly: true }).toArray()])
  const stored: Record<string, object[]> = Object.fromEntries(
    there.flatMap(({ name }) => (name.startsWith('system.') ? [] : [[name, []]])),
  )
  for (const { of, document } of read) stored[of]?.push(plain(document) as object)
  return stored as Partial<Stored>
}

function plain(value: unknown): unknown {
  if (value instanceof Date) return value.getTime()
  if (Array.isArray(value)) return value.map(plain)
  if (value === null || typeof value !== 'object') return value
  const copy: Record<string, unknown> = {}
  for (const [name, each] of Object.entries(value)) copy[name] = plain(each)
  return copy
}
