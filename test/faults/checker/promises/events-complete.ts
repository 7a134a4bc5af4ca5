import type { EventDocument } from '../../../invariants/documents.ts'
import { groupsOf, having, repeatedOf } from '../groups.ts'
import { dataOf, queryOf } from '../responses.ts'
import type { Check, Findings, Round } from '../round.ts'
import { settles } from '../times.ts'

/** The longest time from an event until it is in the log, while a worker and MongoDB run. */
const maxLateMs = 5000

/**
 * The log of each business and environment has each of its events once, numbered without gaps. A reader who follows
 * `next` to the end sees each event of its type once, in the order of the log.
 */
export const eventsComplete: Check = function* (round) {
  const events = round.dump.events.filter(({ event }) => event !== 'cleaned')
  yield* round.broken('events once', 'event log')
  yield* inTime(round, events)
  const readers = groupsOf(having(round.calls, 'event.feed'), ({ operation }) => operation)
  const logs = groupsOf(events, ownerOf)
  for (const [reader, calls] of readers) {
    const { business, sandbox } = calls[0] as Round['calls'][number]
    const log = logs.get(ownerOf({ businessId: business ?? '', sandbox: sandbox === true })) ?? []
    yield* read(round, `reader ${reader} of ${business}`, calls, log)
  }
}

const ownerOf = ({ businessId, sandbox }: { businessId: string; sandbox: boolean }): string =>
  `${businessId} ${sandbox ? 'test' : 'live'}`
const inOrder = (events: EventDocument[]) => events.toSorted((one, other) => one.number - other.number)

function* inTime(round: Round, events: EventDocument[]): Findings {
  for (const { _id, event, createdAt, loggedAt } of events) {
    const { from, to } = round.times.machineTime(createdAt)
    const isDue = round.isDue('events.complete', { from, to: to + maxLateMs }, settles.jobs)
    if (isDue && loggedAt - createdAt > maxLateMs)
      yield [_id, `${event} was in the log after ${loggedAt - createdAt} ms, without a fault`]
  }
}

type Item = { id: string; type: string; createdAt: string; body: { id: string; event: string } }

/** Compares what a reader saw with the log. A reader that began at the end saw the events after its first one. */
function* read(round: Round, reader: string, calls: Round['calls'], log: EventDocument[]): Findings {
  const query = queryOf(calls[0]?.path ?? '')
  const items = calls.flatMap((call) => dataOf<{ items: Item[] }>(call)?.items ?? [])
  for (const { id } of repeatedOf(items, (item) => item.id)) yield [id, `${reader} saw it twice`]
  for (const { id, type, body } of items)
    if (body.id !== id || body.event !== type) yield [id, `${reader} saw it with the body of ${body.id}`]
  const seen = items.map(({ id }) => id)
  const position = new Map(seen.map((id, index) => [id, index]))
  const wanted = inOrder(log).filter(({ event }) => [null, event].includes(query.get('type')))
  const first = query.has('after') ? wanted.findIndex(({ _id }) => _id === seen[0]) : 0
  let last = -1
  for (const { _id, number } of first < 0 ? [] : wanted.slice(first)) {
    const at = position.get(_id)
    if (at === undefined) yield [_id, `${reader} did not see event ${number}`]
    else if (at < last) yield [_id, `${reader} saw event ${number} after a later one`]
    last = Math.max(last, at ?? -1)
  }
  const there = new Set(wanted.map(({ _id }) => _id))
  const mayBeGone = round.mayBeCleaned({
    sandbox: log[0]?.sandbox !== false,
    createdAt: round.setting.beganAt,
  })
  for (const id of seen) if (!there.has(id) && !mayBeGone) yield [id, `${reader} saw it, and the log does not have it`]
}
