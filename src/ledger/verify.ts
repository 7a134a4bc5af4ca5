import { isDeepStrictEqual } from 'node:util'
import type { AuditEvent } from '../audit/audit-event.ts'
import { findAuditKey } from '../audit/seals/audit-key.ts'
import { digestOfSeal, headOf } from '../audit/seals/digest.ts'
import { type ChainOwner, chainIndex } from '../chains/append.ts'
import type { Deps } from '../deps.ts'
import type { Intent } from '../intents/intent.ts'
import type { Refund } from '../intents/refunds/refund-record.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { businessIds } from '../reconciliation/recorded-in.ts'
import type { Pace } from '../retention/pace.ts'
import type { Facts } from '../webhooks/body/facts.ts'
import { entriesOf } from './book.ts'
import type { LedgerEntry } from './entry.ts'
import { dayOf, type EntryDraft, linkClosing, linkEntry } from './link.ts'

type Collections = 'AuditEvent' | 'AuditKey' | 'AuditSeal' | 'Intent' | 'LedgerEntry' | 'LoggedEvent'
export type VerifyDeps = Pick<Deps, Collections | 'secrets' | 'now'> & {
  config: Pick<Deps['config'], 'sandboxRetentionMs' | 'intentLifetimeMs'>
}

/** What is wrong with a ledger, as a sentence for operators. */
export class LedgerFault extends Error {}

const pageSize = 500
const maxTimeMS = 4_000
/** An entry can be booked this much earlier than its payment, because the clocks of two processes differ. */
const maxClockSkewMs = 2_000
const dayMs = 86_400_000
const act = 'business.paid-out'
const projection = { attempts: 0, effects: 0, lookUpKeys: 0, metadata: 0 } as const

/** Returns what only one entry of a ledger may book, such as the fee of a refund. */
const nameOf = ({ _id, type, refundId, referenceNumber }: EntryDraft | LedgerEntry): string =>
  `${type} ${type === 'payout' ? _id : (refundId ?? referenceNumber)}`

const eventOf = (refundId: string | undefined) => (refundId === undefined ? 'payment.confirmed' : 'payment.refunded')

/** Returns what the ledger must contain of an intent. The id of a draft is what follows the id of its event. */
function draftsOf(intent: Intent): EntryDraft[] {
  const { payment, refunds } = intent
  const drafts = (createdAt?: Date, refund?: Refund) => {
    const facts = { ...payment, amount: payment?.amountPaid, refund } as unknown as Facts
    return createdAt ? entriesOf(intent, { id: '', event: eventOf(refund?.id), createdAt, facts }) : []
  }
  return [...drafts(payment?.paidAt), ...refunds.flatMap((refund) => drafts(refund.refundedAt, refund))]
}

/** Returns the entry that a payout's line in the audit trail requires. */
function payoutOf({ subject: _id, at, after }: AuditEvent): EntryDraft {
  const amount = -Math.abs(Number(after?.amount))
  return { _id, type: 'payout', amount, payoutReference: String(after?.reference), occurredAt: at, day: dayOf(at) }
}

const differing = <Doc extends object>(entry: Doc, wanted: Partial<Doc>): string =>
  Object.keys(wanted)
    .filter((field) => !isDeepStrictEqual(entry[field as keyof Doc], wanted[field as keyof Doc]))
    .join(', ')

/**
 * Returns a function that verifies a ledger from its last sealed entry on, or all of it, and then, each time that it is
 * called, what has been booked since. It trusts no stored balance and no progress that is not sealed: each entry must
 * follow from the entry before it and from a payment, refund or payout, and each of these must have its entry.
 * The function throws a LedgerFault at the first entry that is wrong. It returns the last entry, whether it is newer
 * than the seal, and the fees that are owed: those of booked payments that are not booked themselves, because a process
 * was killed in between.
 */
