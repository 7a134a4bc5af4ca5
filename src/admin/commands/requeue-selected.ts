import { setTimeout as pause } from 'node:timers/promises'
import { spanFilter, upToNow } from '../../input/span.ts'
import { withoutUndefined } from '../../mongo/id-page.ts'
import { deadIn } from '../../webhooks/deliveries/backlog.ts'
import { countOutcomes, type OutcomeCounts, requeueAll, requeueBatch } from '../../webhooks/deliveries/requeue.ts'
import { createPace } from '../../work/pace.ts'
import { Failed, found } from './act.ts'
import type { AdminDeps } from './run.ts'

/** The options that select deliveries. Omitted options do not restrict the selection. */
export interface Selection {
  id?: string[]
  endpoint?: string
  business?: string
  from?: Date
  to?: Date
  status?: 'DEAD' | 'CANCELLED'
}

/** What came of the deliveries that matched. */
export type RequeueCounts = { matched: number } & OutcomeCounts

/** The command works without Redis, because workers also poll MongoDB for deliveries that are due. */
const withoutRedis = { enqueue: (): void => undefined }

/**
 * The minimum time between the starts of two consecutive full batches. A full batch contains 500 deliveries, so the
 * command re-queues at most 250 deliveries per second. This limit keeps the command from delaying other businesses'
 * deliveries.
 */
const batchEveryMs = 2000

/** Returns how many deliveries `requeueSelected` would select. Throws the same errors as that function. */
export async function countSelected(deps: AdminDeps, selection: Selection): Promise<number> {
  await expectExisting(deps, selection)
  return deps.Delivery.countDocuments(filterOf(deps, selection))
}

/**
 * Re-queues the deliveries that match `selection` when the command starts, and calls `advance` after each batch. Before
 * it changes anything, throws Failed if the business, the endpoint or one of the deliveries does not exist.
 */
export async function requeueSelected(
  deps: AdminDeps,
  selection: Selection,
  advance: (count: number) => void,
): Promise<RequeueCounts> {
  await expectExisting(deps, selection)
  let counts: RequeueCounts = { matched: 0, requeued: 0, skipped: {} }
  const filter = filterOf(deps, selection)
  // This signal is never aborted, because Ctrl-C ends the process immediately.
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

function filterOf(deps: AdminDeps, { id, endpoint, business, from, to, status }: Selection) {
  const named = withoutUndefined({ _id: id && { $in: id }, endpointId: endpoint, businessId: business })
  const span = upToNow(deps, { from: from ?? null, to: to ?? null })
  // A CANCELLED delivery has no `deadAt`, so the time span applies to `createdAt`. The filter names both environments
  // so that MongoDB can use the index on the business.
  if (status === 'CANCELLED')
    return { ...named, sandbox: { $in: [true, false] }, status, ...spanFilter('createdAt', span) }
  // If deliveries are selected only by id, the counts include all of them, whatever their status.
  const isNamedOnly = id !== undefined && status === undefined && from === undefined && to === undefined
  return isNamedOnly ? named : { ...named, ...deadIn(span) }
}

async function expectExisting(deps: AdminDeps, { id, endpoint, business }: Selection): Promise<void> {
  if (business !== undefined) found(await deps.Business.exists({ _id: business }), `There is no business ${business}`)
  if (endpoint !== undefined) found(await deps.Endpoint.exists({ _id: endpoint }), `There is no endpoint ${endpoint}`)
  if (id === undefined) return
  const existing = await deps.Delivery.find({ _id: { $in: id } }, { _id: 1 }).lean<{ _id: string }[]>()
  const known = new Set(existing.map(({ _id }) => _id))
  const missing = id.filter((each) => !known.has(each))
  if (missing.length > 0) throw new Failed(`There is no delivery ${missing.slice(0, 5).join(', ')}.`)
}
