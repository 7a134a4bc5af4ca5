import { backgroundRest, createBatcher, noDeadline } from '../mongo/batching/batcher.ts'
import { insertsOf } from '../mongo/batching/insert-batcher.ts'
import type { Models } from '../mongo/models.ts'
import type { Source } from '../webhooks/deliveries/new-delivery.ts'
import { countAgain } from './activity-count.ts'
import { entryOf } from './activity-entry.ts'
import { hourMs, hourOf } from './activity-hour.ts'

export type ActivityBatchers = ReturnType<typeof openActivityBatchers>

/** Opens the batched writes of the relay for the figures on the staff pages. */
export const openActivityBatchers = (models: Pick<Models, 'ActivityEntry' | 'ActivityCount'>, now: () => Date) => ({
  insertActivity: insertsOf(models.ActivityEntry, backgroundRest),
  /** Makes the hour that starts at this time due for another count. */
  countAgain: createBatcher(
    500,
    async (hours: number[]) => {
      await countAgain({ ...models, now }, new Set(hours))
      return hours.map(() => undefined)
    },
    backgroundRest,
  ),
})

/**
 * Stores an entry for each payment, failed payment and refund among the events in an outbox. The relay calls this
 * function before it removes the events from the outbox, so no event is missed. The time is read after the insert: if
 * the hour of an entry has ended by then, its last count may have missed the entry, so the hour is counted again.
 */
export async function noteEvents(
  { batchers, now }: { batchers: ActivityBatchers; now(): Date },
  source: Pick<Source, 'businessId' | 'sandbox' | 'outbox'>,
): Promise<void> {
  const entries = source.outbox.map((event) => entryOf(source, event)).filter((entry) => entry !== null)
  await Promise.all(entries.map((entry) => batchers.insertActivity(entry, noDeadline)))
  const hours = new Set(entries.map(({ at }) => hourOf(at)))
  const late = [...hours].filter((hour) => now().getTime() >= hour + hourMs)
  await Promise.all(late.map((hour) => batchers.countAgain(hour, noDeadline)))
}
