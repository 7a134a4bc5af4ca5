import type { Deps } from '../deps.ts'
import { newEvent } from '../webhooks/event.ts'
import { codeReusableFrom } from './code.ts'
import type { Intent } from './intent.ts'
import { type Move, type MoveName, moves } from './lifecycle.ts'
import { paymentPayload } from './payload.ts'

/**
 * THE write: guard, change and event together, in one update of one document. Nothing else sets a status.
 * `effectId` is the idempotency claim's, so that a retry of the same request finds its own change; null for the
 * service's own acts. Answers the intent after the move, or null when the guard refused.
 */
export async function transition(
  deps: Pick<Deps, 'Intent' | 'now'>,
  intent: Intent,
  name: MoveName,
  effectId: string | null,
): Promise<Intent | null> {
  const move: Move = moves[name]
  const now = deps.now()
  const at = move.at(intent, now)
  const change = { status: move.to, cancellationReason: move.cancellationReason, updatedAt: at }
  const event = newEvent(move.event, at, paymentPayload({ ...intent, ...change }))
  const { businessId, sandbox, _id } = intent
  const unlessDone = effectId === null ? {} : { effects: { $ne: effectId } }
  return deps.Intent.findOneAndUpdate(
    { businessId, sandbox, _id, status: { $in: move.from }, ...move.guard(now), ...unlessDone },
    {
      $set: change,
      $min: { codeReusableAt: codeReusableFrom(at) },
      $push: { outbox: event, ...(effectId === null ? {} : { effects: effectId }) },
    },
    { returnDocument: 'after' },
  ).lean<Intent | null>()
}
