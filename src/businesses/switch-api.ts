import type { By } from '../audit/audit-event.ts'
import { type AuditedDeps, audited } from '../audit/audited.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'

/** Turns the developer API on or off for all businesses. Writes nothing if it is already on or off. */
export const switchApi = (deps: Pick<Models, 'Setting'> & AuditedDeps, enabled: boolean, by: By): Promise<void> =>
  audited(deps, { documents: ['api'], by }, async ({ session, add }) => {
    const settings = nativeCollection(deps.Setting)
    const before = (await settings.findOne({ _id: 'api' }, { session }))?.enabled ?? true
    if (before === enabled) return
    const act = enabled ? 'api.enabled' : 'api.disabled'
    await add({ act, subject: 'api', businessId: null, before: { enabled: before }, after: { enabled } })
    await settings.updateOne({ _id: 'api' }, { $set: { enabled } }, { session, upsert: true })
  })
