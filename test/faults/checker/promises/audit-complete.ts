import type { DeliveryDocument } from '../../../invariants/documents.ts'
import type { Call } from '../../evidence/evidence.ts'
import { endpointOfDelivery } from '../endpoints.ts'
import { groupsOf, having, repeatedOf, sumOf } from '../groups.ts'
import { isDone, isUnknown } from '../requests.ts'
import { dataOf, endpointIn, pageOf, queryOf } from '../responses.ts'
import type { Check, Findings, Round } from '../round.ts'

/** Each act by hand has exactly one line in the audit trail, no replay re-queues twice, each re-queue is attempted. */
export const auditComplete: Check = function* (round) {
  const { dump } = round
  for (const { _id } of repeatedOf(dump.auditevents, (line) => line._id)) yield [_id, 'is in the trail twice']
  yield* requeueLines(round)
  yield* signInLines(round)
}

const isOpen = ({ status }: Call): boolean => status === null || status >= 500
const resultIn = (call: Call, name: string): string | null => queryOf(pageOf(call)?.location ?? '/').get(name)

function* requeueLines(round: Round): Findings {
  const { dump, calls, requests, times } = round
  const requeued = dump.auditevents.filter(({ act }) => act === 'delivery.requeued')
  const lines = groupsOf(requeued, ({ subject }) => subject)
  const idIn = ({ path }: { path: string }): string => /\/(?:events|deliveries)\/([\w-]+)\//.exec(path)?.[1] ?? ''
  const byMerchants = groupsOf(having(requests, 'delivery.retry'), idIn)
  const byStaff = groupsOf(having(calls, 'requeue'), idIn)
  const byEndpoint = groupsOf(having(calls, 'requeue.all'), endpointIn)
  const written = groupsOf(requeued, ({ subject }) => endpointOfDelivery(subject))
  for (const [endpointId, own] of byEndpoint) {
    const reported = sumOf(own, (call) => Number(resultIn(call, 'requeued') ?? 0))
    const count = written.get(endpointId)?.length ?? 0
    if (count < reported) yield [endpointId, `${reported} were re-queued together, and the trail has ${count}`]
  }
  for (const delivery of dump.deliveries) {
    const { _id, requeues, endpointId } = delivery
    const own = lines.get(_id) ?? []
    const [retries, acts] = [byMerchants.get(_id) ?? [], byStaff.get(_id) ?? []]
    const least =
      retries.filter((each) => isDone(each) && dataOf<{ retried: boolean }>(each.settled)?.retried).length +
      acts.filter((call) => resultIn(call, 'result') === 'requeued').length
    const open = retries.filter(isUnknown).length + acts.filter(isOpen).length
    const most = least + open + (byEndpoint.get(endpointId)?.length ?? 0)
    // A replay has one line for all deliveries.
    const lined = requeues - round.replaysOf(delivery).length
    if (own.length < Math.max(lined, least) || own.length > most)
      yield [_id, `was re-queued ${requeues} times (calls: ${least} to ${most}), the trail has ${own.length}`]
    if (isForgotten(delivery, own, times)) yield [_id, 'was re-queued, and is DEAD without another attempt']
  }
}

type Line = { at: number }
function isForgotten({ status, attemptLog }: DeliveryDocument, lines: Line[], times: Round['times']) {
  if (status !== 'DEAD' || lines.length === 0) return false
  const requeuedAt = Math.max(...lines.map(({ at }) => at))
  const lastAt = Math.max(...attemptLog.map(({ at }) => at))
  return lastAt + times.skewAround(times.machineTime(requeuedAt)) < requeuedAt
}

function* signInLines({ calls, dump }: Round): Findings {
  const attempts = having(calls, 'support.sign-in')
  const signedIn = dump.auditevents.filter(({ act }) => act === 'staff.signed-in')
  for (const [name, own] of groupsOf(attempts, ({ body }) => (body as { name: string }).name)) {
    const sure = own.filter(({ status, headers }) => status === 303 && 'set-cookie' in headers).length
    const lines = signedIn.filter(({ subject }) => subject === name).length
    if (lines < sure || lines > sure + own.filter(isOpen).length)
      yield [name, `signed in ${sure} times or more, and the trail has ${lines} lines`]
  }
}
