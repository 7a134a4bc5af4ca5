import { setTimeout as pause } from 'node:timers/promises'
import type { Caller } from '../../../businesses/caller.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../errors.ts'
import type { Effect } from '../../../idempotency/effect.ts'
import { isDuplicate, nativeCollection } from '../../../mongo/collection.ts'
import { newId } from '../../../security/ids.ts'
import { endPlan } from './end-plan.ts'
import { type FoundPlan, type ImportPlan, withoutPatches } from './plan.ts'

/** As long as a request may live: after that its process is dead, or nobody waits for its answer any more. */
const leaseMs = 10_000
/** How often who waits for another import looks. */
const pollIntervalMs = 75
/** Who has less time left than this does not begin: nothing of it is left behind then. */
const minRemainingMs = 1_000

type ReserveDeps = Pick<Deps, 'Product' | 'ImportPlan' | 'now'>

/**
 * Takes the shop's one place for an import, and answers its plan; or the plan of an earlier try of the same request that was committed, now
 * done. Another import under way is waited for; one whose lease is over was left behind, and is ended. SERVICE_UNAVAILABLE when the wait is too long.
 */
export async function reserveShop(deps: ReserveDeps, caller: Caller, effect: Effect): Promise<FoundPlan> {
  const { businessId, sandbox } = caller
  const plans = nativeCollection(deps.ImportPlan)
  while (performance.now() < effect.deadlineAt - minRemainingMs) {
    const plan = newPlan(deps.now(), caller, effect.id)
    if (await insert(deps, plan)) return plan
    const standing = await plans
      .find<FoundPlan>(
        { $or: [{ _id: effect.id }, { businessId, sandbox, open: true }] },
        { projection: withoutPatches },
      )
      .toArray()
    const own = standing.find(({ _id }) => _id === effect.id)
    if (own?.state === 'done') return own
    const [other] = standing
    // Who holds the claim of a request need not wait for its earlier try.
    if (own !== undefined) await endPlan(deps, own)
    else if (other !== undefined && other.leaseEndsAt <= deps.now()) await endPlan(deps, other)
    else await pause(pollIntervalMs)
  }
  throw refuse('SERVICE_UNAVAILABLE', {
    retryAfterSeconds: 5,
    message:
      'Another import of this shop is running. Repeat the request later with the same idempotency key.',
  })
}

const newPlan = (now: Date, { businessId, sandbox }: Caller, effectId: string): ImportPlan => ({
  _id: effectId,
  businessId,
  sandbox,
  open: true,
  state: 'preparing',
  token: newId(),
  leaseEndsAt: new Date(now.getTime() + leaseMs),
  patches: [],
  counts: { created: 0, updated: 0, unchanged: 0, variants: 0, rows: 0 },
  createdAt: now,
})

/** False where the shop's place is taken, or this request has a plan already. */
async function insert(deps: ReserveDeps, plan: ImportPlan): Promise<boolean> {
  try {
    await nativeCollection(deps.ImportPlan).insertOne(plan)
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}
