import type { AuditEvent } from '../audit/audit-event.ts'
import type { ChainOwner } from '../chains/append.ts'
import type { Deps } from '../deps.ts'
import type { LoggedEvent } from '../events/logged-event.ts'
import type { Intent } from '../intents/intent.ts'
import type { Refund } from '../intents/records.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { inParts, intentsIn, maxReadMs as maxTimeMS } from '../reconciliation/recorded-in.ts'
import type { Pace } from '../retention/pace.ts'
import type { Facts } from '../webhooks/body/facts.ts'
import { entriesOf } from './book.ts'
import type { LedgerEntry } from './entry.ts'
import { dayOf, type EntryDraft } from './link.ts'

/** The clean-up may have removed the events of intents that were created before `cleanedBefore`. */
type DueDeps = Pick<Deps, 'AuditEvent' | 'Intent' | 'LoggedEvent'> & { cleanedBefore: number }

const act = 'business.paid-out'
const projection = { attempts: 0, marks: 0, lookUpKeys: 0, metadata: 0 } as const
const endOfTime = new Date(8.64e15)

/** Returns what only one entry of a ledger may book, such as the fee of a refund. */
export const nameOf = ({ _id, type, refundId, referenceNumber }: EntryDraft | LedgerEntry): string =>
  `${type} ${type === 'payout' ? _id : (refundId ?? referenceNumber)}`

/** Returns what the entries of a page may book, by name. */
export async function dueOfEntries(deps: DueDeps, owner: ChainOwner, page: LedgerEntry[]) {
  const filter = { ...owner, referenceNumber: { $in: page.map(({ referenceNumber = '' }) => referenceNumber) } }
  const intents = await nativeCollection(deps.Intent).find(filter, { projection, maxTimeMS }).toArray()
  const subjects = { subject: { $in: page.map(({ _id }) => _id) }, businessId: owner.businessId, act } as const
  const lines = await nativeCollection(deps.AuditEvent).find(subjects, { maxTimeMS }).toArray()
  return new Map(
    [...(await draftsOf(deps, owner, intents)), ...lines.map(payoutOf)].map((draft) => [nameOf(draft), draft]),
  )
}

/** Yields what was paid, refunded and paid out since a time and must be booked by now, in parts. */
export async function* dueSince(deps: DueDeps, owner: ChainOwner, pace: Pace, from: Date) {
  const { businessId } = owner
  const period = { from, to: endOfTime }
  for (const index of ['byPaidAt', 'byRefundedAt'] as const)
    for await (const part of intentsIn<Intent>({ ...deps, pace, projection }, index, owner, period)) {
      const drafts = await pace(() => draftsOf(deps, owner, part.found))
      const queued = new Set(part.found.flatMap(({ outbox }) => outbox.map(({ id }) => id)))
      const inPart = drafts.filter(({ occurredAt: at = from }) => at >= part.from && at < part.to)
      yield inPart.filter(({ _id }) => !queued.has(_id.slice(0, 24)))
    }
  // No index is for the payouts of one business, so all its lines are read, to bound each query.
  const lines = inParts(pace, period, (at, limit) =>
    nativeCollection(deps.AuditEvent).find({ businessId, at }, { hint: 'byBusiness', limit, maxTimeMS }).toArray(),
  )
  const mode = owner.sandbox ? 'test' : 'live'
  for await (const { found } of lines)
    yield found.filter((line) => line.act === act && line.after?.mode === mode).map(payoutOf)
}

/** Returns the entries of intents. Reads the intents' events after them, because the relay moves events to the log. */
async function draftsOf(deps: DueDeps, owner: ChainOwner, intents: Intent[]) {
  const references = intents.map(({ referenceNumber }) => referenceNumber)
  const options = { hint: 'byReference', projection: { event: 1, referenceNumber: 1, 'facts.refund.id': 1 }, maxTimeMS }
  const filter = { ...owner, referenceNumber: { $in: references } }
  const logged = await nativeCollection(deps.LoggedEvent).find(filter, options).toArray()
  const ids = new Map(logged.map((each) => [keyOf(each, each), each._id]))
  for (const intent of intents) for (const each of intent.outbox) ids.set(keyOf(intent, each), each.id)
  return intents.flatMap((intent) => {
    const { payment, refunds } = intent
    const drafts = (event: 'payment.confirmed' | 'payment.refunded', createdAt?: Date, refund?: Refund) => {
      const facts = { ...payment, amount: payment?.amountPaid, refund } as unknown as Facts
      const id = ids.get(keyOf(intent, { event, facts }))
      const isCleaned = id === undefined && intent.createdAt.getTime() < deps.cleanedBefore
      return createdAt && !isCleaned ? entriesOf(intent, { id: id ?? '', event, createdAt, facts }) : []
    }
    const refunded = refunds.flatMap((refund) => drafts('payment.refunded', refund.refundedAt, refund))
    return [...drafts('payment.confirmed', payment?.paidAt), ...refunded]
  })
}

/** Returns what identifies an event of an intent, apart from its id. Only one event has this key. */
const keyOf = (
  { referenceNumber }: { referenceNumber: string },
  { event, facts }: Pick<LoggedEvent, 'event' | 'facts'>,
) => `${referenceNumber} ${event} ${facts?.refund?.id}`

/** Returns the entry that a payout's line in the audit trail requires. */
function payoutOf({ subject: _id, at, after }: AuditEvent): EntryDraft {
  const amount = -Math.abs(Number(after?.amount))
  return { _id, type: 'payout', amount, payoutReference: String(after?.reference), occurredAt: at, day: dayOf(at) }
}
