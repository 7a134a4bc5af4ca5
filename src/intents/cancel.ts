import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { addLine } from '../audit/audited.ts'
import type { Caller } from '../businesses/caller.ts'
import { effectResult, type OperationResult, type WriteRequest } from '../idempotency/request.ts'
import { noDeadline } from '../mongo/batchers.ts'
import { slowReadMs } from '../mongo/connect.ts'
import { type PageSize, readWalkPage, type Walk } from '../mongo/walk.ts'
import { wakeRelay } from '../outbox/event.ts'
import type { Deps } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { modeOf } from '../platform/mode.ts'
import type { By } from '../security/actor.ts'
import { createPace } from '../work/pace.ts'
import { findEarlier } from './effect.ts'
import { type ChangeDeps, findIntentToChange } from './find.ts'
import type { Intent } from './intent.ts'
import { isPending, transitions } from './lifecycle.ts'
import { asOf, expiryFields, presentIntent } from './present.ts'
import { applyTransition, dropOldMarks, markingOf } from './transition.ts'

/** SPEC 4.4. Throws INTENT_CANCEL_CONFLICT if a payment holds the intent or another write got there first. */
export async function cancelIntent(
  deps: ChangeDeps,
  caller: Caller,
  referenceNumber: string,
  request: WriteRequest,
): Promise<OperationResult> {
  const { deadlineAt, cause } = request
  const before = await findIntentToChange(deps, caller, referenceNumber, request)
  const earlier = await findEarlier(deps, caller, before, request)
  if (earlier !== null) return earlier
  const now = deps.now()
  if (!isPending(asOf(before, now).status)) throw refuse('INTENT_CANCEL_INVALID_STATUS')
  await dropOldMarks(deps, before, deadlineAt)
  const marking = markingOf(request, now)
  // Without this guard, a payment that fails after the read would be missing from the response.
  const guard = { failure: before.failure }
  const cancelled = await applyTransition(deps, before, { name: 'cancel', marking, cause, guard }, deadlineAt)
  if (cancelled === null) {
    const { failure } = await findIntentToChange(deps, caller, referenceNumber, request)
    if (!isDeepStrictEqual(failure, before.failure))
      return cancelIntent(deps, caller, referenceNumber, request)
    throw refuse('INTENT_CANCEL_CONFLICT')
  }
  wakeRelay(deps, cancelled)
  return effectResult(marking.mark, presentIntent(deps.config, { ...cancelled, refunds: [] }, now), false)
}

export interface CancelSelection {
  businessId: string
  sandbox: boolean
  createdBefore: Date
}

/** `ended`: the intent had already been paid or cancelled, or had expired. */
export type CancelResult = 'cancelled' | 'being-paid' | 'ended'

interface CancelRun extends By {
  pending: number
  /** Stops the run after the current page. */
  ending: AbortSignal
  count(results: readonly CancelResult[]): void
}

type CancelDeps = Pick<Deps, 'Intent' | 'AuditEvent' | 'batchers' | 'metrics' | 'now' | 'enqueue'>

/** A page takes up to 13 MB, mostly for metadata (153 KB per intent). */
const pageSize = {
  documents: 50,
  projection: { outbox: 0 },
  maxTimeMS: slowReadMs,
} as const satisfies PageSize

/** Cancels 100 intents per second, like the default rate limit of an API key. */
const batchEveryMs = 500

export const countCancellable = (deps: Pick<Deps, 'Intent'>, selection: CancelSelection): Promise<number> => {
  const { where, before, index } = walkOf(selection)
  return deps.Intent.countDocuments({ ...where, createdAt: { $lt: before } })
    .hint(index)
    .maxTimeMS(pageSize.maxTimeMS)
    .exec()
}

/** You can simply restart a stopped run. Cancelled intents keep the id of the run's audit line. */
export async function cancelAll(
  deps: CancelDeps,
  selection: CancelSelection,
  { ending, count, pending, ...by }: CancelRun,
): Promise<void> {
  const id = newId()
  const { businessId, sandbox, createdBefore } = selection
  const after = { mode: modeOf({ sandbox }), createdBefore, pending }
  const pace = createPace(ending)
  let last: Intent | null = null
  let isRecorded = false
  for (;;) {
    const startedAt = performance.now()
    const page: Intent[] = await pace(async () => {
      const found = await readWalkPage(deps.Intent, walkOf(selection), last, pageSize)
      if (!isRecorded && found.some((intent) => isCancellable(intent, deps.now()))) {
        await addLine(deps, by, { _id: id, act: 'intents.cancelled', subject: businessId, businessId, after })
        isRecorded = true
      }
      count(await cancelPage(deps, found, id))
      return found
    })
    last = page.at(-1) ?? null
    if (last === null || page.length < pageSize.documents) return
    const restMs = batchEveryMs - (performance.now() - startedAt)
    if (restMs > 0) await pause(restMs, undefined, { signal: ending })
  }
}

const isCancellable = (intent: Intent, now: Date): boolean =>
  intent.hold === null && isPending(asOf(intent, now).status)

const walkOf = ({ businessId, sandbox, createdBefore: before }: CancelSelection): Walk => ({
  index: 'byStatus',
  where: { businessId, sandbox, status: { $in: transitions.cancelByOperator.from } },
  from: null,
  before,
})

async function cancelPage(deps: CancelDeps, page: Intent[], key: string): Promise<CancelResult[]> {
  const at = deps.now()
  const marking = markingOf({ key, paramsHash: '', arrivedAt: at }, at)
  const input = { name: 'cancelByOperator', marking, cause: null } as const
  const cancelled = await Promise.all(page.map((intent) => applyTransition(deps, intent, input, noDeadline)))
  for (const intent of cancelled) if (intent !== null) wakeRelay(deps, intent)
  const refused = page.filter((_, index) => cancelled[index] === null)
  const open = refused.length === 0 ? new Set() : await stillOpen(deps, refused)
  return page.map(({ _id }, index) => {
    if (cancelled[index] !== null) return 'cancelled'
    return open.has(_id) ? 'being-paid' : 'ended'
  })
}

async function stillOpen(deps: CancelDeps, intents: readonly Intent[]): Promise<Set<string>> {
  const now = deps.now()
  const ids = intents.map(({ _id }) => _id)
  const found = await deps.Intent.find({ _id: { $in: ids } }, expiryFields).lean<Intent[]>()
  return new Set(found.filter((intent) => isPending(asOf(intent, now).status)).map(({ _id }) => _id))
}
