import { having } from '../groups.ts'
import { isDone } from '../requests.ts'
import { dataOf, intentsIn, type ShownIntent } from '../responses.ts'
import type { Check, Round } from '../round.ts'

/** The two times are read by different processes. */
const marginMs = 1000

/** Every acknowledged create is in MongoDB, under the business of its key, and in the auditor's reads and lists. */
export const createExists: Check = function* (round) {
  const [read, listed] = [auditedIn(round, false), auditedIn(round, true)]
  for (const request of having(round.requests, 'create')) {
    const made = isDone(request) ? dataOf<ShownIntent>(request.settled) : null
    if (made === null) continue
    const { referenceNumber, shortCode, code, amount } = made
    const stored = round.intentOf.get(referenceNumber)
    const ended = request.settled?.ended ?? request.ended
    const { from, to } = round.times.shownOf({ began: request.began, ended })
    const createdAt = Date.parse(made.createdAt)
    if (!request.isAcrossDays && (createdAt < from - marginMs || createdAt > to + marginMs))
      yield [referenceNumber, `was created at ${made.createdAt}, not while it was requested`]
    if (stored === undefined) {
      if (!round.mayBeCleaned({ ...made, createdAt }))
        yield [referenceNumber, 'the create got 201, but MongoDB does not have it']
      continue
    }
    if (stored.businessId !== request.businessId || stored.sandbox !== request.sandbox)
      yield [referenceNumber, 'belongs to another business or environment than its key']
    const kept = stored.amountType === 'OPEN' ? null : stored.amount
    if (stored.shortCode !== shortCode || stored.code !== code || kept !== amount)
      yield [referenceNumber, `was returned as ${shortCode} ${code} ${amount}, and is stored otherwise`]
    if (read.size > 0 && !read.has(referenceNumber)) yield [referenceNumber, 'the auditor could not read it']
    if (listed.size > 0 && !listed.has(referenceNumber)) yield [referenceNumber, 'is on no page of the lists']
  }
}

const auditedIn = ({ calls }: Round, isList: boolean): Set<string> =>
  new Set(
    calls
      .filter(({ actor, what }) => actor === 'auditor' && (what === 'list') === isList)
      .flatMap((call) => intentsIn(call).map(({ referenceNumber }) => referenceNumber)),
  )
