import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { addAuditLine } from '../audit/audited.ts'
import type { Caller } from '../businesses/caller.ts'
import { effectResult, type OperationResult, type WriteRequest } from '../idempotency/request.ts'
import { noDeadline } from '../mongo/batchers.ts'
import { readTimeoutMs } from '../mongo/connect.ts'
import { type IndexWalk, readWalkPage, type WalkPageSize } from '../mongo/walk.ts'
import { wakeRelay } from '../outbox/event.ts'
import type { Deps } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { modeOf } from '../platform/mode.ts'
import type { Author } from '../security/actor.ts'
import { createPacer } from '../work/pace.ts'
import { findEarlierResult } from './effect.ts'
import { findIntentToChange, type IntentChangeDeps } from './find.ts'
import type { Intent } from './intent.ts'
import { isPending, transitions } from './lifecycle.ts'
import { intentAsOf, intentAsOfFields, presentIntent } from './present.ts'
import { applyTransition, createMarking, dropOldMarks } from './transition.ts'

/** SPEC 4.4. Throws INTENT_CANCEL_CONFLICT while a payment is running. */
export async function cancelIntent(
  deps: IntentChangeDeps,
  caller: Caller,
  referenceNumber: string,
  request: WriteRequest,
): Promise<OperationResult> {
  const { deadlineAt, cause } = request
  const before = await findIntentToChange(deps, caller, referenceNumber, request)
  const earlier = await findEarlierResult(deps, caller, before, request)
  if (earlier !== null) return earlier
  const now = deps.now()
  if (!isPending(intentAsOf(before, now).status)) throw refuse('INTENT_CANCEL_INVALID_STATUS')
  await dropOldMarks(deps, before, deadlineAt)
  const marking = createMarking(request, now)
  // Without this, the response could lack a concurrent payment's failure.
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

/** `ended` means that the intent was already PAID, CANCELLED or expired. */
export type CancelResult = 'cancelled' | 'being-paid' | 'ended'

interface CancelRun extends Author {
  pending: number
  ending: AbortSignal
  count(results: readonly CancelResult[]): void
}

type CancelDeps = Pick<Deps, 'Intent' | 'AuditEvent' | 'batchers' | 'metrics' | 'now' | 'enqueue'>

/** A page takes up to 13 MB, mostly for metadata (153 KB per intent). */
const pageSize = {
  documents: 50,
  projection: { outbox: 0 },
  maxTimeMS: readTimeoutMs,
} as const satisfies WalkPageSize

/** Cancels 100 intents per second, the default rate limit of an API key. */
const batchEveryMs = 500

export function countCancellableIntents({ Intent }: Pick<Deps, 'Intent'>, selection: CancelSelection) {
  const { where, before, index } = walkOf(selection)
  const options = { hint: index, maxTimeMS: readTimeoutMs }
  return Intent.countDocuments({ ...where, createdAt: { $lt: before } }, options).exec()
}

/** To continue a run that was stopped, simply start another. */
export async function cancelIntents(
  deps: CancelDeps,
  selection: CancelSelection,
  { ending, count, pending, ...by }: CancelRun,
): Promise<void> {
  const id = newId()
  const { businessId, sandbox, createdBefore } = selection
  const after = { mode: modeOf({ sandbox }), createdBefore, pending }
  const line = { _id: id, act: 'intents.cancelled', subject: businessId, businessId, after } as const
  const pace = createPacer(ending)
  let last: Intent | null = null
  let isRecorded = false
  for (;;) {
    const startedAt = performance.now()
    const page: Intent[] = await pace(async () => {
      const found = await readWalkPage(deps.Intent, walkOf(selection), last, pageSize)
      if (!isRecorded && found.some((intent) => isCancellable(intent, deps.now()))) {
        await addAuditLine(deps, by, line)
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
  intent.hold === null && isPending(intentAsOf(intent, now).status)

const walkOf = ({ businessId, sandbox, createdBefore: before }: CancelSelection): IndexWalk => ({
  index: 'byStatus',
  where: { businessId, sandbox, status: { $in: transitions.cancelByOperator.from } },
  from: null,
  before,
})

async function cancelPage(deps: CancelDeps, page: Intent[], key: string): Promise<CancelResult[]> {
  const at = deps.now()
  const marking = createMarking({ key, paramsHash: '', arrivedAt: at }, at)
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
  const found = await deps.Intent.find({ _id: { $in: ids } }, intentAsOfFields).lean<Intent[]>()
  return new Set(found.filter((intent) => isPending(intentAsOf(intent, now).status)).map(({ _id }) => _id))
}
