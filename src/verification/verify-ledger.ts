import { inspect, isDeepStrictEqual } from 'node:util'
import type { AuditEvent } from '../audit/audit-event.ts'
import { type ChainOwner, chainIndex, numberFilter } from '../chains/append.ts'
import type { LoggedEvent } from '../events/log.ts'
import type { Intent } from '../intents/intent.ts'
import type { Refund } from '../intents/records.ts'
import { buildEntryDrafts } from '../ledger/book.ts'
import { type LedgerDraft, type LedgerEntry, linkClosingMarker, linkLedgerEntry } from '../ledger/entry.ts'
import { rawCollection } from '../mongo/collection.ts'
import { isMongoUnreachable, readTimeoutMs as maxTimeMS } from '../mongo/connect.ts'
import type { EventFacts } from '../outbox/event.ts'
import type { Deps } from '../platform/deps.ts'
import { modeOf } from '../platform/mode.ts'
import { dayMs, toUtcDay } from '../platform/time.ts'
import {
  eachBusinessId,
  maxPeriodDocuments,
  readInParts,
  readIntentsInPeriod,
} from '../reconciliation/recorded.ts'
import { findServiceKey } from '../security/service-keys.ts'
import type { Pacer } from '../work/pace.ts'
import { digestHead, digestRecord } from './seal.ts'

type Collections = 'AuditEvent' | 'ServiceKey' | 'AuditSeal' | 'Intent' | 'LedgerEntry' | 'LoggedEvent'
export type VerifyLedgerDeps = Pick<Deps, Collections | 'secrets' | 'now'> & {
  config: Pick<Deps['config'], 'sandboxRetentionMs' | 'intentLifetimeMs'>
}

export class LedgerFault extends Error {}

/** Because of clock skew, an entry may be dated before its payment. */
const maxClockSkewMs = 2_000

const differing = <Doc extends object>(entry: Doc, wanted: Partial<Doc>): string =>
  Object.keys(wanted)
    .filter((field) => !isDeepStrictEqual(entry[field as keyof Doc], wanted[field as keyof Doc]))
    .join(', ')

/**
 * The first call verifies a ledger from its last sealed entry. Later calls
 * verify only what was booked since then. `owed` is the sum of fees that aren't booked yet.
 */
