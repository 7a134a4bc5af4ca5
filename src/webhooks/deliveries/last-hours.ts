import type { Deps } from '../../deps.ts'
import { type DeliveryHour, hourMs, hourOf } from './delivery-hour.ts'

/** The last `count` hours, oldest first, including the current one. An hour without attempts has zeros. */
export async function lastHours(
  deps: Pick<Deps, 'DeliveryHour' | 'now'>,
  count: number,
): Promise<DeliveryHour[]> {
  const current = hourOf(deps.now())
  const starts = Array.from({ length: count }, (_, index) => current - (count - 1 - index) * hourMs)
  const known = await deps.DeliveryHour.find({ _id: { $gte: new Date(starts[0] ?? current) } })
    .limit(count)
    .lean<DeliveryHour[]>()
  const byStart = new Map(known.map((hour) => [hour._id.getTime(), hour]))
  const nothing = { delivered: 0, retrying: 0, dead: 0 }
  return starts.map((start) => ({ ...nothing, ...byStart.get(start), _id: new Date(start) }))
}