export function createVerifier(deps: VerifyDeps, { businessId, sandbox }: ChainOwner, pace: Pace, isWhole = false) {
  const [owner, mode] = [{ businessId, sandbox }, sandbox ? 'test' : 'live']
  const [trail, intents] = [nativeCollection(deps.AuditEvent), nativeCollection(deps.Intent)]
  const [entries, events] = [nativeCollection(deps.LedgerEntry), nativeCollection(deps.LoggedEvent)]
  const [due, seen, owed] = [new Set<string>(), new Set<string>(), new Map<string, number>()]
  const testsBefore = sandbox ? deps.now().getTime() - deps.config.sandboxRetentionMs : 0
  /** The clean-up may have removed the intents of entries that were booked before this time. */
  const cleanedBefore = sandbox ? testsBefore + deps.config.intentLifetimeMs + dayMs : 0
  let [sealed, last] = [null as number | null, null as LedgerEntry | null]

  /** Finds the last sealed entry, and what must have been booked since. */
  async function open(): Promise<void> {
    const key = await findAuditKey(deps).catch(() => null)
    const bySeal = { 'heads.chain': `${businessId} ${mode}` }
    const seal = await nativeCollection(deps.AuditSeal).findOne(bySeal, { sort: { _id: -1 }, maxTimeMS })
    const head = seal?.heads?.find(({ chain }) => chain === bySeal['heads.chain'])
    if (seal && head) {
      if (key === null || seal.digest !== digestOfSeal(key, seal))
        throw new LedgerFault(`Seal ${seal._id} of the audit trail was changed, or SECRET_KEY is another one.`)
      const entry = await entries.findOne({ ...owner, number: head.number }, { maxTimeMS })
      const isCleaned = entry === null && head.bookedAt.getTime() < testsBefore
      if (!isCleaned && !(entry && isDeepStrictEqual(headOf(key, entry), head)))
        throw new LedgerFault(`Entry ${head.number} is not the one that seal ${seal._id} contains.`)
      if (!isWhole) last = entry
    }
    const since = new Date(Math.max(testsBefore, head?.bookedAt.getTime() ?? 0) + maxClockSkewMs)
    const recent = [{ 'payment.paidAt': { $gte: since } }, { 'refunds.refundedAt': { $gte: since } }]
    for await (const intent of intents.find({ ...owner, $or: recent }, { projection }))
      for (const draft of draftsOf(intent)) {
        const isEventOf = ({ event, facts }: Intent['outbox'][number]) =>
          event === eventOf(draft.refundId) && facts.refund?.id === draft.refundId
        if (Number(draft.occurredAt) >= since.getTime() && !intent.outbox.some(isEventOf)) due.add(nameOf(draft))
      }
    const paidOut = { businessId, at: { $gte: since }, act, 'after.mode': mode } as const
    for await (const line of trail.find(paidOut)) due.add(nameOf(payoutOf(line)))
    sealed = head?.number ?? 0
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

  /** Verifies entries that follow `last`. Reads the intents before the events that they may just have relayed. */
  async function verifyPage(page: LedgerEntry[]): Promise<void> {
    const ids = page.map(({ _id }) => _id.slice(0, 24))
    const references = { $in: page.map(({ referenceNumber = '' }) => referenceNumber) }
    const paid = await intents.find({ ...owner, referenceNumber: references }, { projection, maxTimeMS }).toArray()
    const logged = await events.find({ _id: { $in: ids }, ...owner }, { maxTimeMS }).toArray()
    const lines = await trail.find({ subject: { $in: ids }, businessId, act }, { maxTimeMS }).toArray()
    const paidOut = [...lines, ...page.flatMap(({ unaudited = [] }) => unaudited)]
    const drafts = new Map([...paid.flatMap(draftsOf), ...paidOut.map(payoutOf)].map((each) => [nameOf(each), each]))
    const known = new Set([
      ...logged.map(({ _id, event, referenceNumber }) => `${_id} ${event} ${referenceNumber}`),
      ...paid.flatMap(({ outbox, referenceNumber }) =>
        outbox.map(({ id, event }) => `${id} ${event} ${referenceNumber}`),
      ),
    ])
    const faultOf = (entry: LedgerEntry): string | null => {
      const { number, type, refundId, referenceNumber, bookedAt } = entry
      const [name, id] = [nameOf(entry), entry._id.slice(0, 24)]
      // An intent may have been refunded just before the clean-up removed it.
      const isLate = sandbox && refundId !== undefined && (type === 'fee' || entry.amount < 0)
      const isOld = isLate || bookedAt.getTime() < cleanedBefore
      const draft = drafts.get(name)
      if (type === 'closing' || (draft === undefined && isOld)) return null
      if (draft === undefined) return `Entry ${number} books the ${name}, which does not exist.`
      const fields = differing(entry, { ...draft, _id: type === 'payout' ? draft._id : id + draft._id })
      if (fields !== '') return `Entry ${number} differs from the ${name} in ${fields}.`
      const hasEvent = type === 'payout' || isOld || known.has(`${id} ${eventOf(refundId)} ${referenceNumber}`)
      if (!hasEvent) return `Entry ${number} books the ${name} without its event.`
      return seen.has(name) ? `Entry ${number} books the ${name} again.` : null
    }
    for (const entry of page) {
      const fault = faultOfLink(entry) ?? faultOf(entry)
      if (fault !== null) throw new LedgerFault(fault)
      seen.add(nameOf(entry))
      if (entry.commission) owed.set(`fee ${entry.referenceNumber}`, entry.commission.providerTtc)
      owed.delete(nameOf(entry))
      last = entry
    }
  }

  return async () => {
    if (sealed === null) await open()
    for (;;) {
      const after = { ...owner, number: { $gt: last?.number ?? 0 } }
      const options = { sort: { number: 1 }, hint: chainIndex.name, limit: pageSize, maxTimeMS } as const
      const page = await pace(() => entries.find(after, options).toArray())
      if (page.length === 0) break
      await pace(() => verifyPage(page))
    }
    const missing = [...due].find((name) => !seen.has(name))
    if (missing !== undefined) throw new LedgerFault(`There is no entry of the ${missing}.`)
    const fees = [...owed.values()].reduce((sum, fee) => sum + fee, 0)
    return { last, isNew: (last?.number ?? 0) > (sealed ?? 0), owed: fees }
  }
}

/**
 * Verifies all ledgers. `heads` are the last entries of those that have new ones and no fault. `failed` are those that
 * could not be verified, for example because MongoDB took too long.
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
        // A document that was changed may be too malformed to compare.
        const isFault = error instanceof LedgerFault || error instanceof TypeError || error instanceof RangeError
        const fault = error instanceof Error ? error.message : String(error)
        findings[isFault ? 'faults' : 'failed'].push({ businessId, mode: sandbox ? 'test' : 'live', fault })
      }
  return { ledgers, heads, ...findings }
}