export function createLedgerVerifier(
  deps: VerifyLedgerDeps,
  owner: ChainOwner,
  pace: Pacer,
  isWhole = false,
) {
  const { businessId, sandbox } = owner
  const entries = rawCollection(deps.LedgerEntry)
  const owed = new Map<string, number>()
  const testsBefore = sandbox ? deps.now().getTime() - deps.config.sandboxRetentionMs : 0
  const dueDeps = { ...deps, cleanedBefore: sandbox ? testsBefore + dayMs : 0 }
  let last: LedgerEntry | null = null
  let sealed: Awaited<ReturnType<typeof open>> | null = null
  let isComplete = false

  async function open() {
    const key = await findServiceKey(deps, 'audit').catch(() => null)
    const bySeal = { 'heads.chain': `${businessId} ${modeOf(owner)}` }
    const seal = await rawCollection(deps.AuditSeal).findOne(bySeal, { sort: { _id: -1 }, maxTimeMS })
    const head = seal?.heads?.find(({ chain }) => chain === bySeal['heads.chain'])
    if (seal && head) {
      if (key === null || seal.digest !== digestRecord(key, 'seal', seal))
        throw new LedgerFault(`Seal ${seal._id} of the audit trail was changed, or SECRET_KEY is wrong.`)
      const entry = await entries.findOne({ ...owner, number: head.number }, { maxTimeMS })
      const isCleaned = entry === null && head.bookedAt.getTime() < testsBefore
      if (!isCleaned && !(entry && isDeepStrictEqual(digestHead(key, entry), head)))
        throw new LedgerFault(`Entry ${head.number} is not the one that seal ${seal._id} contains.`)
      if (!isWhole) last = entry
    }
    const stray = await entries.findOne(
      { ...owner, number: { $not: numberFilter } },
      { hint: chainIndex.name, maxTimeMS },
    )
    if (stray !== null) throw new LedgerFault(`An entry has the number ${inspect(stray.number)}.`)
    const since = new Date(Math.max(testsBefore, head?.bookedAt.getTime() ?? 0) + maxClockSkewMs)
    return { number: head?.number ?? 0, since }
  }

  function faultOfLink(entry: LedgerEntry): string | null {
    const { number, type, bookedAt, after } = entry
    const next = (last?.number ?? 0) + 1
    // The clean-up removes old test entries, but keeps the closing markers.
    const isFirst = last === null || last.type === 'closing' || last.bookedAt.getTime() < testsBefore
    if (number !== next)
      return sandbox && isFirst && entry.day < toUtcDay(deps.now()) ? null : `Entry ${next} is missing.`
    const closing = type === 'closing' && linkClosingMarker(owner, last, bookedAt)
    const links = closing ? [closing] : linkLedgerEntry(owner, last, entry as LedgerDraft, bookedAt)
    const [wanted] = links
    if (wanted === undefined || isDeepStrictEqual(links, [entry])) return null
    const balances = `balance ${after.balance} instead of ${wanted.after.balance}`
    return `Entry ${number} does not follow from the one before it in ${differing(entry, wanted)} (${balances}).`
  }

  function faultOfContents(entry: LedgerEntry, draft: LedgerDraft | undefined): string | null {
    const { number, type, refundId, bookedAt, occurredAt = bookedAt } = entry
    // The clean-up may have removed an intent that was refunded much later.
    const isLate = sandbox && refundId !== undefined && (type === 'fee' || entry.amount < 0)
    const isOld = isLate || occurredAt.getTime() < dueDeps.cleanedBefore + deps.config.intentLifetimeMs
    if (type === 'closing' || (draft === undefined && isOld)) return null
    if (draft === undefined) return `Entry ${number} books the ${nameOf(entry)}, which does not exist.`
    const fields = differing(entry, draft)
    if (fields === '_id') return `Entry ${number} books the ${nameOf(entry)} without its event.`
    return fields && `Entry ${number} differs from the ${nameOf(entry)} in ${fields}.`
  }

  async function verifyPage(page: LedgerEntry[]): Promise<void> {
    const due = await dueOfEntries(dueDeps, owner, page)
    for (const entry of page) {
      const fault = faultOfLink(entry) || faultOfContents(entry, due.get(nameOf(entry)))
      if (fault) throw new LedgerFault(fault)
      if (entry.commission?.providerTtc)
        owed.set(`fee ${entry.referenceNumber}`, entry.commission.providerTtc)
      owed.delete(nameOf(entry))
      last = entry
    }
  }

  async function verifyBooked(due: LedgerDraft[], sealedNumber: number): Promise<void> {
    const filter = { _id: { $in: due.map(({ _id }) => _id) }, ...owner, number: { $gt: sealedNumber } }
    const found = await entries.find(filter, { projection: { _id: 1 }, maxTimeMS }).toArray()
    const booked = new Set(found.map(({ _id }) => _id))
    const missing = due.find(({ _id }) => !booked.has(_id))
    if (missing !== undefined) throw new LedgerFault(`There is no entry for the ${nameOf(missing)}.`)
  }

  return async () => {
    sealed ??= await pace(open)
    const { number, since } = sealed
    for (;;) {
      const after = { ...owner, number: { $gt: last?.number ?? 0 } }
      const page = await pace(() => entries.find(after, pageOptions).toArray())
      if (page.length === 0) break
      await pace(() => verifyPage(page))
    }
    if (!isComplete)
      for await (const due of dueSince(dueDeps, owner, pace, since))
        await pace(() => verifyBooked(due, number))
    isComplete = true
    const fees = [...owed.values()].reduce((sum, fee) => sum + fee, 0)
    return { last, isNew: (last?.number ?? 0) > number, owed: fees }
  }
}

/** `heads` lists the last entry of each verified ledger with new entries. */
export async function verifyLedgers(
  deps: VerifyLedgerDeps & Pick<Deps, 'Business'>,
  pace: Pacer,
  isWhole = false,
) {
  type Finding = { businessId: string; mode: string; fault: string }
  const [heads, findings] = [[] as LedgerEntry[], { faults: [] as Finding[], failed: [] as Finding[] }]
  let ledgers = 0
  for await (const businessId of eachBusinessId({ ...deps, pace }))
    for (const sandbox of [false, true])
      try {
        const verify = createLedgerVerifier(deps, { businessId, sandbox }, pace, isWhole)
        const { last, isNew, owed } = await verify()
        if (last !== null) ledgers += 1
        if (last !== null && isNew && owed === 0) heads.push(last)
      } catch (error) {
        // Throws if the run is being stopped.
        await pace(async () => undefined)
        if (isMongoUnreachable(error)) throw error
        const isFault =
          error instanceof LedgerFault || error instanceof TypeError || error instanceof RangeError
        const fault = error instanceof Error ? error.message : String(error)
        findings[isFault ? 'faults' : 'failed'].push({ businessId, mode: modeOf({ sandbox }), fault })
      }
  return { ledgers, heads, ...findings }
}

/** The clean-up may have removed the events of older intents. */
type DueDeps = Pick<Deps, 'AuditEvent' | 'Intent' | 'LoggedEvent'> & { cleanedBefore: number }

