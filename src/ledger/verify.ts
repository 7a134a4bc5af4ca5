import { inspect, isDeepStrictEqual } from 'node:util'
import { digestOf, headOf } from '../audit/seals/seal.ts'
import { type ChainOwner, chainIndex, isNumber } from '../chains/append.ts'
import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { isAway } from '../mongo/connect.ts'
import { businessIds, maxReadMs as maxTimeMS, pageSize } from '../reconciliation/recorded-in.ts'
import type { Pace } from '../retention/pace.ts'
import { findServiceKey } from '../security/service-keys.ts'
import { dueOfEntries, dueSince, nameOf } from './due.ts'
import type { LedgerEntry } from './entry.ts'
import { dayOf, type EntryDraft, linkClosing, linkEntry } from './link.ts'

type Collections = 'AuditEvent' | 'ServiceKey' | 'AuditSeal' | 'Intent' | 'LedgerEntry' | 'LoggedEvent'
export type VerifyDeps = Pick<Deps, Collections | 'secrets' | 'now'> & {
  config: Pick<Deps['config'], 'sandboxRetentionMs' | 'intentLifetimeMs'>
}

/** What is wrong with a ledger, as a sentence for operators. */
export class LedgerFault extends Error {}

/** An entry can be booked this much earlier than its payment, because the clocks of two processes differ. */
const maxClockSkewMs = 2_000
const dayMs = 86_400_000

const differing = <Doc extends object>(entry: Doc, wanted: Partial<Doc>): string =>
  Object.keys(wanted)
    .filter((field) => !isDeepStrictEqual(entry[field as keyof Doc], wanted[field as keyof Doc]))
    .join(', ')

/**
 * Returns a function that verifies a ledger from its last sealed entry on, or all of it, and then, each time that it is
 * called, what has been booked since. It trusts no stored balance and no progress that is not sealed: each entry must
 * follow from the entry before it and from a payment, refund or payout, and each of these must have its entry. The
 * function throws a LedgerFault at the first entry that is wrong. It returns the last entry, whether it is newer than
 * the seal, and the fees that are owed: those of booked payments that are not booked themselves, because a process was
 * killed in between.
 */
