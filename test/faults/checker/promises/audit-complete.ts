import type { DeliveryDocument } from '../documents.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { dataOf, pageOf } from '../views/answers.ts'
import { endpointOfDelivery } from '../views/delivery-ids.ts'
import { groupsOf, repeatedOf, sumOf } from '../views/groups.ts'
import { isDone, isUnknown } from '../views/requests.ts'

/** Each act by hand has its line in the audit trail, once; no act has more, none waits to be written when all is quiet, and what was asked for was done. */
export const auditComplete: Judge = function* (round) {
  const { dump } = round
  for (const { _id: of } of repeatedOf(dump.auditevents, ({ _id }) => _id))
    yield { of, says: 'stands twice in the trail' }
  for (const { _id: of, unaudited } of [...dump.deliveries, ...dump.staffsessions])
    if ((unaudited?.length ?? 0) > 0)
      yield { of, says: 'has lines that are not in the trail, and all was quiet' }
  yield* requeues(round)
  yield* groups(round)
  yield* signIns(round)
}

/** How often somebody surely acted, and how often they may have. */
interface Acts {
  sure: number
  perhaps: number
}

const linesOf = ({ dump }: Round, act: string, kind: string | null) =>
  dump.auditevents.filter((line) => line.act === act && (kind === null || line.actor.kind === kind))

function* requeues(round: Round): Generator<Broken> {
  const bySubject = groupsOf(linesOf(round, 'delivery.requeued', null), ({ subject }) => subject)
  const byMerchant = merchantsRetries(round)
  const byStaff = staffRetries(round)
  for (const delivery of round.dump.deliveries) {
    const { _id: of, redrives, endpointId } = delivery
    const lines = bySubject.get(of) ?? []
    if (isForgotten(round, delivery, lines))
      yield { of, says: 'was asked for by hand, and is DEAD without another attempt' }
    if (lines.length < redrives)
      yield { of, says: `was asked for by hand ${redrives} times, and the trail has ${lines.length} lines` }
    const merchants = lines.filter(({ actor }) => actor.kind === 'merchant').length
    const staffs = lines.filter(({ actor }) => actor.kind === 'staff').length
    const merchant = byMerchant.get(of) ?? { sure: 0, perhaps: 0 }
    const staff = byStaff.one.get(of) ?? { sure: 0, perhaps: 0 }
    if (merchants < merchant.sure || merchants > merchant.sure + merchant.perhaps)
      yield {
        of,
        says: `merchants asked for it ${merchant.sure} times and perhaps ${merchant.perhaps} more, and the trail has ${merchants} lines`,
      }
    const together = byStaff.all.get(endpointId)?.length ?? 0
    if (staffs < staff.sure || staffs > staff.sure + staff.perhaps + together)
      yield {
        of,
        says: `staff asked for it ${staff.sure} times, perhaps ${staff.perhaps + together} more, and the trail has ${staffs} lines`,
      }
  }
}

/** One that is DEAD was tried once more after somebody had asked for it. */
function isForgotten(
  { times }: Round,
  { status, attemptLog }: DeliveryDocument,
  lines: { at: number }[],
): boolean {
  if (status !== 'DEAD' || lines.length === 0) return false
  const asked = Math.max(...lines.map(({ at }) => at))
  const tried = Math.max(...attemptLog.map(({ at }) => at))
  return tried + times.skewAround(times.machineTime(asked)) < asked
}

function merchantsRetries({ requests }: Round): Map<string, Acts> {
  const retries = requests.filter(({ what }) => what === 'delivery.retry')
  const byDelivery = groupsOf(retries, ({ path }) => /\/events\/([\w-]+)\/retry/.exec(path)?.[1] ?? '')
  return new Map(
    [...byDelivery].map(([id, some]) => [
      id,
      {
        sure: some.filter(
          (each) => isDone(each) && dataOf<{ retried: boolean }>(each.settled as never)?.retried,
        ).length,
        perhaps: some.filter(isUnknown).length,
      },
    ]),
  )
}

/** Of one delivery, and of all the dead ones of an endpoint: what staff pressed, and what the page said. */
function staffRetries({ calls }: Round) {
  const singles = groupsOf(
    calls.filter(({ what }) => what === 'requeue'),
    ({ path }) => decodeURIComponent(/\/deliveries\/([^/]+)\//.exec(path)?.[1] ?? ''),
  )
  const one = new Map(
    [...singles].map(([id, some]) => [
      id,
      {
        sure: some.filter((call) => saidIn(call)?.get('said') === 'requeued').length,
        perhaps: some.filter(({ status }) => status === null || status >= 500).length,
      },
    ]),
  )
  const all = groupsOf(
    calls.filter(({ what }) => what === 'requeue.all'),
    ({ path }) => /\/endpoints\/([0-9a-f]{24})\//.exec(path)?.[1] ?? '',
  )
  return { one, all }
}

const saidIn = (call: { answer: unknown }): URLSearchParams | null => {
  const location = pageOf(call)?.location ?? null
  return location === null ? null : new URL(location, 'http://service').searchParams
}

/** What "send all again" said it did is in the trail. */
function* groups(round: Round): Generator<Broken> {
  const { one, all } = staffRetries(round)
  const lines = groupsOf(linesOf(round, 'delivery.requeued', 'staff'), ({ subject }) =>
    endpointOfDelivery(subject),
  )
  for (const [of, calls] of all) {
    const told =
      sumOf(calls, (call) => Number(saidIn(call)?.get('requeued') ?? 0)) +
      sumOf(one, ([id, { sure }]) => (endpointOfDelivery(id) === of ? sure : 0))
    const written = lines.get(of)?.length ?? 0
    if (written < told)
      yield { of, says: `staff were told of ${told} sent again, and the trail has ${written} lines` }
  }
}

function* signIns(round: Round): Generator<Broken> {
  const tries = round.calls.filter(({ what }) => what === 'support.sign-in')
  const byName = groupsOf(tries, ({ body }) => String(((body ?? {}) as { name?: string }).name))
  const lines = groupsOf(linesOf(round, 'staff.signed-in', null), ({ subject }) => subject)
  for (const [of, some] of byName) {
    const sure = some.filter(({ status, headers }) => status === 303 && 'set-cookie' in headers).length
    const perhaps = some.filter(({ status }) => status === null || status >= 500).length
    const written = lines.get(of)?.length ?? 0
    if (written < sure || written > sure + perhaps)
      yield {
        of,
        says: `signed in ${sure} times and perhaps ${perhaps} more, and the trail has ${written} lines`,
      }
  }
}