const act = 'business.paid-out'
const projection = { attempts: 0, marks: 0, lookUpKeys: 0, metadata: 0 } as const
const endOfTime = new Date(8.64e15)
const inOrder = { sort: { number: 1 }, hint: chainIndex.name } as const
const pageOptions = { ...inOrder, limit: maxPeriodDocuments, maxTimeMS }

const nameOf = ({ _id, type, refundId, referenceNumber }: LedgerDraft | LedgerEntry): string =>
  `${type} ${type === 'payout' ? _id : (refundId ?? referenceNumber)}`

async function dueOfEntries(deps: DueDeps, owner: ChainOwner, page: LedgerEntry[]) {
  const references = page.map(({ referenceNumber = '' }) => referenceNumber)
  const filter = { ...owner, referenceNumber: { $in: references } }
  const intents = await rawCollection(deps.Intent).find(filter, { projection, maxTimeMS }).toArray()
  const subject = { $in: page.map(({ _id }) => _id) }
  const subjects = { subject, businessId: owner.businessId, act } as const
  const lines = await rawCollection(deps.AuditEvent).find(subjects, { maxTimeMS }).toArray()
  const drafts = [...(await draftsOf(deps, owner, intents)), ...lines.map(payoutOf)]
  return new Map(drafts.map((draft) => [nameOf(draft), draft]))
}

/** Yields the payments, refunds and payouts that must be booked by now. */
async function* dueSince(deps: DueDeps, owner: ChainOwner, pace: Pacer, from: Date) {
  const { businessId } = owner
  const period = { from, to: endOfTime }
  const reads = { ...deps, pace, projection }
  for (const index of ['byPaidAt', 'byRefundedAt'] as const)
    for await (const part of readIntentsInPeriod<Intent>(reads, index, owner, period)) {
      const drafts = await pace(() => draftsOf(deps, owner, part.found))
      const queued = new Set(part.found.flatMap(({ outbox }) => outbox.map(({ id }) => id)))
      const inPart = drafts.filter(({ occurredAt: at = from }) => at >= part.from && at < part.to)
      yield inPart.filter(({ _id }) => !queued.has(_id.slice(0, 24)))
    }
  // Payouts have no index, so all audit lines of the business are read.
  const lines = readInParts(pace, period, (at, limit) =>
    rawCollection(deps.AuditEvent)
      .find({ businessId, at }, { hint: 'byBusiness', limit, maxTimeMS })
      .toArray(),
  )
  const mode = modeOf(owner)
  for await (const { found } of lines)
    yield found.filter((line) => line.act === act && line.after?.mode === mode).map(payoutOf)
}

/** Reads the log last, because the relay may log an event meanwhile. */
async function draftsOf(deps: DueDeps, owner: ChainOwner, intents: Intent[]) {
  const references = intents.map(({ referenceNumber }) => referenceNumber)
  const loggedFields = { event: 1, referenceNumber: 1, 'facts.refund.id': 1 }
  const options = { hint: 'byReference', projection: loggedFields, maxTimeMS }
  const filter = { ...owner, referenceNumber: { $in: references } }
  const logged = await rawCollection(deps.LoggedEvent).find(filter, options).toArray()
  const ids = new Map(logged.map((each) => [keyOf(each, each), each._id]))
  for (const intent of intents) for (const each of intent.outbox) ids.set(keyOf(intent, each), each.id)
  return intents.flatMap((intent) => {
    const { payment, refunds } = intent
    const drafts = (event: 'payment.confirmed' | 'payment.refunded', createdAt?: Date, refund?: Refund) => {
      const facts = { ...payment, amount: payment?.amountPaid, refund } as unknown as EventFacts
      const id = ids.get(keyOf(intent, { event, facts }))
      const isCleaned = id === undefined && intent.createdAt.getTime() < deps.cleanedBefore
      return createdAt && !isCleaned
        ? buildEntryDrafts(intent, { id: id ?? '', event, createdAt, facts })
        : []
    }
    const refunded = refunds.flatMap((refund) => drafts('payment.refunded', refund.refundedAt, refund))
    return [...drafts('payment.confirmed', payment?.paidAt), ...refunded]
  })
}

const keyOf = (
  { referenceNumber }: { referenceNumber: string },
  { event, facts }: Pick<LoggedEvent, 'event' | 'facts'>,
) => `${referenceNumber} ${event} ${facts?.refund?.id}`

function payoutOf({ subject: _id, at, after }: AuditEvent): LedgerDraft {
  const amount = -Math.abs(Number(after?.amount))
  const payoutReference = String(after?.reference)
  return { _id, type: 'payout', amount, payoutReference, occurredAt: at, day: toUtcDay(at) }
}
