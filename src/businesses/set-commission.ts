import { auditLine, type By } from '../audit/audit-event.ts'
import { publishAudit } from '../audit/publish.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import type { Business } from './business.ts'
import { type CommissionHistory, maxRates, type RatesFrom } from './commission-rates.ts'

/** New rates of a business. If `from` is null, they apply at once. */
export type NewRates = Omit<RatesFrom, 'from'> & { from: Date | null }

/** The result of a change of the rates. Nothing changes if the rates would begin in the past or the history is full. */
export type SetCommission =
  | { result: 'set'; commission: CommissionHistory }
  | { result: 'not-found' | 'in-the-past' | 'full' }

/**
 * Sets the commission rates of a business as of a time, and records the change for the audit trail in the same write.
 * Rates that already apply or once applied never change. Rates that are scheduled for this time or later are removed.
 * Writes nothing if the business already has these rates from then on.
 */
export async function setCommission(
  deps: Pick<Models, 'Business' | 'AuditEvent'> & { now(): Date },
  id: string,
  rates: NewRates,
  by: By,
): Promise<SetCommission> {
  const found = await deps.Business.findOne({ _id: id }, { commission: 1 }).lean<Pick<Business, 'commission'> | null>()
  if (found === null) return { result: 'not-found' }
  const now = deps.now()
  const { provider, payer } = rates
  const from = rates.from ?? now
  if (from < now) return { result: 'in-the-past' }
  const { commission: before } = found
  const kept = before.filter((each) => each.from <= now || each.from < from)
  const last = kept.at(-1)
  const isSame = last?.provider === provider && last.payer === payer
  if (isSame && kept.length === before.length) return { result: 'set', commission: before }
  const after = isSame ? kept : [...kept, { from, provider, payer }]
  if (after.length > maxRates) return { result: 'full' }
  const removed = before.length - kept.length
  const line = auditLine({
    at: now,
    ...by,
    act: 'business.commission-set',
    subject: id,
    businessId: id,
    before: { provider: last?.provider ?? null, payer: last?.payer ?? null },
    after: { provider, payer, from, ...(removed === 0 ? {} : { scheduledRatesRemoved: removed }) },
  })
  const changed = await nativeCollection(deps.Business).findOneAndUpdate(
    { _id: id, commission: before },
    { $set: { commission: after }, $push: { unaudited: line } },
    { returnDocument: 'after' },
  )
  // Another write changed the rates after this function read them, so the function starts again.
  if (changed === null) return setCommission(deps, id, rates, by)
  await publishAudit(deps, deps.Business, [changed])
  return { result: 'set', commission: after }
}
