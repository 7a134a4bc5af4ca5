import { isDeepStrictEqual } from 'node:util'
import type { Call } from '../../evidence/evidence.ts'
import type { Judge } from '../round.ts'
import { isReplay } from '../views/answers.ts'
import { isSettled } from '../views/requests.ts'

/**
 * The same key again gets the first answer, byte for byte, marked as a replay, and told where the parameters are others (SPEC 5.4): whatever
 * was killed between the two.
 */
export const keyReplayed: Judge = function* ({ requests }) {
  for (const { what, path, idempotencyKey, tries, settled, isAcrossDays } of requests) {
    if (settled === null || isAcrossDays) continue
    const of = `${what} ${path} ${idempotencyKey}`
    const answered = tries.filter(isSettled)
    const firsts = answered.filter((call) => !isReplay(call))
    if (firsts.length > 1)
      yield {
        of,
        says: `${firsts.length} answers are no replays: calls ${firsts.map(({ call }) => call).join(', ')}`,
      }
    for (const call of answered) {
      if (call.status !== settled.status || !isSame(call, settled))
        yield {
          of,
          says: `call ${settled.call} was answered ${short(settled)} and call ${call.call} ${short(call)}`,
        }
      if (call.began > settled.ended && !isReplay(call))
        yield { of, says: `call ${call.call} came after the answer of call ${settled.call} and is no replay` }
    }
    for (const call of answered.filter(isReplay)) {
      const before = tries.filter((other) => other !== call && other.began < call.ended)
      const isTold = call.headers['idempotent-params-mismatch'] === 'true'
      const same = before.filter(({ body }) => isDeepStrictEqual(body, call.body))
      if (isTold && before.length > 0 && same.length === before.length)
        yield { of, says: `call ${call.call} was told of other parameters, and there were none` }
      if (!isTold && before.length > 0 && same.length === 0)
        yield { of, says: `call ${call.call} had other parameters, and was not told` }
    }
  }
}

/** Byte for byte where the evidence has it; white space and the writing of numbers show in no JSON that was read. */
const isSame = (one: Call, other: Call): boolean =>
  JSON.stringify(one.answer) === JSON.stringify(other.answer) &&
  (one.answerHash ?? null) === (other.answerHash ?? null)

const short = ({ status, answer }: { status: number | null; answer: unknown }): string =>
  `${status} ${JSON.stringify(answer).slice(0, 300)}`
