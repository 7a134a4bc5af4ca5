import type { Call } from '../../evidence/evidence.ts'
import { groupsOf } from '../groups.ts'
import { intentsIn, isReplay, mayBecome, type ShownIntent } from '../responses.ts'
import type { Check, Findings, Round } from '../round.ts'

type Sight = { call: Call; shown: ShownIntent }

/** Later responses never show an earlier state, not even after a change of MongoDB's primary. */
export const readForward: Check = function* (round) {
  const sights: Sight[] = round.calls.flatMap((call) => intentsIn(call).map((shown) => ({ call, shown })))
  for (const [subject, some] of groupsOf(sights, ({ shown }) => shown.referenceNumber))
    yield* inOrder(round, subject, some)
}

/** Compares each read with the most advanced read that had ended before it began. */
function* inOrder({ times }: Round, subject: string, sights: Sight[]): Findings {
  const ended = sights.toSorted((one, other) => one.call.ended - other.call.ended)
  // Replays and responses to creates show an earlier state.
  const later = sights.filter(({ call }) => !isReplay(call) && call.what !== 'create')
  let furthest: Sight | null = null
  let next = 0
  for (const sight of later.toSorted((one, other) => one.call.began - other.call.began)) {
    for (let before = ended[next]; before && before.call.ended < sight.call.began; before = ended[++next])
      if (furthest === null || !isBefore(before.shown, furthest.shown)) furthest = before
    if (furthest === null || furthest === sight || !wentBack(furthest.shown, sight.shown)) continue
    // While clocks jump, one process may show an intent as expired that another shows as PENDING.
    const isSkewed = [furthest, sight].some(({ call }) => times.isSkewed(call))
    if (furthest.shown.cancellationReason === 'expired' && isSkewed) continue
    yield [subject, `call ${sight.call.call} showed ${words(sight)} after ${words(furthest)}`]
  }
}

const words = ({ shown }: Sight): string => `${shown.status}, ${refundedIn(shown)} refunded`
const refundedIn = ({ totalAmountRefunded = 0 }: ShownIntent): number => totalAmountRefunded

const isBefore = (one: ShownIntent, other: ShownIntent): boolean =>
  one.status === other.status ? refundedIn(one) < refundedIn(other) : mayBecome(one.status, other.status)

const wentBack = (before: ShownIntent, after: ShownIntent): boolean =>
  !mayBecome(before.status, after.status) || refundedIn(after) < refundedIn(before)
