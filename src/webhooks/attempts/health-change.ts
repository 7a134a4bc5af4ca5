import { hourOf } from '../../activity/activity-hour.ts'
import { type AttemptNote } from '../../activity/note-attempts.ts'
import { hourField } from '../endpoints/last-day.ts'

/** The result of one attempt. These results update the endpoint's health and the figures on the staff pages. */
export interface HealthNote extends AttemptNote {
  endpointId: string
  stage: string | null
  /** The HTTP status of the response. Null if no response arrived. */
  status: number | null
}

const isSuccess = ({ outcome }: HealthNote): boolean => outcome === 'delivered'
const isFailure = (note: HealthNote): boolean => !isSuccess(note)

/**
 * Returns the pipeline that updates an endpoint's health. `notes` contains the results of the endpoint's attempts in
 * the order in which the attempts ended.
 */
export function healthChange(notes: HealthNote[]): Record<string, unknown>[] {
  const success = notes.findLast(isSuccess)
  const failure = notes.findLast(isFailure)
  return [
    {
      $set: {
        ...(failure && {
          'health.lastFailureAt': failure.at,
          'health.lastError': { $literal: failure.stage },
          'health.lastStatus': failure.status,
        }),
        ...(success && { 'health.lastSuccessAt': success.at, reportedFailure: ended(success) }),
        ...failuresInRow(notes, success !== undefined),
        ...hourChanges(notes),
      },
    },
  ]
}

function failuresInRow(notes: HealthNote[], hasSuccess: boolean): Record<string, unknown> {
  const latest = notes.slice(notes.findLastIndex(isSuccess) + 1)
  const since = latest[0]?.at ?? null
  return hasSuccess
    ? { 'health.failuresInRow': latest.length, 'health.failingSince': since }
    : {
        'health.failuresInRow': { $add: ['$health.failuresInRow', latest.length] },
        'health.failingSince': { $ifNull: ['$health.failingSince', since] },
      }
}

/** Records in a reported failure that an attempt has succeeded since the report. The poll then reports the recovery. */
const ended = ({ at }: HealthNote) => ({
  $cond: [
    { $eq: [{ $type: '$reportedFailure' }, 'object'] },
    { $mergeObjects: [{ recoveredAt: at }, '$reportedFailure'] },
    '$reportedFailure',
  ],
})

/** Counts the attempts by hour. The counts of the same hour of an earlier day are replaced. */
const hourChanges = (notes: HealthNote[]): Record<string, unknown> =>
  Object.fromEntries(
    [...Map.groupBy(notes, ({ at }) => hourOf(at))].map(([start, ofHour]) => {
      const field = hourField(start)
      const hour = new Date(start)
      const add = (name: 'attempts' | 'succeeded', count: number) => ({
        $add: [count, { $cond: [{ $eq: [`$${field}.hour`, hour] }, `$${field}.${name}`, 0] }],
      })
      const succeeded = ofHour.filter(isSuccess).length
      return [field, { hour, attempts: add('attempts', ofHour.length), succeeded: add('succeeded', succeeded) }]
    }),
  )
