import { type AppendListener, appendToChain, type ChainOwner, createChainAppender } from '../chains/append.ts'
import { rawCollection } from '../mongo/collection.ts'
import type { OutboxEvent } from '../outbox/event.ts'
import type { Models } from '../platform/deps.ts'
import { type Log, throttleLog } from '../platform/log.ts'
import { toUtcDay } from '../platform/time.ts'
import * as entries from './entry.ts'

const reportEveryMs = 60_000

export type LedgerAppender = ReturnType<typeof openLedger>

export function openLedger(
  models: Pick<Models, 'LedgerEntry'>,
  now: () => Date,
  log: Log,
  onStored?: AppendListener,
) {
  const report = throttleLog(reportEveryMs, (fields) => log.error(fields, 'ledger.full'))
  return {
    bookEntries: createChainAppender<entries.LedgerDraft, entries.LedgerEntry>(
      rawCollection(models.LedgerEntry),
      (owner, last, draft) => {
        const links = entries.linkLedgerEntry(owner, last, draft, now())
        const amounts = links.flatMap(({ after }) => [
          after.balance,
          ...Object.values(entries.pickDayTotals(after)).map(({ amount }) => amount),
        ])
        if (amounts.every(Number.isSafeInteger)) return links
        // The event stays in its outbox. Other businesses aren't affected.
        report({ businessId: owner.businessId, sandbox: owner.sandbox, entry: draft._id })
        throw new Error(`entry ${draft._id} would make a balance that is not a safe integer`)
      },
      onStored,
    ),
    closeDays: (owner: ChainOwner) => closeLedgerDays({ ...models, now }, owner),
  }
}

interface EventSource extends ChainOwner {
  referenceNumber: string
  merchantReference?: string | null
}
type Booked = Pick<OutboxEvent, 'id' | 'event' | 'createdAt' | 'facts'>

/** The relay removes events only after they're booked, so none is lost. */
export async function bookEvents(
  { batchers }: { batchers: Pick<LedgerAppender, 'bookEntries'> },
  source: EventSource,
  events: readonly OutboxEvent[],
  deadlineAt: number,
): Promise<void> {
  const drafts = events.flatMap((event) => buildEntryDrafts(source, event))
  if (drafts.length > 0) await batchers.bookEntries(source, drafts, deadlineAt)
}

export function buildEntryDrafts(
  source: EventSource,
  { id, event, createdAt, facts }: Booked,
): entries.LedgerDraft[] {
  const { referenceNumber, merchantReference = null } = source
  const origin = { referenceNumber, merchantReference }
  const { payerPhone = '', commission, refund, paidAt = createdAt } = facts
  if (event === 'payment.confirmed' && commission !== undefined) {
    const shared = { ...origin, occurredAt: paidAt, day: toUtcDay(paidAt) }
    return [
      { ...shared, _id: id, amount: facts.amount ?? 0, payerPhone, commission, type: 'payment' },
      ...feeOf(id, shared, -commission.providerTtc),
    ]
  }
  if (event === 'payment.refunded' && refund !== undefined) {
    const { id: refundId, amount, reason = null, createdAt: startedAt = createdAt, returnedFees } = refund
    const shared = { ...origin, refundId, occurredAt: createdAt, day: toUtcDay(createdAt) }
    return [
      { ...shared, _id: id, amount: -amount, payerPhone, reason, startedAt, returnedFees, type: 'refund' },
      ...feeOf(id, shared, returnedFees.providerTtc),
    ]
  }
  return []
}

const feeOf = (
  id: string,
  shared: Omit<entries.LedgerDraft, '_id' | 'type' | 'amount'>,
  amount: number,
): entries.LedgerDraft[] => (amount === 0 ? [] : [{ ...shared, _id: `${id}-fee`, type: 'fee', amount }])

/** After this, even a process that was frozen can't book on a closed day. */
export async function closeLedgerDays(
  deps: Pick<Models, 'LedgerEntry'> & { now(): Date },
  { businessId, sandbox }: ChainOwner,
): Promise<void> {
  const owner = { businessId, sandbox }
  await appendToChain(rawCollection(deps.LedgerEntry), owner, [], (last) => {
    const marker = entries.linkClosingMarker(owner, last, deps.now())
    return marker === null ? [] : [marker]
  })
}
