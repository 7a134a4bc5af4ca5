import { hash } from 'node:crypto'
import { auditLine } from '../audit/audit-event.ts'
import { appendLinks } from '../chains/append.ts'
import { dayOf, type EntryDraft, type LedgerEntry, linkEntry } from '../ledger/entry.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { type Transactions, transaction } from '../mongo/transaction.ts'
import type { Models } from '../platform/deps.ts'
import type { By } from '../security/actor.ts'
import { createVerifier, type VerifyDeps } from '../verification/verify-ledger.ts'

/** Money that an operator has sent to a merchant. */
export interface Payout {
  businessId: string
  sandbox: boolean
  /** The amount in centimes. */
  amount: number
  /** The reference of the transfer, which identifies the payout within the business and environment. */
  reference: string
}

/** The reason why a payout was not booked. The message is shown to the operator. */
export class PayoutRefused extends Error {}

/** Counts from the end of the verification, which may take much longer. */
const bookingMs = 10_000

/**
 * Books a payout, together with its audit line. The payout's id derives from its reference, so a repeated payout is
 * booked once. Throws PayoutRefused if the amount exceeds the balance, or if a payout with this reference had another
 * amount, and LedgerFault if the ledger is not as it should be. The ledger is verified up to the entry that the payout
 * follows, so two payouts at the same time cannot overdraw it. Returns the entry of the payout, and whether an earlier
 * call had booked it, so that this call booked nothing.
 */
export async function payOut(
  deps: VerifyDeps & { transactions: Transactions },
  payout: Payout,
  by: By,
): Promise<{ entry: LedgerEntry; alreadyBooked: boolean }> {
  const { businessId, sandbox, amount } = payout
  const owner = { businessId, sandbox }
  const { draft, line } = draftOf(payout, deps.now(), by)
  const entries = nativeCollection(deps.LedgerEntry)
  const verify = createVerifier(deps, owner, (batch) => batch())
  let alreadyBooked = false
  const build = async () => {
    const { last, owed } = await verify()
    alreadyBooked = (await findPayout(deps, draft, payout)) !== null
    if (alreadyBooked) return []
    const balance = (last?.after.balance ?? 0) - owed
    if (amount > balance) throw new PayoutRefused(`The balance is ${balance} centimes, which is less than the payout`)
    return linkEntry(owner, last, draft, deps.now())
  }
  await appendLinks(entries, owner, [], build, (links) =>
    transaction(deps, { documents: [], deadlineAt: performance.now() + bookingMs }, async (session) => {
      await nativeCollection(deps.AuditEvent).insertOne(line, { session })
      // Last, because the relay has to wait for the commit to append to this chain.
      await entries.insertMany(links, { session })
    }),
  )
  const entry = await findPayout(deps, draft, payout)
  if (entry === null) throw new Error(`payout ${draft._id} is missing`)
  return { entry, alreadyBooked }
}

/** Returns the payout with the id of the draft, or null. Throws if it had another amount. */
async function findPayout(
  { LedgerEntry: model }: Pick<Models, 'LedgerEntry'>,
  { _id }: EntryDraft,
  { amount, reference }: Payout,
): Promise<LedgerEntry | null> {
  const found = await nativeCollection(model).findOne({ _id })
  if (found !== null && found.amount !== -amount)
    throw new PayoutRefused(
      `The payout ${reference} was booked at ${found.bookedAt.toISOString()} with an amount of ${-found.amount} centimes. Use another reference`,
    )
  return found
}

function draftOf({ businessId, sandbox, amount, reference }: Payout, now: Date, by: By) {
  const mode = sandbox ? 'test' : 'live'
  const _id = hash('sha256', `payout ${businessId} ${mode} ${reference}`, 'hex').slice(0, 24)
  const after = { mode, amount, reference }
  const line = auditLine(by, now, { act: 'business.paid-out', subject: _id, businessId, after })
  const about = { amount: -amount, day: dayOf(now), occurredAt: now, payoutReference: reference }
  const draft: EntryDraft = { _id, type: 'payout', ...about }
  return { draft, line }
}
