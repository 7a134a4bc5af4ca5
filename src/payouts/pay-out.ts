import { hash } from 'node:crypto'
import { currencyCode } from '../../schemas/currency.ts'
import { newAuditLine } from '../audit/audit-event.ts'
import { appendToChain, type ChainOwner } from '../chains/append.ts'
import { type LedgerDraft, type LedgerEntry, linkLedgerEntry } from '../ledger/entry.ts'
import { getLedgerBalance } from '../ledger/statement.ts'
import { maxListReadMs } from '../lists/pagination.ts'
import { rawCollection } from '../mongo/collection.ts'
import { type Transactions, transaction } from '../mongo/transaction.ts'
import { outboxIndex } from '../outbox/event.ts'
import type { Deps, Models } from '../platform/deps.ts'
import { modeOf } from '../platform/mode.ts'
import { toUtcDay } from '../platform/time.ts'
import type { Author } from '../security/actor.ts'
import { createLedgerVerifier, type VerifyLedgerDeps } from '../verification/verify-ledger.ts'

/** What we owe the merchant, in centimes. */
export async function readBalance(deps: Pick<Deps, 'LedgerEntry' | 'lists' | 'now'>, owner: ChainOwner) {
  const now = deps.now()
  // The relay books events before it removes them, so read the outbox first.
  const unrelayedAt = await deps.lists.read((models) => oldestUnrelayed(models, owner))
  const amount = await getLedgerBalance(deps, owner)
  const asOf = unrelayedAt === null || unrelayedAt > now ? now : new Date(unrelayedAt.getTime() - 1)
  return { currency: currencyCode, amount, asOf }
}

/** Without any other filter, MongoDB reads only one document. */
async function oldestUnrelayed(deps: Pick<Deps, 'Intent'>, { businessId }: ChainOwner): Promise<Date | null> {
  const found = await rawCollection(deps.Intent).findOne<{ oldest: Date }>(
    { businessId, 'outbox.createdAt': { $exists: true } },
    {
      hint: outboxIndex.name,
      sort: { 'outbox.createdAt': 1 },
      projection: { _id: 0, oldest: { $min: '$outbox.createdAt' } },
      maxTimeMS: maxListReadMs,
    },
  )
  return found?.oldest ?? null
}

export interface Payout {
  businessId: string
  sandbox: boolean
  amount: number
  reference: string
}

/** The message is shown to the operator. */
export class PayoutRefused extends Error {}

/** Begins after the verification, which can take much longer. */
const bookingMs = 10_000

/**
 * Verifies the ledger up to its last entry, so that concurrent payouts can't
 * overdraw the balance. Throws PayoutRefused or LedgerFault.
 */
export async function bookPayoutOnce(
  deps: VerifyLedgerDeps & { transactions: Transactions },
  payout: Payout,
  by: Author,
): Promise<{ entry: LedgerEntry; alreadyBooked: boolean }> {
  const { businessId, sandbox, amount } = payout
  const owner = { businessId, sandbox }
  const { draft, line } = draftOf(payout, deps.now(), by)
  const entries = rawCollection(deps.LedgerEntry)
  const verify = createLedgerVerifier(deps, owner, (batch) => batch())
  let alreadyBooked = false
  const build = async () => {
    const { last, owed } = await verify()
    alreadyBooked = (await findPayout(deps, draft, payout)) !== null
    if (alreadyBooked) return []
    const balance = (last?.after.balance ?? 0) - owed
    if (amount > balance)
      throw new PayoutRefused(`The balance is ${balance} centimes, which is less than the payout`)
    return linkLedgerEntry(owner, last, draft, deps.now())
  }
  await appendToChain(entries, owner, [], build, (links) =>
    transaction(deps, { documents: [], deadlineAt: performance.now() + bookingMs }, async (session) => {
      await rawCollection(deps.AuditEvent).insertOne(line, { session })
      // These block the relay's bookings in this chain, so insert them last.
      await entries.insertMany(links, { session })
    }),
  )
  const entry = await findPayout(deps, draft, payout)
  if (entry === null) throw new Error(`payout ${draft._id} is missing`)
  return { entry, alreadyBooked }
}

async function findPayout(
  { LedgerEntry: model }: Pick<Models, 'LedgerEntry'>,
  { _id }: LedgerDraft,
  { amount, reference }: Payout,
): Promise<LedgerEntry | null> {
  const found = await rawCollection(model).findOne({ _id })
  if (found !== null && found.amount !== -amount)
    throw new PayoutRefused(
      `The payout ${reference} was already booked at ${found.bookedAt.toISOString()} with an amount of ${-found.amount} centimes. Use another reference`,
    )
  return found
}

function draftOf({ businessId, sandbox, amount, reference }: Payout, now: Date, by: Author) {
  const mode = modeOf({ sandbox })
  const _id = hash('sha256', `payout ${businessId} ${mode} ${reference}`, 'hex').slice(0, 24)
  const after = { mode, amount, reference }
  const line = newAuditLine(by, now, { act: 'business.paid-out', subject: _id, businessId, after })
  const about = { amount: -amount, day: toUtcDay(now), occurredAt: now, payoutReference: reference }
  const draft: LedgerDraft = { _id, type: 'payout', ...about }
  return { draft, line }
}
