import { setTimeout as pause } from 'node:timers/promises'
import { spanFilter, upToNow } from '../../input/span.ts'
import { withoutUndefined } from '../../mongo/id-page.ts'
import { deadIn } from '../../webhooks/deliveries/backlog.ts'
import {
  countOutcomes,
  type OutcomeCounts,
  requeueAll,
  requeueBatch,
} from '../../webhooks/deliveries/requeue.ts'
import { createPace } from '../../work/pace.ts'
import { CommandFailed, orFail } from './act.ts'
import type { AdminDeps } from './run.ts'

/** Omitted options match everything. */
export interface DeliverySelection {
  id?: string[]
  endpoint?: string
  business?: string
  from?: Date
  to?: Date
  status?: 'DEAD' | 'CANCELLED'
}

export type RequeueCounts = { matched: number } & OutcomeCounts

/** Redis isn't needed, because workers also poll MongoDB for deliveries that are due. */
const withoutRedis = { enqueue: (): void => undefined }

/** Between the starts of two batches of 500. More than 250 deliveries per second would delay other businesses. */
const batchEveryMs = 2000

/** Throws the same errors as `requeueSelected`. */
export async function countSelected(deps: AdminDeps, selection: DeliverySelection): Promise<number> {
  await expectExisting(deps, selection)
  return deps.Delivery.countDocuments(filterOf(deps, selection))
}

/**
 * Re-queues what matches `selection` when the command starts, and calls `advance` after each batch. Before any change,
 * throws Failed if the business, the endpoint or one of the deliveries doesn't exist.
 */
export async function requeueSelected(
  deps: AdminDeps,
  selection: DeliverySelection,
  advance: (count: number) => void,
): Promise<RequeueCounts> {
  await expectExisting(deps, selection)
  let counts: RequeueCounts = { matched: 0, requeued: 0, skipped: {} }
  const filter = filterOf(deps, selection)
  // Never aborted: Ctrl-C ends the process immediately.
  const pace = createPace(new AbortController().signal, async () => undefined)
  const batches = requeueAll({ ...deps, ...withoutRedis }, filter, deps.by)
  for (;;) {
    const startedAt = performance.now()
    const { done, value: outcomes } = await pace(() => batches.next())
    if (done) return counts
    counts = { ...countOutcomes(outcomes, counts), matched: counts.matched + outcomes.size }
    advance(outcomes.size)
    const restMs = batchEveryMs - (performance.now() - startedAt)
    if (outcomes.size === requeueBatch && restMs > 0) await pause(restMs)
  }
}

function filterOf(deps: AdminDeps, { id, endpoint, business, from, to, status }: DeliverySelection) {
  const named = withoutUndefined({ _id: id && { $in: id }, endpointId: endpoint, businessId: business })
  const span = upToNow(deps, { from: from ?? null, to: to ?? null })
  // A CANCELLED delivery has no `deadAt`, so the time span applies to `createdAt`. Naming both environments lets
  // MongoDB use the index on the business.
  if (status === 'CANCELLED')
    return { ...named, sandbox: { $in: [true, false] }, status, ...spanFilter('createdAt', span) }
  // Selected only by id, all deliveries count, whatever their status.
  const isNamedOnly = id !== undefined && status === undefined && from === undefined && to === undefined
  return isNamedOnly ? named : { ...named, ...deadIn(span) }
}

async function expectExisting(deps: AdminDeps, { id, endpoint, business }: DeliverySelection): Promise<void> {
  if (business !== undefined)
    orFail(await deps.Business.exists({ _id: business }), `There is no business ${business}`)
  if (endpoint !== undefined)
    orFail(await deps.Endpoint.exists({ _id: endpoint }), `There is no endpoint ${endpoint}`)
  if (id === undefined) return
  const existing = await deps.Delivery.find({ _id: { $in: id } }, { _id: 1 }).lean<{ _id: string }[]>()
  const known = new Set(existing.map(({ _id }) => _id))
  const missing = id.filter((each) => !known.has(each))
  if (missing.length > 0) throw new CommandFailed(`There is no delivery ${missing.slice(0, 5).join(', ')}.`)
}
