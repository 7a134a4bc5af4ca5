import { setTimeout as pause } from 'node:timers/promises'
import type { Actor } from '../../audit/audit-event.ts'
import { untilNow, within } from '../../input/span.ts'
import { createPace } from '../../retention/pace.ts'
import { newId } from '../../security/ids.ts'
import { deadIn } from '../../webhooks/deliveries/dead-in.ts'
import { requeueBatch } from '../../webhooks/deliveries/requeue.ts'
import { requeueAll } from '../../webhooks/deliveries/requeue-all.ts'
import { found } from './act.ts'
import { type AdminDeps, Failed } from './run.ts'

/** Which deliveries an operator means. What is left out narrows nothing. */
export interface Choice {
  id?: string[]
  endpoint?: string
  business?: string
  from?: Date
  to?: Date
  status?: 'DEAD' | 'CANCELLED'
}

/** How many were chosen, how many of them re-queued, and how many of the others for each reason. */
export type Tally = { matched: number; requeued: number; skipped: Record<string, number> }

/** Redis is not needed here: the workers poll for what is due. */
const withoutRedis = { enqueue: (): void => undefined }

/** 250 deliveries a second: the workers poll for what is due, and that of others must not wait behind this. */
const batchEveryMs = 2000

/** Counts what would be chosen. Throws as `requeueChosen` does. */
export async function countChosen(deps: AdminDeps, choice: Choice): Promise<number> {
  await expectThere(deps, choice)
  return deps.Delivery.countDocuments(selectionOf(deps, choice))
}

/**
 * Re-queues what was chosen, all that is there at the start, and tells `advance` of each batch. Throws Failed, before anything is
 * done, for a business, an endpoint or a delivery that does not exist.
 */
export async function requeueChosen(
  deps: AdminDeps,
  choice: Choice,
  actor: Actor,
  advance: (count: number) => void,
): Promise<Tally> {
  await expectThere(deps, choice)
  const tally: Tally = { matched: 0, requeued: 0, skipped: {} }
  const which = selectionOf(deps, choice)
  // Ctrl-C ends the process at once.
  const pace = createPace(new AbortController().signal, async () => undefined)
  const batches = requeueAll({ ...deps, ...withoutRedis }, which, { actor, actId: newId() })
  for (;;) {
    const startedAt = performance.now()
    const { done, value: outcomes } = await pace(() => batches.next())
    if (done) return tally
    tally.matched += outcomes.size
    for (const outcome of outcomes.values())
      if (outcome === 'requeued') tally.requeued += 1
      else tally.skipped[outcome] = (tally.skipped[outcome] ?? 0) + 1
    advance(outcomes.size)
    const restMs = batchEveryMs - (performance.now() - startedAt)
    if (outcomes.size === requeueBatch && restMs > 0) await pause(restMs)
  }
}

function selectionOf(deps: AdminDeps, { id, endpoint, business, from, to, status }: Choice) {
  const named = {
    ...(id === undefined ? {} : { _id: { $in: id } }),
    ...(endpoint === undefined ? {} : { endpointId: endpoint }),
    ...(business === undefined ? {} : { businessId: business }),
  }
  const span = untilNow(deps, { from: from ?? null, to: to ?? null })
  // A CANCELLED one has no time of death. Naming both environments lets MongoDB use the index by business.
  if (status === 'CANCELLED')
    return { ...named, sandbox: { $in: [true, false] }, status, ...within('createdAt', span) }
  // Who names deliveries wants to hear of each what became of it, whatever its status.
  const isNamedOnly = id !== undefined && status === undefined && from === undefined && to === undefined
  return isNamedOnly ? named : { ...named, ...deadIn(span) }
}

async function expectThere(deps: AdminDeps, { id, endpoint, business }: Choice): Promise<void> {
  if (business !== undefined)
    found(await deps.Business.exists({ _id: business }), `There is no business ${business}`)
  if (endpoint !== undefined)
    found(await deps.Endpoint.exists({ _id: endpoint }), `There is no endpoint ${endpoint}`)
  if (id === undefined) return
  const there = await deps.Delivery.find({ _id: { $in: id } }, { _id: 1 }).lean<{ _id: string }[]>()
  const known = new Set(there.map(({ _id }) => _id))
  const missing = id.filter((each) => !known.has(each))
  if (missing.length > 0) throw new Failed(`There is no delivery ${missing.slice(0, 5).join(', ')}.`)
}
