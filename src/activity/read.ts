import type { Deps } from '../deps.ts'
import { type ActivityHour, type Figures, type FiguresOwner, hourId, hourMs, hourOf } from './activity-hour.ts'

/** The figures of an hour or a day. */
export interface Slice extends Figures {
  start: Date
  /** Whether an hour of the slice has ended, but its payments, failed payments and refunds are not all counted yet. */
  isIncomplete: boolean
}

export interface Activity {
  /** The last 24 hours, oldest first. The last one is the current hour. */
  hours: Slice[]
  /** The last 30 UTC days, oldest first. The last one is today. */
  days: Slice[]
  /** The time of the last count of the current hour, or else of the previous hour. Null if neither has been counted. */
  countedAt: Date | null
}

const shownHours = 24
const shownDays = 30
const dayMs = 24 * hourMs

const none: Figures = {
  payments: 0,
  amountPaid: 0,
  failures: 0,
  refunds: 0,
  amountRefunded: 0,
  delivered: 0,
  retrying: 0,
  dead: 0,
}
const names = Object.keys(none) as (keyof Figures)[]

/** Reads the figures of a business, or of all businesses, for the last 24 hours and the last 30 days. */
export async function readActivity(
  { ActivityHour: hourModel, ActivityCount: countModel, now }: Pick<Deps, 'ActivityHour' | 'ActivityCount' | 'now'>,
  owner: FiguresOwner,
): Promise<Activity> {
  const current = hourOf(now())
  const today = Math.floor(current / dayMs) * dayMs
  const first = today - (shownDays - 1) * dayMs
  const starts = range(first, current, hourMs)
  const [stored, counts] = await Promise.all([
    hourModel
      .find({ _id: { $gte: hourId(owner, first), $lte: hourId(owner, current) } })
      .limit(starts.length)
      .lean<ActivityHour[]>(),
    countModel
      .find({ _id: { $gte: new Date(first) }, countedAt: { $ne: null } }, { countedAt: 1 })
      .lean<{ _id: Date; countedAt: Date }[]>(),
  ])
  const figures = new Map(stored.map((hour) => [hour.hour.getTime(), hour]))
  const counted = new Map(counts.map(({ _id, countedAt }) => [_id.getTime(), countedAt.getTime()]))
  const hours = starts.map((start) => ({
    ...none,
    ...figures.get(start),
    start: new Date(start),
    isIncomplete: start < current && (counted.get(start) ?? first) < start + hourMs,
  }))
  const countedAt = counted.get(current) ?? counted.get(current - hourMs)
  return {
    hours: hours.slice(-shownHours),
    days: range(first, today, dayMs).map((day) =>
      sum(hours.filter(({ start }) => start.getTime() >= day && start.getTime() < day + dayMs)),
    ),
    countedAt: countedAt === undefined ? null : new Date(countedAt),
  }
}

const range = (first: number, last: number, step: number): number[] =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step)

/** Returns the sum of slices, which must not be empty. The sum starts when the first slice starts. */
export const sum = (slices: readonly Slice[]): Slice =>
  slices.reduce((total, slice) => ({
    ...total,
    ...Object.fromEntries(names.map((name) => [name, total[name] + slice[name]])),
    isIncomplete: total.isIncomplete || slice.isIncomplete,
  }))
