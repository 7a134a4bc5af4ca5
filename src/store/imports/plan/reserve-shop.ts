import { setTimeout as pause } from 'node:timers/promises'
import type { Caller } from '../../../businesses/caller.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../errors.ts'
import type { Effect } from '../../../idempotency/effect.ts'
import { isDuplicate, nativeCollection } from '../../../mongo/collection.ts'
import { newId } from '../../../security/ids.ts'
import { endPlan } from './end-plan.ts'
import { type FoundPlan, type ImportPlan, withoutPatches } from './plan.ts'

/**
 * How long the request that creates a plan holds the plan's lease. This is the maximum duration of a request. When the
 * lease ends, either the process has died, or the client is no longer waiting for the response.
 */
const leaseMs = 10_000
/** How often to check whether the other import of the shop has ended. */
const pollIntervalMs = 75
/**
 * The minimum time that an import must have left in order to start. An import with less time would not be finished
 * before the deadline.
 */
const minRemainingMs = 1_000

type ReserveDeps = Pick<Deps, 'Product' | 'ImportPlan' | 'now'>

/**
 * Inserts an open plan for the shop and returns the plan. If an earlier attempt at the same request has left a
 * committed plan, finishes that plan and returns it instead. If the earlier attempt has left an uncommitted plan, rolls
 * that plan back first. While another import of the shop is running, waits until that import ends. If the lease of the
 * other import expires, ends that import. Throws SERVICE_UNAVAILABLE if all this takes too long.
 */
export async function reserveShop(deps: ReserveDeps, caller: Caller, effect: Effect): Promise<FoundPlan> {
  const { businessId, sandbox } = caller
  const plans = nativeCollection(deps.ImportPlan)
  while (performance.now() < effect.deadlineAt - minRemainingMs) {
    const plan = newPlan(deps.now(), caller, effect.id)
    if (await insert(deps, plan)) return plan
    const found = await plans
      .find<FoundPlan>(
        { $or: [{ _id: effect.id }, { businessId, sandbox, open: true }] },
        { projection: withoutPatches },
      )
      .toArray()
    const own = found.find(({ _id }) => _id === effect.id)
    if (own?.state === 'done') return own
    const [other] = found
    // This request holds the claim, so no earlier attempt at the same request can still be running.
    if (own !== undefined) await endPlan(deps, own)
    else if (other !== undefined && other.leaseEndsAt <= deps.now()) await endPlan(deps, other)
    else await pause(pollIntervalMs)
  }
  throw refuse('SERVICE_UNAVAILABLE', {
    retryAfterSeconds: 5,
    message: 'Another import of this shop is running. Repeat the request later with the same idempotency key.',
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

/** Inserts a plan. Returns false if the shop already has an open plan, or if this request already has a plan. */
async function insert(deps: ReserveDeps, plan: ImportPlan): Promise<boolean> {
  try {
    await nativeCollection(deps.ImportPlan).insertOne(plan)
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}
