import type { By } from '../audit/audit-event.ts'
import { type AuditedDeps, audited } from '../audit/audited.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import { type CommissionHistory, maxRates, type RatesFrom } from './commission-rates.ts'

/** New rates of a business. If `from` is null, they apply at once. */
export type NewRates = Omit<RatesFrom, 'from'> & { from: Date | null }

/** The result of a change of the rates. Nothing changes if the rates would begin in the past or the history is full. */
export type SetCommission =
  | { result: 'set'; commission: CommissionHistory }
  | { result: 'not-found' | 'in-the-past' | 'full' }

/**
 * Sets the commission rates of a business as of a time. Rates that already apply or once applied never change. Rates
 * that are scheduled for this time or later are removed. Writes nothing if the business already has these rates from
 * then on.
 */
export const setCommission = (
  deps: Pick<Models, 'Business'> & AuditedDeps,
  id: string,
  rates: NewRates,
  by: By,
): Promise<SetCommission> =>
  audited(deps, { documents: [id], by }, async ({ session, at: now, add }) => {
    const businesses = nativeCollection(deps.Business)
    const found = await businesses.findOne({ _id: id }, { session, projection: { commission: 1 } })
    if (found === null) return { result: 'not-found' }
    const { provider, payer } = rates
    const from = rates.from ?? now
    if (from < now) return { result: 'in-the-past' }
    const { commission: before } = found
    const kept = before.filter((each) => each.from <= now || each.from < from)
    const last = kept.at(-1)
    const isSame = last?.provider === provider && last.payer === payer
    if (isSame && kept.length === before.length) return { result: 'set', commission: before }
    const commission = isSame ? kept : [...kept, { from, provider, payer }]
    if (commission.length > maxRates) return { result: 'full' }
    const removed = before.length - kept.length
    await add({
      act: 'business.commission-set',
      subject: id,
      businessId: id,
      before: { provider: last?.provider ?? null, payer: last?.payer ?? null },
      after: { provider, payer, from, ...(removed === 0 ? {} : { scheduledRatesRemoved: removed }) },
    })
    await businesses.updateOne({ _id: id }, { $set: { commission } }, { session })
    return { result: 'set', commission }
  })
