import type { Act } from '../audit/acts.ts'
import { type AuditedDeps, audited } from '../audit/audited.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../platform/deps.ts'
import { newId } from '../platform/ids.ts'
import type { By } from '../security/actor.ts'
import {
  type Business,
  type BusinessLimits,
  type CommissionHistory,
  defaultLimits,
  maxRates,
  type RatesFrom,
} from './business.ts'

/** With `liveApproved`, live keys work immediately. */
export const createBusiness = (
  deps: Pick<Models, 'Business'> & AuditedDeps,
  input: Pick<Business, 'name' | 'liveApproved'>,
  by: By,
): Promise<Business> =>
  audited(deps, { documents: [], by }, async ({ session, at: createdAt, add }) => {
    const _id = newId()
    const rights = { apiEnabled: true, suspended: false, limits: defaultLimits }
    const business: Business = { _id, ...input, ...rights, commission: [], createdAt }
    await nativeCollection(deps.Business).insertOne(business, { session })
    await add({ act: 'business.created', subject: _id, businessId: _id, after: input })
    return business
  })

/** Omitted fields and limits keep their values. */
export interface BusinessChange extends Partial<Pick<Business, 'liveApproved' | 'apiEnabled' | 'suspended'>> {
  limits?: Partial<BusinessLimits>
}

/** Writes nothing if there's nothing to change. Returns the business after the change, or null if it doesn't exist. */
export const changeBusiness = (
  deps: Pick<Models, 'Business'> & AuditedDeps,
  id: string,
  change: BusinessChange,
  { act, ...by }: By & { act: Act },
): Promise<Business | null> =>
  audited(deps, { documents: [id], by }, async ({ session, add }) => {
    const businesses = nativeCollection(deps.Business)
    const found = await businesses.findOne({ _id: id }, { session })
    if (found === null) return null
    const after = byPath(change)
    const standing = byPath(found)
    const before = Object.fromEntries(Object.keys(after).map((path) => [path, standing[path] ?? null]))
    if (Object.keys(after).every((path) => after[path] === before[path])) return found
    await add({ act, subject: id, businessId: id, before, after })
    return businesses.findOneAndUpdate({ _id: id }, { $set: after }, { session, returnDocument: 'after' })
  })

/** Keys are MongoDB paths, for example `limits.perSecond`. */
function byPath({ liveApproved, apiEnabled, suspended, limits }: BusinessChange): Record<string, unknown> {
  const fields = { liveApproved, apiEnabled, suspended, ...prefixed(limits ?? {}) }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

const prefixed = (limits: Partial<BusinessLimits>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(limits).map(([name, value]) => [`limits.${name}`, value]))

/** They apply at once if `from` is null. */
export type NewRates = Omit<RatesFrom, 'from'> & { from: Date | null }

/** Nothing changes if the rates would begin in the past, or the history is full. */
export type SetCommission =
  | { result: 'set'; commission: CommissionHistory }
  | { result: 'not-found' | 'in-the-past' | 'full' }

/**
 * Rates that apply or once applied never change. Rates scheduled for this time or later are removed. Writes nothing if
 * the business already has these rates from then on.
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
    const earlier = { provider: last?.provider ?? null, payer: last?.payer ?? null }
    const after = { provider, payer, from, ...(removed === 0 ? {} : { scheduledRatesRemoved: removed }) }
    await add({ act: 'business.commission-set', subject: id, businessId: id, before: earlier, after })
    await businesses.updateOne({ _id: id }, { $set: { commission } }, { session })
    return { result: 'set', commission }
  })

/** For all businesses. Writes nothing if it's already on or off. */
export const switchApi = (
  deps: Pick<Models, 'Setting'> & AuditedDeps,
  enabled: boolean,
  by: By,
): Promise<void> =>
  audited(deps, { documents: ['api'], by }, async ({ session, add }) => {
    const settings = nativeCollection(deps.Setting)
    const before = (await settings.findOne({ _id: 'api' }, { session }))?.enabled ?? true
    if (before === enabled) return
    const act = enabled ? 'api.enabled' : 'api.disabled'
    await add({ act, subject: 'api', businessId: null, before: { enabled: before }, after: { enabled } })
    await settings.updateOne({ _id: 'api' }, { $set: { enabled } }, { session, upsert: true })
  })
