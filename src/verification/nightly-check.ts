import { toReadableDate } from '../audit/audit-event.ts'
import { nullIfDuplicate, rawCollection } from '../mongo/collection.ts'
import { isMongoUnreachable, readTimeoutMs as maxTimeMS } from '../mongo/connect.ts'
import type { Models } from '../platform/deps.ts'
import { hourMs } from '../platform/time.ts'
import { lastNightDue } from '../retention/record.ts'
import { findServiceKey } from '../security/service-keys.ts'
import { LeaseLost, takeLongLease } from '../work/lease.ts'
import type { PolledWork } from '../work/loop.ts'
import { createPacer, type Pacer } from '../work/pace.ts'
import { type AuditCheck, arrayOrEmpty, digestRecord, sanitiseSeal } from './seal.ts'
import { type SealDeps, sealAuditTrail } from './seal-trail.ts'
import { type VerifyLedgerDeps, verifyLedgers } from './verify-ledger.ts'
import { verifyAuditTrail } from './verify-trail.ts'

type CheckDeps = SealDeps & VerifyLedgerDeps & Pick<Models, 'AuditCheck' | 'Business'>

const wholeEveryMs = 6.5 * 24 * hourMs
const maxSkewMs = hourMs

/** A check that keeps failing runs once a minute. */
export const nightlyAuditCheck: PolledWork = {
  name: 'audit-check',
  queue: 'retention',
  everyMs: 60_000,
  isLong: true,
  async run(deps, ending) {
    if (!(await isAuditCheckDue(deps))) return 0
    const [leases, holder] = [rawCollection(deps.CheckLease), { _id: 'check', work: 'check' }]
    const lease = await takeLongLease(leases, holder, deps.now, { upsert: true }).catch(nullIfDuplicate)
    if (lease === null) return 0
    await checkAuditTrail(deps, ending, () => lease.renew({}))
    await lease.end({})
    return 0
  },
}

/**
 * Verifies everything once a week and after a fault, otherwise only what is
 * new. Never throws, because the next run repeats a check that failed.
 */
export async function checkAuditTrail(
  deps: CheckDeps,
  ending: AbortSignal,
  renew: () => Promise<void> = async () => undefined,
): Promise<void> {
  try {
    const found = await findLatestCheck(deps)
    const before = found && (await isGenuine(deps, found)) ? found : null
    if (before !== null && before.at >= lastNightDue(deps.now())) return
    const pace = createPacer(ending, renew)
    const { heads, faults: ledgerFaults, failed } = await verifyLedgers(deps, pace)
    for (const fault of ledgerFaults) deps.log.error(fault, 'ledger.tampered')
    for (const fault of failed) deps.log.error(fault, 'ledger.not-verified')
    const key = await sealAuditTrail(deps, pace, heads)
    const at = deps.now()
    const isWholeDue =
      before === null || before.faultCount > 0 || at.getTime() - before.wholeAt.getTime() > wholeEveryMs
    const recent = isWholeDue ? null : await verifyRecent(deps, pace, before)
    const { last, ...result } = recent ?? (await verifyAuditTrail(deps, pace, before?.last ?? null))
    if (found !== before) {
      result.faultCount += 1
      result.faults.unshift('The result of the last check was changed, or is dated in the future.')
    }
    const wholeAt = recent && before ? before.wholeAt : at
    const check = { _id: 'latest' as const, at, last, ...result, wholeAt }
    const stored = { ...check, digest: digestRecord(key, 'check', check) }
    await rawCollection(deps.AuditCheck).replaceOne({ _id: 'latest' }, stored, { upsert: true })
    const { seals, lines, faults, faultCount } = result
    if (faultCount > 0) deps.log.error({ seals, lines, faultCount, faults }, 'audit.tampered')
    else deps.log.info({ seals, lines, ...last }, 'audit.verified')
  } catch (err) {
    if (ending.aborted) return
    if (isMongoUnreachable(err) || err instanceof LeaseLost) deps.log.warn({ err }, 'audit.not-checked')
    else deps.log.error({ err }, 'audit.not-checked')
  }
}

/** Returns null if all seals must be verified. */
async function verifyRecent(deps: CheckDeps, pace: Pacer, { last, lines }: AuditCheck) {
  const seals = rawCollection(deps.AuditSeal)
  const verified = last && sanitiseSeal(await seals.findOne({ _id: last.number }, { maxTimeMS }))
  if (!verified) return null
  const start = sanitiseSeal(await seals.findOne({ _id: verified._id - 1 }, { maxTimeMS }))
  const recent = await verifyAuditTrail(deps, pace, last, { last: start, lines: lines - verified.ids.length })
  const marked = { seal: { $gte: 1, $lte: recent.seals } }
  const count = rawCollection(deps.AuditEvent).countDocuments(marked, { hint: 'bySeal', maxTimeMS })
  const isWhole = recent.faultCount === 0 && (await count.catch(() => null)) === recent.lines
  return isWhole ? recent : null
}

async function isGenuine(deps: CheckDeps, check: AuditCheck): Promise<boolean> {
  const key = await findServiceKey(deps, 'audit').catch(() => null)
  return (
    key !== null &&
    check.digest === digestRecord(key, 'check', check) &&
    check.at.getTime() <= deps.now().getTime() + maxSkewMs
  )
}

/** The first check is due on the night after the first audit line. */
export async function isAuditCheckDue(deps: CheckDeps): Promise<boolean> {
  const due = lastNightDue(deps.now())
  const check = await findLatestCheck(deps)
  if (check !== null) return check.at < due || !(await isGenuine(deps, check))
  return (await deps.AuditEvent.exists({ at: { $lt: due } })) !== null
}

/** Replaces fields of a wrong type, because the document may be forged. */
export async function findLatestCheck({
  AuditCheck: model,
}: Pick<Models, 'AuditCheck'>): Promise<AuditCheck | null> {
  const found = await model.findOne({ _id: 'latest' }).lean<AuditCheck | null>()
  const faultCount = Number.isSafeInteger(found?.faultCount) ? Number(found?.faultCount) : 1
  return found && { ...found, at: toReadableDate(found.at), faults: arrayOrEmpty(found.faults), faultCount }
}
