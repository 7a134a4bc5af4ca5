import type { mongo } from 'mongoose'
import type { AuditAction } from '../audit/acts.ts'
import { type AuditedDeps, runAudited } from '../audit/audited.ts'
import { rawCollection } from '../mongo/collection.ts'
import type { Models } from '../platform/deps.ts'
import { newId } from '../platform/ids.ts'
import { omitUndefined } from '../platform/without-undefined.ts'
import type { Author } from '../security/actor.ts'
import { type Business, maxRateEntries, unsetLimits } from './business.ts'

type BusinessDeps = Pick<Models, 'Business'> & AuditedDeps

export const createBusiness = (
  deps: BusinessDeps,
  input: Pick<Business, 'name' | 'liveApproved'>,
  by: Author,
): Promise<Business> =>
  runAudited(deps, { documents: [], by }, async ({ session, at: createdAt, add }) => {
    const _id = newId()
    const initial = { apiEnabled: true, suspended: false, limits: unsetLimits, commission: [] }
    const business: Business = { _id, ...input, ...initial, createdAt }
    await rawCollection(deps.Business).insertOne(business, { session })
    await add({ act: 'business.created', subject: _id, businessId: _id, after: input })
    return business
  })

export interface BusinessChange extends Partial<Pick<Business, 'liveApproved' | 'apiEnabled' | 'suspended'>> {
  limits?: Partial<Business['limits']>
}

export const changeBusiness = (
  deps: BusinessDeps,
  id: string,
  change: BusinessChange,
  { act, ...by }: Author & { act: AuditAction },
): Promise<Business | null> =>
  runAudited(deps, { documents: [id], by }, async ({ session, add }) => {
    const businesses = rawCollection(deps.Business)
    const found = await businesses.findOne({ _id: id }, { session })
    if (found === null) return null
    const after = byPath(change)
    const standing = byPath(found)
    const before = Object.fromEntries(Object.keys(after).map((path) => [path, standing[path] ?? null]))
    if (Object.keys(after).every((path) => after[path] === before[path])) return found
    await add({ act, subject: id, businessId: id, before, after })
    const ended = change.liveApproved === true && { $unset: { liveRequest: 1 } as const }
    const options = { session, returnDocument: 'after' } as const
    return businesses.findOneAndUpdate({ _id: id }, { $set: after, ...ended }, options)
  })

/** False if it has been requested or approved already. */
export const requestLiveAccess = (deps: BusinessDeps, id: string, by: Author): Promise<boolean> =>
  runAudited(deps, { documents: [id], by }, async ({ session, at, add }) => {
    const liveRequest = { at, personId: by.actor.name }
    const { modifiedCount } = await rawCollection(deps.Business).updateOne(
      { _id: id, liveApproved: false, liveRequest: { $exists: false } },
      { $set: { liveRequest } },
      { session },
    )
    if (modifiedCount > 0) await add({ act: 'business.live-requested', subject: id, businessId: id })
    return modifiedCount > 0
  })

/** Two transactions that lock the same business conflict. Returns how many of them exist. */
export const lockBusinesses = async (
  { Business: model }: Pick<Models, 'Business'>,
  session: mongo.ClientSession,
  ids: readonly string[],
): Promise<number> => {
  const lock = { $inc: { lockCount: 1 } }
  const found = await rawCollection(model).updateMany({ _id: { $in: [...ids] } }, lock, { session })
  return found.matchedCount
}

/** Keys are MongoDB paths, e.g. `limits.perSecond`. */
function byPath({ limits = {}, ...rights }: BusinessChange): Record<string, unknown> {
  const { liveApproved, apiEnabled, suspended } = rights
  const ofLimits = Object.entries(limits).map(([name, value]) => [`limits.${name}`, value])
  return omitUndefined({ liveApproved, apiEnabled, suspended, ...Object.fromEntries(ofLimits) })
}

export type CommissionResult =
  | { result: 'set'; commission: Business['commission'] }
  | { result: 'not-found' | 'in-the-past' | 'full' }

/** Removes rates scheduled for `from` or later, but keeps the current ones. */
export const setCommission = (
  deps: BusinessDeps,
  id: string,
  { provider, payer, from: wantedFrom }: { provider: number; payer: number; from: Date | null },
  by: Author,
): Promise<CommissionResult> =>
  runAudited(deps, { documents: [id], by }, async ({ session, at: now, add }) => {
    const businesses = rawCollection(deps.Business)
    const found = await businesses.findOne({ _id: id }, { session, projection: { commission: 1 } })
    if (found === null) return { result: 'not-found' }
    const from = wantedFrom ?? now
    if (from < now) return { result: 'in-the-past' }
    const { commission: before } = found
    const kept = before.filter((each) => each.from <= now || each.from < from)
    const last = kept.at(-1)
    const isSame = last?.provider === provider && last.payer === payer
    if (isSame && kept.length === before.length) return { result: 'set', commission: before }
    const commission = isSame ? kept : [...kept, { from, provider, payer }]
    if (commission.length > maxRateEntries) return { result: 'full' }
    const removed = before.length - kept.length
    const earlier = { provider: last?.provider ?? null, payer: last?.payer ?? null }
    const after = { provider, payer, from, ...(removed > 0 && { scheduledRatesRemoved: removed }) }
    await add({ act: 'business.commission-set', subject: id, businessId: id, before: earlier, after })
    await businesses.updateOne({ _id: id }, { $set: { commission } }, { session })
    return { result: 'set', commission }
  })

type SwitchDeps = Pick<Models, 'Setting'> & AuditedDeps

export const switchApi = (deps: SwitchDeps, enabled: boolean, by: Author): Promise<void> =>
  runAudited(deps, { documents: ['api'], by }, async ({ session, add }) => {
    const settings = rawCollection(deps.Setting)
    const before = (await settings.findOne({ _id: 'api' }, { session }))?.enabled ?? true
    if (before === enabled) return
    const act = enabled ? 'api.enabled' : 'api.disabled'
    await add({ act, subject: 'api', businessId: null, before: { enabled: before }, after: { enabled } })
    await settings.updateOne({ _id: 'api' }, { $set: { enabled } }, { session, upsert: true })
  })
