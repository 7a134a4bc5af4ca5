import type { mongo } from 'mongoose'
import { findLast } from '../../chains/append.ts'
import type { LoggedEvent } from '../../events/logged-event.ts'
import { longestReadMs } from '../../input/pagination.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import type { EventSelection, Replay } from './replay.ts'

type Log = Pick<Models, 'LoggedEvent'>

/** Returns the number of the last event in the log of a business and environment, or 0 if the log is empty. */
export async function lastNumber(
  { LoggedEvent }: Log,
  owner: Pick<EventSelection, 'businessId' | 'sandbox'>,
): Promise<number> {
  return (await findLast(nativeCollection(LoggedEvent), owner))?.number ?? 0
}

/** Counts the selected events, reading only index keys. */
export const countSelected = ({ LoggedEvent }: Log, selection: EventSelection): Promise<number> =>
  nativeCollection(LoggedEvent).countDocuments(filterOf(selection, selection.from), {
    hint: 'byTime',
    maxTimeMS: longestReadMs,
  })

/** Returns the next events of a replay, in order of time and id. */
export function readSelected({ LoggedEvent }: Log, replay: Replay, limit: number): Promise<LoggedEvent[]> {
  const { reached } = replay
  const after = reached && {
    $or: [{ createdAt: { $gt: reached.createdAt } }, { _id: { $gt: reached.eventId } }],
  }
  return nativeCollection(LoggedEvent)
    .find({ ...filterOf(replay, reached?.createdAt ?? replay.from), ...after } as mongo.Filter<LoggedEvent>, {
      hint: 'byTime',
      sort: { createdAt: 1, _id: 1 },
      limit,
      maxTimeMS: longestReadMs,
    })
    .toArray()
}

const filterOf = ({ businessId, sandbox, to, events, through }: EventSelection, from: Date) => ({
  businessId,
  sandbox,
  createdAt: { $gte: from, $lte: to },
  event: { $in: events },
  number: { $lte: through },
})
