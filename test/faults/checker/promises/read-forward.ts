import type { Call } from '../../evidence/evidence.ts'
import type { Status } from '../documents.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { intentsIn, isReplay, type ShownIntent } from '../views/answers.ts'
import { groupsOf } from '../views/groups.ts'
import { mayBecome } from '../views/moves.ts'

interface Sight {
  call: Call
  shown: ShownIntent
}

/**
 * Reads never go back: what one answer showed, every request that began after it shows too, or what came of it. So a merchant reads their own
 * writes, over every change of MongoDB's primary.
 */
export const readForward: Judge = function* (round) {
  const sights: Sight[] = round.calls.flatMap((call) => intentsIn(call).map((shown) => ({ call, shown })))
  for (const [of, some] of groupsOf(sights, ({ shown }) => shown.referenceNumber))
    yield* inOrder(round, of, some)
}

/** Each sight against the furthest of those that had ended before it began: both lists are walked once. */
function* inOrder(round: Round, of: string, sights: Sight[]): Generator<Broken> {
  const ended = sights.toSorted((one, other) => one.call.ended - other.call.ended)
  let furthest: Sight | null = null
  let next = 0
  // A replay shows what was, and a create's answer what it made.
  const later = sights.filter(({ call }) => !isReplay(call) && call.what !== 'create')
  for (const sight of later.toSorted((one, other) => one.call.began - other.call.began)) {
    for (let before = ended[next]; before && before.call.ended < sight.call.began; before = ended[++next])
      if (furthest === null || !isBefore(before.shown, furthest.shown)) furthest = before
    if (furthest === null || furthest === sight) continue
    const says = wentBack(furthest, sight)
    if (says !== null && !isOfClocks(round, furthest, sight)) yield { of, says }
  }
}

const refundedIn = ({ totalAmountRefunded = 0 }: ShownIntent): number => totalAmountRefunded

const isBefore = (one: ShownIntent, other: ShownIntent): boolean =>
  one.status === other.status
    ? refundedIn(one) < refundedIn(other)
    : mayBecome(one.status as Status, other.status as Status)

function wentBack(before: Sight, after: Sight): string | null {
  const calls = `call ${before.call.call} showed ${before.shown.status}, ${refundedIn(before.shown)} refunded, and call ${after.call.call} after it`
  if (!mayBecome(before.shown.status as Status, after.shown.status as Status))
    return `${calls} ${after.shown.status}`
  if (refundedIn(after.shown) < refundedIn(before.shown))
    return `${calls} ${refundedIn(after.shown)} refunded`
  return null
}

/** By a clock that is ahead an intent has expired which by another's has not: only where clocks were apart. */
const isOfClocks = ({ times }: Round, before: Sight, after: Sight): boolean =>
  before.shown.cancellationReason === 'expired' &&
  [before, after].some(({ call }) => times.skewAround({ from: call.began, to: call.ended }) > 0)
