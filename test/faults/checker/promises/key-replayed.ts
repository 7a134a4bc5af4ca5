import { isSettled } from '../requests.ts'
import { isReplay } from '../responses.ts'
import type { Check } from '../round.ts'

/** The same key gets the first response again, byte for byte, marked as a replay (SPEC 5.4). */
export const keyReplayed: Check = function* ({ requests }) {
  for (const { what, path, idempotencyKey, calls, settled, isAcrossDays } of requests) {
    if (settled === null || isAcrossDays) continue
    const subject = `${what} ${path} ${idempotencyKey}`
    const kept = calls.filter(isSettled)
    const firsts = kept.filter((call) => !isReplay(call)).map(({ call }) => call)
    if (firsts.length > 1) yield [subject, `calls ${firsts.join(', ')} got responses that are no replays`]
    for (const call of kept) {
      const isSame =
        call.status === settled.status &&
        JSON.stringify(call.response) === JSON.stringify(settled.response) &&
        call.responseHash === settled.responseHash
      if (!isSame) yield [subject, `calls ${settled.call} and ${call.call} got different responses`]
      if (call.began > settled.ended && !isReplay(call))
        yield [subject, `call ${call.call} came after the response to call ${settled.call} and got no replay`]
    }
  }
}