export function createVerifier(deps: VerifyDeps, owner: ChainOwner, pace: Pace, isWhole = false) {
  const { businessId, sandbox } = owner
  const entries = nativeCollection(deps.LedgerEntry)
  const owed = new Map<string, number>()
  const testsBefore = sandbox ? deps.now().getTime() - deps.config.sandboxRetentionMs : 0
  const dueDeps = { ...deps, cleanedBefore: sandbox ? testsBefore + dayMs : 0 }
  let last: LedgerEntry | null = null
  let sealed: Awaited<ReturnType<typeof open>> | null = null
  let isComplete = false

  /** Finds the last sealed entry. Returns its number, and the time from which on what happens is booked after it. */
  async function open() {
    const key = await findServiceKey(deps, 'audit').catch(() => null)
    const bySeal = { 'heads.chain': `${businessId} ${sandbox ? 'test' : 'live'}` }
    const seal = await nativeCollection(deps.AuditSeal).findOne(bySeal, { sort: { _id: -1 }, maxTimeMS })
    const head = seal?.heads?.find(({ chain }) => chain === bySeal['heads.chain'])
    if (seal && head) {
      if (key === null || seal.digest !== digestOf(key, 'seal', seal))
        throw new LedgerFault(`Seal ${seal._id} of the audit trail was changed, or SECRET_KEY is another one.`)
      const entry = await entries.findOne({ ...owner, number: head.number }, { maxTimeMS })
      const isCleaned = entry === null && head.bookedAt.getTime() < testsBefore
      if (!isCleaned && !(entry && isDeepStrictEqual(headOf(key, entry), head)))
        throw new LedgerFault(`Entry ${head.number} is not the one that seal ${seal._id} contains.`)
      if (!isWhole) last = entry
    }
    const stray = await entries.findOne({ ...owner, number: { $not: isNumber } }, { hint: chainIndex.name, maxTimeMS })
    if (stray !== null) throw new LedgerFault(`An entry has the number ${inspect(stray.number)}.`)
    const since = new Date(Math.max(testsBefore, head?.bookedAt.getTime() ?? 0) + maxClockSkewMs)
    return { number: head?.number ?? 0, since }
  }

  /** Compares an entry with the one before it. */
  function faultOfLink(entry: LedgerEntry): string | null {
    const { number, type, bookedAt, after } = entry
    const next = (last?.number ?? 0) + 1
    // The clean-up removes the oldest test entries, but no closing markers.
    const isFirst = last === null || last.type === 'closing' || last.bookedAt.getTime() < testsBefore
    if (number !== next) return sandbox && isFirst && entry.day < dayOf(deps.now()) ? null : `Entry ${next} is missing.`
    const closing = type === 'closing' && linkClosing(owner, last, bookedAt)
    const links = closing ? [closing] : linkEntry(owner, last, entry as EntryDraft, bookedAt)
    const [wanted] = links
    if (wanted === undefined || isDeepStrictEqual(links, [entry])) return null
    const balances = `balance ${after.balance} instead of ${wanted.after.balance}`
    return `Entry ${number} does not follow from the one before it in ${differing(entry, wanted)} (${balances}).`
  }

  /** Compares an entry with what it books. */
  function faultOfContents(entry: LedgerEntry, draft: EntryDraft | undefined): string | null {
    const { number, type, refundId, bookedAt, occurredAt = bookedAt } = entry
    // The clean-up may have removed the intent. Its last refund, or a late booking of its payment, can be much newer.
    const isLate = sandbox && refundId !== undefined && (type === 'fee' || entry.amount < 0)
    const isOld = isLate || occurredAt.getTime() < dueDeps.cleanedBefore + deps.config.intentLifetimeMs
    if (type === 'closing' || (draft === undefined && isOld)) return null
    if (draft === undefined) return `Entry ${number} books the ${nameOf(entry)}, which does not exist.`
    const fields = differing(entry, draft)
    if (fields === '_id') return `Entry ${number} books the ${nameOf(entry)} without its event.`
    return fields && `Entry ${number} differs from the ${nameOf(entry)} in ${fields}.`
  }

  /** Verifies entries that follow `last`. */
  async function verifyPage(page: LedgerEntry[]): Promise<void> {
    const due = await dueOfEntries(dueDeps, owner, page)
    for (const entry of page) {
      const fault = faultOfLink(entry) || faultOfContents(entry, due.get(nameOf(entry)))
      if (fault) throw new LedgerFault(fault)
      if (entry.commission?.providerTtc) owed.set(`fee ${entry.referenceNumber}`, entry.commission.providerTtc)
      owed.delete(nameOf(entry))
      last = entry
    }
  }

  /** Finds the entries of drafts, after the sealed one. */
  async function verifyBooked(due: EntryDraft[], sealedNumber: number): Promise<void> {
    const filter = { _id: { $in: due.map(({ _id }) => _id) }, ...owner, number: { $gt: sealedNumber } }
    const found = await entries.find(filter, { projection: { _id: 1 }, maxTimeMS }).toArray()
    const booked = new Set(found.map(({ _id }) => _id))
    const missing = due.find(({ _id }) => !booked.has(_id))
    if (missing !== undefined) throw new LedgerFault(`There is no entry of the ${nameOf(missing)}.`)
  }

  return async () => {
    sealed ??= await pace(open)
    const { number, since } = sealed
    for (;;) {
      const after = { ...owner, number: { $gt: last?.number ?? 0 } }
      const options = { sort: { number: 1 }, hint: chainIndex.name, limit: pageSize, maxTimeMS } as const
      const page = await pace(() => entries.find(after, options).toArray())
      if (page.length === 0) break
      await pace(() => verifyPage(page))
    }
    if (!isComplete)
      for await (const due of dueSince(dueDeps, owner, pace, since)) await pace(() => verifyBooked(due, number))
    isComplete = true
    const fees = [...owed.values()].reduce((sum, fee) => sum + fee, 0)
    return { last, isNew: (last?.number ?? 0) > number, owed: fees }
  }
}

/**
 * Verifies all ledgers. `heads` are the last entries of those that have new ones and no fault. `failed` are those that
 * could not be verified, for example because MongoDB took too long. Throws if MongoDB is away.
 */
export async function verifyLedgers(deps: VerifyDeps & Pick<Deps, 'Business'>, pace: Pace, isWhole = false) {
  type Finding = { businessId: string; mode: string; fault: string }
  const [heads, findings] = [[] as LedgerEntry[], { faults: [] as Finding[], failed: [] as Finding[] }]
  let ledgers = 0
  for await (const businessId of businessIds({ ...deps, pace }))
    for (const sandbox of [false, true])
      try {
        const { last, isNew, owed } = await createVerifier(deps, { businessId, sandbox }, pace, isWhole)()
        if (last !== null) ledgers += 1
        if (last !== null && isNew && owed === 0) heads.push(last)
      } catch (error) {
        // Throws if the run is being stopped.
        await pace(async () => undefined)
        if (isAway(error)) throw error
        // A document that was changed may be too malformed to compare.
        const isFault = error instanceof LedgerFault || error instanceof TypeError || error instanceof RangeError
        const fault = error instanceof Error ? error.message : String(error)
        findings[isFault ? 'faults' : 'failed'].push({ businessId, mode: sandbox ? 'test' : 'live', fault })
      }
  return { ledgers, heads, ...findings }
}
